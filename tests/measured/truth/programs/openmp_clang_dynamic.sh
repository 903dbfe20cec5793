# clang's OpenMP: a sum of doubles by a reduction with a dynamic schedule
command -v clang++ >/dev/null || { echo "no clang++"; exit 77; }
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cat >"$folder/dynamic.cpp" <<'END'
#include <cmath>
#include <cstdio>
int main() {
  double sum = 0;
#pragma omp parallel for schedule(dynamic, 50) reduction(+ : sum) num_threads(4)
  for (int i = 1; i < 1000000; ++i) sum += std::cos(i * 0.003) * std::cbrt(i);
  printf("%a\n", sum);
}
END
clang++ -O2 -g -fopenmp "$folder/dynamic.cpp" -o "$folder/dynamic" 2>/dev/null || { echo "no libomp"; exit 77; }
"$folder/dynamic"
