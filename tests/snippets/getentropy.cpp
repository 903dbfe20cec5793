#include "snippet.h"

#include <unistd.h>

SNIPPET {
  auto draw = FN(getentropy, LIBC, "GLIBC_2.25");
  for (int i = 0; i < 8; ++i) {
    uint64_t value = 0;
    check(draw(&value, sizeof value) == 0, "getentropy");
    emit(value);
  }
}
