// three sums of doubles by a reduction over four threads
#include <cmath>
#include <cstdio>
int main() {
  double a = 0, b = 0, c = 0;
#pragma omp parallel for reduction(+ : a, b, c) num_threads(4)
  for (int i = 1; i <= 3000000; ++i) {
    double x = std::sin(i * 0.001);
    a += x;
    b += x * x;
    c += 1.0 / i;
  }
  printf("%a %a %a\n", a, b, c);
}
