#include "snippet.h"

#include <stdlib.h>

SNIPPET {
  srand48(static_cast<long>(clock_seed()));
  auto draw = FN(drand48, LIBC, LIBC_BASE);
  for (int i = 0; i < 8; ++i)
    emit(bits(draw()));
}
