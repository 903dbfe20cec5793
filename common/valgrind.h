// Whether valgrind runs the program: it follows each system call, and says of some of our own that
// it does not know them.
#pragma once

#include <cstdint>

namespace detshim {

/// Asks by valgrind's client request, a row of instructions that does nothing elsewhere.
/// (valgrind.h: RUNNING_ON_VALGRIND; "The Client Request mechanism" in valgrind's manual)
inline bool is_in_valgrind() {
  constexpr uint64_t running_on_valgrind = 0x1001;
  const uint64_t request[6] = {running_on_valgrind, 0, 0, 0, 0, 0};
#if defined(__x86_64__)
  uint64_t answer = 0;
  __asm__ volatile("rolq $3, %%rdi\n\t"
                   "rolq $13, %%rdi\n\t"
                   "rolq $61, %%rdi\n\t"
                   "rolq $51, %%rdi\n\t"
                   "xchgq %%rbx, %%rbx"
                   : "+d"(answer)
                   : "a"(request)
                   : "cc", "memory");
  return answer != 0;
#elif defined(__aarch64__)
  register uint64_t answer __asm__("x3") = 0;
  register const uint64_t* asked __asm__("x4") = request;
  __asm__ volatile("ror x12, x12, #3\n\t"
                   "ror x12, x12, #13\n\t"
                   "ror x12, x12, #51\n\t"
                   "ror x12, x12, #61\n\t"
                   "orr x10, x10, x10"
                   : "+r"(answer)
                   : "r"(asked)
                   : "cc", "memory");
  return answer != 0;
#else
  return request[0] == 0;
#endif
}

} // namespace detshim
