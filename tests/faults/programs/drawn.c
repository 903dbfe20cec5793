/* A library that is linked statically: it asks the kernel without libc, so that no hook sees it. */
#include "drawn.h"

unsigned long drawn_value(void) {
  unsigned long value = 0, result;
#if defined(__x86_64__)
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(318L), "D"(&value), "S"(8L), "d"(0L)
                   : "rcx", "r11", "memory");
#elif defined(__aarch64__)
  register long number __asm__("x8") = 278;
  register long first __asm__("x0") = (long)&value;
  register long second __asm__("x1") = 8, third __asm__("x2") = 0;
  __asm__ volatile("svc 0" : "+r"(first) : "r"(number), "r"(second), "r"(third) : "memory");
  result = (unsigned long)first;
#endif
  return result == 8 ? value : 0;
}
