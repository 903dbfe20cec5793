// nested parallel regions, each thread writes its own places
#include <cmath>
#include <cstdio>
#include <omp.h>
int main() {
  omp_set_max_active_levels(2);
  double table[8][1000];
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 8; ++i) {
#pragma omp parallel for num_threads(2)
    for (int j = 0; j < 1000; ++j) {
      double x = 0.1 * (i + 1) + 0.001 * j;
      for (int n = 0; n < 200; ++n) x = std::cos(x) * (1 + 1e-3 * i);
      table[i][j] = x;
    }
  }
  for (auto& row : table) {
    double sum = 0;
    for (double x : row) sum += x;
    printf("%a\n", sum);
  }
}
