#include "snippet.h"

#include <stdlib.h>

SNIPPET {
  const uint64_t seed = clock_seed();
  // The state, the multiplier (glibc's own) and the addend.
  unsigned short words[7] = {static_cast<uint16_t>(seed),
                             static_cast<uint16_t>(seed >> 16),
                             static_cast<uint16_t>(seed >> 32),
                             0xE66D,
                             0xDEEC,
                             0x5,
                             0xB};
  FN(lcong48, LIBC, LIBC_BASE)(words);
  for (int i = 0; i < 8; ++i)
    emit(static_cast<uint64_t>(lrand48()));
}
