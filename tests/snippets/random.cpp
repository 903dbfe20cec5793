#include "snippet.h"

#include <stdlib.h>

SNIPPET {
  // Unseeded, random() is the same in every run by itself.
  srandom(static_cast<unsigned>(clock_seed()));
  auto draw = FN(random, LIBC, LIBC_BASE);
  for (int i = 0; i < 8; ++i)
    emit(static_cast<uint64_t>(draw()));
}
