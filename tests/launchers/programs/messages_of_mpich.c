/* Rank 0 takes from any rank, or, with an argument, from none. By what mpi.h of MPICH 4.0 says, of
 * which Debian's package stands in the way of Open MPI's. */
typedef int Handle;
int MPI_Init(int*, char***);
int MPI_Comm_rank(Handle, int*);
int MPI_Comm_size(Handle, int*);
int MPI_Send(const void*, int, Handle, int, int, Handle);
int MPI_Recv(void*, int, Handle, int, int, Handle, void*);
int MPI_Finalize(void);

enum { world = 0x44000000, type_int = 0x4c000405, any_source = -2, no_rank = -1 };

int main(int count, char** arguments) {
  int rank, size, value = 0;
  MPI_Init(&count, &arguments);
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &size);
  void* const no_status = (void*)1;
  if (count > 1)
    MPI_Recv(&value, 1, type_int, no_rank, 0, world, no_status);
  else if (rank != 0)
    MPI_Send(&rank, 1, type_int, 0, 0, world);
  for (int i = 1; count == 1 && rank == 0 && i < size; ++i)
    MPI_Recv(&value, 1, type_int, any_source, 0, world, no_status);
  return MPI_Finalize();
}
