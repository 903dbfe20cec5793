#include "snippet.h"

#include <stdlib.h>

SNIPPET {
  FN(srand48, LIBC, LIBC_BASE)(static_cast<long>(clock_seed()));
  for (int i = 0; i < 8; ++i)
    emit(static_cast<uint64_t>(lrand48()));
}
