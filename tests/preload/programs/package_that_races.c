// Machine code of an installed package that starts threads.
#include <pthread.h>

static long sum;
static void* add(void* number) { return sum += (long)number, number; }

long by_threads(int count) {
  pthread_t threads[8];
  for (long i = 0; i < count; ++i)
    pthread_create(&threads[i], 0, add, (void*)i);
  for (int i = 0; i < count; ++i)
    pthread_join(threads[i], 0);
  return sum;
}

long by_openmp(int count) {
#pragma omp parallel for num_threads(count)
  for (long i = 0; i < 64; ++i)
    sum += i;
  return sum;
}
