// output and a running sum in an ordered region
#include <cmath>
#include <cstdio>
int main() {
  double running = 0;
#pragma omp parallel for ordered schedule(dynamic) num_threads(4)
  for (int i = 0; i < 60; ++i) {
    double value = 0;
    for (int n = 1; n < 20000 * (1 + i % 3); ++n) value += std::sin(n * 0.01 * i) / n;
#pragma omp ordered
    {
      running = running * 0.5 + value;
      printf("%d %a\n", i, running);
    }
  }
}
