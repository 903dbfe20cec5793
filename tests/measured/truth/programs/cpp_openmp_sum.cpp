// a sum of floats over OpenMP threads, in the order in which they end
#include <cstdio>
#include <cstdlib>
int main() {
  float sum = 0;
  srand(1);
  static float values[1000000];
  for (float& value : values) value = static_cast<float>(rand()) / RAND_MAX * 1e3f;
#pragma omp parallel for num_threads(4) schedule(dynamic, 1000)
  for (int i = 0; i < 1000000; ++i)
#pragma omp atomic
    sum += values[i];
  printf("%.9g\n", sum);
}
