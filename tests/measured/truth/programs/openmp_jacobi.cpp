// Jacobi's iteration on a grid, rows shared by a static schedule
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>
int main() {
  const int n = 300;
  std::vector<double> grid(n * n, 0.0), next(n * n, 0.0);
  for (int i = 0; i < n; ++i) grid[i] = next[i] = std::sin(0.05 * i);
  for (int step = 0; step < 400; ++step) {
#pragma omp parallel for num_threads(2)
    for (int i = 1; i < n - 1; ++i)
      for (int j = 1; j < n - 1; ++j)
        next[i * n + j] = 0.25 * (grid[(i - 1) * n + j] + grid[(i + 1) * n + j] + grid[i * n + j - 1] +
                                  grid[i * n + j + 1]);
    std::swap(grid, next);
  }
  double sum = 0;
  for (double value : grid) sum += value;
  printf("%a %a\n", sum, grid[20 * n + 150]);
}
