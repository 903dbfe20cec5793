#include "snippet.h"

#include <stdlib.h>

SNIPPET {
  static char state[128];
  FN(initstate, LIBC, LIBC_BASE)(static_cast<unsigned>(clock_seed()), state, sizeof state);
  for (int i = 0; i < 8; ++i)
    emit(static_cast<uint64_t>(random()));
}
