// Draws that no preload can intercept, by instructions: each in a function of its own, for `detshim
// scan` to find. None is executed: the processor may not have it. Also built as a library.
#include <csignal>
#include <cstdlib>

extern "C" {

#if defined(__x86_64__)
unsigned long draw_by_processor() {
  unsigned long value;
  __asm__ volatile("rdrand %0" : "=r"(value) : : "cc");
  return value;
}

unsigned draw_by_processor_seed() {
  unsigned value;
  __asm__ volatile("rdseed %0" : "=r"(value) : : "cc");
  return value;
}

long draw_by_system_call(void* data, unsigned long size) {
  long result;
  __asm__ volatile("movl $318, %%eax\n\tsyscall"
                   : "=&a"(result)
                   : "D"(data), "S"(size), "d"(0L)
                   : "rcx", "r11", "memory");
  return result;
}
#elif defined(__aarch64__)
unsigned long draw_by_processor() {
  unsigned long value;
  __asm__ volatile("mrs %0, s3_3_c2_c4_0" : "=r"(value) : : "cc");
  return value;
}

unsigned long draw_by_processor_seed() {
  unsigned long value;
  __asm__ volatile("mrs %0, s3_3_c2_c4_1" : "=r"(value) : : "cc");
  return value;
}

long draw_by_system_call(void* data, unsigned long size) {
  register void* x0 __asm__("x0") = data;
  register unsigned long x1 __asm__("x1") = size;
  register long x2 __asm__("x2") = 0;
  __asm__ volatile("mov x8, 278\n\tsvc 0" : "+r"(x0) : "r"(x1), "r"(x2) : "x8", "memory");
  return reinterpret_cast<long>(x0);
}
#endif

} // extern "C"

#ifndef AS_LIBRARY
/// Draws by libc; a word kills the program then.
int main(int count, char**) {
  const bool is_drawn = std::rand() >= 0;
  if (count > 1)
    std::raise(SIGKILL);
  return is_drawn ? 0 : 1;
}
#endif
