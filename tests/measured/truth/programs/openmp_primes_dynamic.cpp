// counts primes with a dynamic schedule and an integer reduction
#include <cstdio>
int main() {
  int count = 0;
  long sum = 0;
#pragma omp parallel for schedule(dynamic, 100) reduction(+ : count, sum) num_threads(4)
  for (int n = 2; n < 400000; ++n) {
    bool prime = true;
    for (int d = 2; d * d <= n && prime; ++d) prime = n % d != 0;
    if (prime) {
      ++count;
      sum += n;
    }
  }
  printf("%d %ld\n", count, sum);
}
