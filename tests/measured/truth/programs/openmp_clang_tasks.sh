# clang's OpenMP: queens on a board counted by tasks
command -v clang++ >/dev/null || { echo "no clang++"; exit 77; }
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cat >"$folder/queens.cpp" <<'END'
#include <cstdio>
static const int size = 11;
long place(int row, unsigned columns, unsigned left, unsigned right) {
  if (row == size) return 1;
  long counts[size] = {};
  for (int column = 0; column < size; ++column) {
    unsigned bit = 1u << column;
    if ((columns | left | right) & bit) continue;
#pragma omp task shared(counts) if (row < 3)
    counts[column] = place(row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1);
  }
#pragma omp taskwait
  long total = 0;
  for (long count : counts) total += count;
  return total;
}
int main() {
  long total = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
  total = place(0, 0, 0, 0);
  printf("%ld\n", total);
}
END
clang++ -O2 -g -fopenmp "$folder/queens.cpp" -o "$folder/queens" 2>/dev/null || { echo "no libomp"; exit 77; }
"$folder/queens"
