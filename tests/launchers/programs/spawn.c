/* Two ranks of MPI that spawn two more, twice. Each says what it drew. */
#include <mpi.h>
#include <stdio.h>
#include <sys/random.h>

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  unsigned long drawn = 0;
  if (getrandom(&drawn, sizeof drawn, 0) != sizeof drawn)
    return 1;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm other;
  MPI_Comm_get_parent(&other);
  const int is_spawned = other != MPI_COMM_NULL;
  for (int i = 0; i < (is_spawned ? 1 : 2); ++i) {
    if (!is_spawned)
      MPI_Comm_spawn(arguments[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other,
                     MPI_ERRCODES_IGNORE);
    MPI_Barrier(other);
    MPI_Comm_disconnect(&other);
  }
  printf("%d %016lx\n", rank, drawn);
  MPI_Finalize();
  return 0;
}
