#include "snippet.h"

#include <stdlib.h>

SNIPPET {
  static char first[128], second[64];
  const unsigned seed = static_cast<unsigned>(clock_seed());
  initstate(seed, first, sizeof first);
  initstate(seed + 1, second, sizeof second);
  auto switch_to = FN(setstate, LIBC, LIBC_BASE);
  for (int i = 0; i < 8; ++i) {
    switch_to(i % 2 == 0 ? +first : +second);
    emit(static_cast<uint64_t>(random()));
  }
}
