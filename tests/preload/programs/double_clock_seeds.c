// Seeds by a clock as a double, which is off by one from the clock's whole number now and then.
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (double)now.tv_sec + 1.0e-9 * (double)now.tv_nsec;
}

static double seconds_of_day(void) {
  struct timeval now;
  gettimeofday(&now, NULL);
  return (double)now.tv_sec + (double)now.tv_usec / 1e6;
}

static void draw(double time) {
  srand((unsigned)(unsigned long long)(1.0e6 * time));
  printf("%d\n", rand());
  for (volatile int i = 0; i < 50000; ++i) // several microseconds: no two seeds are equal
    ;
}

int main(void) {
  for (int i = 0; i < 20; ++i) {
    draw(seconds());
    draw(seconds_of_day());
  }
}
