// pi by Monte Carlo, generators seeded by the clock and the thread, dynamic schedule
#include <cstdio>
#include <ctime>
#include <omp.h>
#include <random>
int main() {
  const int blocks = 400, each = 5000;
  long hits = 0;
#pragma omp parallel num_threads(2) reduction(+ : hits)
  {
    std::mt19937 generator(static_cast<unsigned>(time(nullptr)) + 77u * omp_get_thread_num());
    std::uniform_real_distribution<double> uniform;
#pragma omp for schedule(dynamic)
    for (int block = 0; block < blocks; ++block)
      for (int i = 0; i < each; ++i) {
        double x = uniform(generator), y = uniform(generator);
        hits += x * x + y * y <= 1;
      }
  }
  printf("%ld %.17g\n", hits, 4.0 * hits / (static_cast<double>(blocks) * each));
}
