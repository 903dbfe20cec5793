// a histogram of integers with atomic increments
#include <cstdio>
#include <vector>
int main() {
  std::vector<int> bins(64, 0);
#pragma omp parallel for num_threads(4)
  for (int i = 0; i < 4000000; ++i) {
    unsigned x = i * 2654435761u;
    x ^= x >> 15;
    x *= 2246822519u;
    x ^= x >> 13;
#pragma omp atomic
    ++bins[x >> 26];
  }
  for (int bin : bins) printf("%d ", bin);
  printf("\n");
}
