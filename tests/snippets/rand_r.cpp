#include "snippet.h"

#include <stdlib.h>

SNIPPET {
  unsigned state = static_cast<unsigned>(clock_seed());
  auto draw = FN(rand_r, LIBC, LIBC_BASE);
  for (int i = 0; i < 8; ++i)
    emit(static_cast<uint64_t>(draw(&state)));
}
