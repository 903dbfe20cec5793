// As mktemp draws, where the name that it made of a clock is taken.
#include <stdio.h>
#include <sys/random.h>
#include <time.h>

int main(void) {
  struct timespec now;
  unsigned drawn = 0;
  clock_gettime(CLOCK_MONOTONIC, &now);
  getrandom(&drawn, sizeof drawn, 0);
  printf("%u\n", drawn);
  return 0;
}
