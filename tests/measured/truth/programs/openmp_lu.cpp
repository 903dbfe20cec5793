// LU factors of a matrix, rows shared, without races
#include <cmath>
#include <cstdio>
#include <vector>
int main() {
  const int n = 300;
  std::vector<double> a(n * n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) a[i * n + j] = std::sin(i * 0.7 + j * j * 0.01) + (i == j ? n : 0);
  for (int k = 0; k < n; ++k) {
#pragma omp parallel for schedule(dynamic, 8) num_threads(2)
    for (int i = k + 1; i < n; ++i) {
      double factor = a[i * n + k] / a[k * n + k];
      a[i * n + k] = factor;
      for (int j = k + 1; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
    }
  }
  double logarithm = 0;
  for (int i = 0; i < n; ++i) logarithm += std::log(std::fabs(a[i * n + i]));
  printf("%a %a\n", logarithm, a[n * n - 1]);
}
