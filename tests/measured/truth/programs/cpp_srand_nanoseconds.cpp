// srand48 from clock_gettime
#include <cstdio>
#include <cstdlib>
#include <ctime>
int main() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  srand48(now.tv_nsec);
  printf("%f\n", drand48());
}
