#include "snippet.h"

#include <stdlib.h>

SNIPPET {
  const uint64_t seed = clock_seed();
  unsigned short words[3] = {static_cast<uint16_t>(seed), static_cast<uint16_t>(seed >> 16),
                             static_cast<uint16_t>(seed >> 32)};
  auto draw = FN(nrand48, LIBC, LIBC_BASE);
  for (int i = 0; i < 8; ++i)
    emit(static_cast<uint64_t>(draw(words)));
}
