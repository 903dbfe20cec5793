#include "core/base/processor.h"

#include "core/base/hash.h"

#if defined(__x86_64__)
#include <cpuid.h>
#else
#include <sys/auxv.h>
#endif

namespace detshim {

bool processor_has_avx2() {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  __cpuid(1, a, b, c, d);
  constexpr unsigned needed = bit_FMA | bit_OSXSAVE | bit_AVX;
  if ((c & needed) != needed)
    return false;
  unsigned saved = 0, high = 0; // XCR0
  asm("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
  constexpr unsigned sse_and_avx = 6;
  return (saved & sse_and_avx) == sse_and_avx && __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 &&
         (b & bit_AVX2) != 0;
#else
  return false;
#endif
}

void add_processor(TextWriter& to) {
  uint64_t state = 0;
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  char maker[13] = {};
  __cpuid(0, a, b, c, d);
  const unsigned words[] = {b, d, c};
  __builtin_memcpy(maker, words, sizeof words);
  const unsigned highest = a;
  __cpuid(1, a, b, c, d);
  const unsigned family = (a >> 8 & 15) + ((a >> 8 & 15) == 15 ? a >> 20 & 255 : 0);
  const unsigned model = (a >> 4 & 15) + ((a >> 16 & 15) << 4);
  to.add(maker)
      .add(' ')
      .add(uint64_t{family})
      .add('.')
      .add(uint64_t{model})
      .add('.')
      .add(uint64_t{a & 15});
  state = mix(mix(state, c), d); // not b, which holds the number of this very core
  if (highest >= 7) {
    __cpuid_count(7, 0, a, b, c, d);
    state = mix(mix(mix(state, b), c), d);
  }
  __cpuid(0x80000001, a, b, c, d);
  state = mix(mix(state, c), d);
#else
  to.add("aarch64");
  state = mix(mix(state, getauxval(AT_HWCAP)), getauxval(AT_HWCAP2));
#endif
  to.add(' ').add_hex(state, 16);
}

} // namespace detshim
