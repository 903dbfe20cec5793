#include "snippet.h"

#include <stdlib.h>

SNIPPET {
  drand48_data data = {};
  srand48_r(static_cast<long>(clock_seed()), &data);
  auto draw = FN(mrand48_r, LIBC, LIBC_BASE);
  for (int i = 0; i < 8; ++i) {
    long value = 0;
    draw(&data, &value);
    emit(static_cast<uint64_t>(value));
  }
}
