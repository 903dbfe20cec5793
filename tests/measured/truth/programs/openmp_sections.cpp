// three sections, each with its own result
#include <cmath>
#include <cstdio>
int main() {
  double harmonic = 0, product = 1, alternating = 0;
#pragma omp parallel sections num_threads(3)
  {
#pragma omp section
    for (int i = 1; i < 2000000; ++i) harmonic += 1.0 / i;
#pragma omp section
    for (int i = 1; i < 2000000; ++i) product *= 1 + std::sin(i) * 1e-6;
#pragma omp section
    for (int i = 0; i < 2000000; ++i) alternating += (i % 2 ? -1.0 : 1.0) / (2 * i + 1);
  }
  printf("%a %a %a\n", harmonic, product, alternating);
}
