/* Ranks of MPI of which the first one takes what the others send, in the way that is named. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { most_ranks = 8 };

static int rank, size;

static void send(void) {
  if (rank != 0)
    MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
}

static void receive_from(int source_of_first, int step) {
  int value = 0;
  send();
  for (int i = 1; rank == 0 && i < size; ++i)
    MPI_Recv(&value, 1, MPI_INT, source_of_first + step * i, MPI_ANY_TAG, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
}

/* As mpi4py asks for what came with MPI 4.0: whether there is one. */
#pragma weak MPI_Recv_c
int MPI_Recv_c(void* buffer, MPI_Count count, MPI_Datatype type, int source, int tag,
               MPI_Comm communicator, MPI_Status* status);

static void from_any_by_weak(void) {
  int sum = 0;
  send();
  for (int i = 1; rank == 0 && i < size; ++i) {
    int value = 0;
    if (MPI_Recv_c != NULL)
      MPI_Recv_c(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
      MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum += value;
  }
  if (rank == 0)
    printf("%d\n", sum);
}

static void from_any(void) { receive_from(MPI_ANY_SOURCE, 0); }
static void from_named(void) { receive_from(0, 1); }

static void from_nobody(void) {
  int value = 0;
  MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static int begin(MPI_Request* requests, int* values) {
  send();
  int count = 0;
  for (int i = 1; rank == 0 && i < size; ++i)
    MPI_Irecv(&values[i], 1, MPI_INT, i, 0, MPI_COMM_WORLD, &requests[count++]);
  return count;
}

static void wait_any(void) {
  MPI_Request requests[most_ranks];
  int values[most_ranks];
  const int count = begin(requests, values);
  for (int i = 0, which; i < count; ++i)
    MPI_Waitany(count, requests, &which, MPI_STATUS_IGNORE);
}

static void wait_all(void) {
  MPI_Request requests[most_ranks];
  int values[most_ranks];
  MPI_Waitall(begin(requests, values), requests, MPI_STATUSES_IGNORE);
}

static void test(void) {
  MPI_Request requests[most_ranks];
  int values[most_ranks];
  int is_done = 0;
  const int count = begin(requests, values);
  for (int i = 0; i < count; i += is_done)
    MPI_Test(&requests[i], &is_done, MPI_STATUS_IGNORE);
}

static void probe(void) {
  MPI_Status status;
  int value = 0;
  send();
  for (int i = 1; rank == 0 && i < size; ++i) {
    MPI_Probe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void accumulate(void) {
  double sum = 0;
  const double addend = 0.1 * rank;
  MPI_Win window;
  MPI_Win_create(&sum, sizeof sum, sizeof sum, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  MPI_Accumulate(&addend, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, MPI_SUM, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
}

static void lock(void) {
  double* shared;
  MPI_Win window;
  MPI_Win_allocate(sizeof *shared, sizeof *shared, MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &window);
  *shared = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
  double sum = 0;
  MPI_Get(&sum, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, window);
  MPI_Win_flush(0, window);
  sum = sum * 0.9 + rank;
  MPI_Put(&sum, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, window);
  MPI_Win_unlock(0, window);
  MPI_Win_free(&window);
}

static void clock(void) { printf("%.9f\n", MPI_Wtime()); }

static const struct {
  const char* name;
  void (*run)(void);
} ways[] = {{"from_any", from_any},
            {"from_named", from_named},
            {"from_nobody", from_nobody},
            {"wait_any", wait_any},
            {"wait_all", wait_all},
            {"test", test},
            {"probe", probe},
            {"from_any_by_weak", from_any_by_weak},
            {"accumulate", accumulate},
            {"lock", lock},
            {"clock", clock}};

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i)
    if (count > 1 && strcmp(arguments[1], ways[i].name) == 0)
      ways[i].run();
  MPI_Finalize();
  return 0;
}
