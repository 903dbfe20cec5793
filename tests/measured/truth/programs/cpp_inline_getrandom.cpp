// getrandom by an instruction of its own
#include <cstdio>
#include <sys/syscall.h>
int main() {
  unsigned value = 0;
  long result;
  asm volatile("syscall"
               : "=a"(result)
               : "0"(SYS_getrandom), "D"(&value), "S"(sizeof value), "d"(0)
               : "rcx", "r11", "memory");
  printf("%u %ld\n", value, result);
}
