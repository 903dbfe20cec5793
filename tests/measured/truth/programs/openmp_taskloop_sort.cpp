// merge sort by tasks of numbers from random_device
#include <algorithm>
#include <cstdio>
#include <random>
#include <vector>
void sort(std::vector<unsigned>& values, int from, int to) {
  if (to - from < 4000) {
    std::sort(values.begin() + from, values.begin() + to);
    return;
  }
  int middle = from + (to - from) / 2;
#pragma omp task shared(values)
  sort(values, from, middle);
#pragma omp task shared(values)
  sort(values, middle, to);
#pragma omp taskwait
  std::inplace_merge(values.begin() + from, values.begin() + middle, values.begin() + to);
}
int main() {
  std::random_device device;
  std::mt19937 generator(device());
  std::vector<unsigned> values(500000);
  for (unsigned& value : values) value = generator();
#pragma omp parallel num_threads(2)
#pragma omp single
  sort(values, 0, static_cast<int>(values.size()));
  printf("%d %u %u %u\n", static_cast<int>(std::is_sorted(values.begin(), values.end())), values[0],
         values[250000], values[499999]);
}
