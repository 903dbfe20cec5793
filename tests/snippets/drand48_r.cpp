#include "snippet.h"

#include <stdlib.h>

SNIPPET {
  drand48_data data = {};
  srand48_r(static_cast<long>(clock_seed()), &data);
  auto draw = FN(drand48_r, LIBC, LIBC_BASE);
  for (int i = 0; i < 8; ++i) {
    double value = 0;
    draw(&data, &value);
    emit(bits(value));
  }
}
