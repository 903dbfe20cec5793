// getrandom by syscall()
#include <cstdio>
#include <sys/syscall.h>
#include <unistd.h>
int main() {
  unsigned value = 0;
  syscall(SYS_getrandom, &value, sizeof value, 0);
  printf("%u\n", value);
}
