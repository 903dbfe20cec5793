#include "snippet.h"

#include <stdlib.h>

SNIPPET {
  static char first[128], second[64];
  const unsigned seed = static_cast<unsigned>(clock_seed());
  random_data data = {};
  initstate_r(seed, first, sizeof first, &data);
  initstate_r(seed + 1, second, sizeof second, &data);
  auto switch_to = FN(setstate_r, LIBC, LIBC_BASE);
  for (int i = 0; i < 8; ++i) {
    switch_to(i % 2 == 0 ? +first : +second, &data);
    int32_t value = 0;
    random_r(&data, &value);
    emit(static_cast<uint64_t>(value));
  }
}
