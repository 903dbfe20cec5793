#include "snippet.h"

#include <stdlib.h>

SNIPPET {
  static char state[32];
  random_data data = {};
  initstate_r(static_cast<unsigned>(clock_seed()), state, sizeof state, &data);
  auto draw = FN(random_r, LIBC, LIBC_BASE);
  for (int i = 0; i < 8; ++i) {
    int32_t value = 0;
    draw(&data, &value);
    emit(static_cast<uint64_t>(value));
  }
}
