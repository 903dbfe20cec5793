#include "snippet.h"

#include <stdlib.h>

SNIPPET {
  FN(srand, LIBC, LIBC_BASE)(static_cast<unsigned>(clock_seed()));
  auto draw = FN(rand, LIBC, LIBC_BASE);
  for (int i = 0; i < 8; ++i)
    emit(static_cast<uint64_t>(draw()));
}
