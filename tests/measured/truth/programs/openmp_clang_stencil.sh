# clang's OpenMP: a heat equation on a line, static schedule
command -v clang++ >/dev/null || { echo "no clang++"; exit 77; }
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cat >"$folder/heat.cpp" <<'END'
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>
int main() {
  const int n = 20000;
  std::vector<double> heat(n), next(n);
  for (int i = 0; i < n; ++i) heat[i] = next[i] = std::sin(i * 0.01) + (i % 37 == 0);
  for (int step = 0; step < 1500; ++step) {
#pragma omp parallel for schedule(static) num_threads(2)
    for (int i = 1; i < n - 1; ++i) next[i] = heat[i] + 0.24 * (heat[i - 1] - 2 * heat[i] + heat[i + 1]);
    std::swap(heat, next);
  }
  double sum = 0;
  for (double value : heat) sum = sum * 0.999 + value;
  printf("%a %a\n", sum, heat[n / 2]);
}
END
clang++ -O2 -g -fopenmp "$folder/heat.cpp" -o "$folder/heat" 2>/dev/null || { echo "no libomp"; exit 77; }
"$folder/heat"
