// the time stamp counter as a seed
#include <cstdio>
#include <cstdlib>
#include <x86intrin.h>
int main() {
  srand(static_cast<unsigned>(__rdtsc()));
  printf("%d\n", rand());
}
