// the largest and the smallest value by a reduction
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>
int main() {
  std::mt19937 generator{std::random_device{}()};
  std::normal_distribution<double> normal(3, 2);
  std::vector<double> values(500000);
  for (double& value : values) value = normal(generator);
  double largest = -1e300, smallest = 1e300;
#pragma omp parallel for reduction(max : largest) reduction(min : smallest) num_threads(4)
  for (int i = 0; i < static_cast<int>(values.size()); ++i) {
    largest = std::fmax(largest, values[i]);
    smallest = std::fmin(smallest, values[i]);
  }
  printf("%a %a\n", largest, smallest);
}
