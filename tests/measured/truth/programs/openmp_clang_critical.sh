# clang's OpenMP: threads append their results in order of arrival
command -v clang++ >/dev/null || { echo "no clang++"; exit 77; }
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cat >"$folder/order.cpp" <<'END'
#include <cmath>
#include <cstdio>
#include <vector>
int main() {
  std::vector<int> order;
  double running = 0;
#pragma omp parallel for schedule(dynamic) num_threads(4)
  for (int i = 0; i < 120; ++i) {
    double value = 0;
    for (int n = 1; n < 5000 * (1 + i % 4); ++n) value += std::sin(n + i) / n;
#pragma omp critical
    {
      order.push_back(i);
      running = running * 0.9 + value;
    }
  }
  for (int i : order) printf("%d ", i);
  printf("%a\n", running);
}
END
clang++ -O2 -g -fopenmp "$folder/order.cpp" -o "$folder/order" 2>/dev/null || { echo "no libomp"; exit 77; }
"$folder/order"
