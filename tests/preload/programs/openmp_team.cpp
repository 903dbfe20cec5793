// A library that counts the distinct threads of a region. Linked to one OpenMP runtime or to
// another.
#include <omp.h>

extern "C" int threads_in_a_region() {
  int seen = 0;
#pragma omp parallel num_threads(4)
  {
#pragma omp atomic
    seen |= 1 << omp_get_thread_num();
  }
  int number = 0;
  for (; seen != 0; seen >>= 1)
    number += seen & 1;
  return number;
}
