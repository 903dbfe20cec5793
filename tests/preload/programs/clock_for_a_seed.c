#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
int main(void) {
  time_t now;
  struct timeval time_of_day;
#line 1
  DRAW;
  printf("%d\n", rand());
  (void)now, (void)time_of_day;
}
