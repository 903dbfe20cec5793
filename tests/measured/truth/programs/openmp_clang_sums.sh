# clang's OpenMP: two sums of doubles by a reduction over four threads
command -v clang++ >/dev/null || { echo "no clang++"; exit 77; }
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cat >"$folder/sums.cpp" <<'END'
#include <cmath>
#include <cstdio>
int main() {
  double a = 0, b = 0;
#pragma omp parallel for reduction(+ : a, b) num_threads(4)
  for (int i = 1; i <= 3000000; ++i) {
    a += std::sin(i * 0.003) * std::sqrt(i);
    b += 1.0 / i;
  }
  printf("%a %a\n", a, b);
}
END
clang++ -O2 -g -fopenmp "$folder/sums.cpp" -o "$folder/sums" 2>/dev/null || { echo "no libomp"; exit 77; }
"$folder/sums"
