#include "snippet.h"

#include <stdlib.h>

SNIPPET {
  static char state[128];
  random_data data = {};
  initstate_r(1, state, sizeof state, &data);
  FN(srandom_r, LIBC, LIBC_BASE)(static_cast<unsigned>(clock_seed()), &data);
  for (int i = 0; i < 8; ++i) {
    int32_t value = 0;
    random_r(&data, &value);
    emit(static_cast<uint64_t>(value));
  }
}
