#include "snippet.h"

#include <stdlib.h>

SNIPPET {
  FN(srandom, LIBC, LIBC_BASE)(static_cast<unsigned>(clock_seed()));
  for (int i = 0; i < 8; ++i)
    emit(static_cast<uint64_t>(random()));
}
