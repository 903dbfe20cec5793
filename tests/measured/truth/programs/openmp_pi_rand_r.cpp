// pi by Monte Carlo, rand_r with a seed for each thread
#include <cstdio>
#include <cstdlib>
#include <omp.h>
int main() {
  const int total = 4000000;
  long hits = 0;
#pragma omp parallel num_threads(4) reduction(+ : hits)
  {
    unsigned seed = 1234u + omp_get_thread_num();
#pragma omp for
    for (int i = 0; i < total; ++i) {
      double x = static_cast<double>(rand_r(&seed)) / RAND_MAX,
             y = static_cast<double>(rand_r(&seed)) / RAND_MAX;
      if (x * x + y * y <= 1) ++hits;
    }
  }
  printf("%ld %.17g\n", hits, 4.0 * hits / total);
}
