// a reduction of an array section: sums of doubles by class
#include <cmath>
#include <cstdio>
int main() {
  double sums[16] = {};
#pragma omp parallel for reduction(+ : sums[:16]) num_threads(4)
  for (int i = 0; i < 2000000; ++i) sums[(i * 7 + i / 16) % 16] += std::sin(i * 1e-3) * 100;
  for (double sum : sums) printf("%a\n", sum);
}
