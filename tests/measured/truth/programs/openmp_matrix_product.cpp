// matrix product, the two outer loops collapsed
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>
int main() {
  const int n = 220;
  std::mt19937_64 generator(std::random_device{}());
  std::normal_distribution<double> normal;
  std::vector<double> a(n * n), b(n * n), c(n * n);
  for (int i = 0; i < n * n; ++i) {
    a[i] = normal(generator);
    b[i] = normal(generator);
  }
#pragma omp parallel for collapse(2) num_threads(4)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
  uint64_t hash = 14695981039346656037u;
  for (double value : c) {
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    hash = (hash ^ bits) * 1099511628211u;
  }
  printf("%016llx %a\n", static_cast<unsigned long long>(hash), c[7]);
}
