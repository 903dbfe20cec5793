// a critical section adds doubles in order of arrival
#include <cmath>
#include <cstdio>
int main() {
  double total = 0;
#pragma omp parallel for schedule(dynamic) num_threads(4)
  for (int block = 0; block < 300; ++block) {
    double part = 0;
    for (int i = 1; i < 4000 + 1000 * (block % 7); ++i) part += std::cos(i * 0.37 + block) / std::sqrt(i);
#pragma omp critical
    total += part * 1e3;
  }
  printf("%a\n", total);
}
