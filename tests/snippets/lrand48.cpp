#include "snippet.h"

#include <stdlib.h>

SNIPPET {
  srand48(static_cast<long>(clock_seed()));
  auto draw = FN(lrand48, LIBC, LIBC_BASE);
  for (int i = 0; i < 8; ++i)
    emit(static_cast<uint64_t>(draw()));
}
