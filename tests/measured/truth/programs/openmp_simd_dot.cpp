// parallel for simd: dot product of floats, default number of threads
#include <cstdio>
#include <vector>
int main() {
  const int n = 4000000;
  std::vector<float> a(n), b(n);
  for (int i = 0; i < n; ++i) {
    a[i] = static_cast<float>(i % 1013) * 0.001f;
    b[i] = static_cast<float>(i % 709) * 0.01f - 3;
  }
  float dot = 0;
#pragma omp parallel for simd reduction(+ : dot)
  for (int i = 0; i < n; ++i) dot += a[i] * b[i];
  printf("%a\n", dot);
}
