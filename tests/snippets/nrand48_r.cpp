#include "snippet.h"

#include <stdlib.h>

SNIPPET {
  const uint64_t seed = clock_seed();
  unsigned short words[3] = {static_cast<uint16_t>(seed), static_cast<uint16_t>(seed >> 16),
                             static_cast<uint16_t>(seed >> 32)};
  drand48_data data = {};
  srand48_r(1, &data);
  auto draw = FN(nrand48_r, LIBC, LIBC_BASE);
  for (int i = 0; i < 8; ++i) {
    long value = 0;
    draw(words, &data, &value);
    emit(static_cast<uint64_t>(value));
  }
}
