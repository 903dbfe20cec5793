// RDRAND, by the processor
#include <cstdio>
#include <immintrin.h>
__attribute__((target("rdrnd"))) int main() {
  unsigned value = 0;
  _rdrand32_step(&value);
  printf("%u\n", value);
}
