// Fibonacci's numbers by tasks
#include <cstdio>
long fibonacci(int n) {
  if (n < 2) return n;
  if (n < 18) return fibonacci(n - 1) + fibonacci(n - 2);
  long a, b;
#pragma omp task shared(a)
  a = fibonacci(n - 1);
#pragma omp task shared(b)
  b = fibonacci(n - 2);
#pragma omp taskwait
  return a + b;
}
int main() {
  long result = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
  result = fibonacci(32);
  printf("%ld\n", result);
}
