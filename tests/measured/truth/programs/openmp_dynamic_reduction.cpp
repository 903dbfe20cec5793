// a sum of doubles by a reduction with a dynamic schedule
#include <cmath>
#include <cstdio>
int main() {
  double sum = 0;
#pragma omp parallel for schedule(dynamic, 64) reduction(+ : sum) num_threads(4)
  for (int i = 1; i < 2000000; ++i) sum += std::sin(i * 0.003) * std::sqrt(i);
  printf("%a\n", sum);
}
