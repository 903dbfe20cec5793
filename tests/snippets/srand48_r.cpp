#include "snippet.h"

#include <stdlib.h>

SNIPPET {
  drand48_data data = {};
  FN(srand48_r, LIBC, LIBC_BASE)(static_cast<long>(clock_seed()), &data);
  for (int i = 0; i < 8; ++i) {
    long value = 0;
    lrand48_r(&data, &value);
    emit(static_cast<uint64_t>(value));
  }
}
