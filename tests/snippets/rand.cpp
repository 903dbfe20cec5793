#include "snippet.h"

#include <stdlib.h>

SNIPPET {
  // Unseeded, rand() is the same in every run by itself.
  srand(static_cast<unsigned>(clock_seed()));
  auto draw = FN(rand, LIBC, LIBC_BASE);
  for (int i = 0; i < 8; ++i)
    emit(static_cast<uint64_t>(draw()));
}
