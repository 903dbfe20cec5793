#include "snippet.h"

#include <sys/random.h>

SNIPPET {
  auto draw = FN(getrandom, LIBC, "GLIBC_2.25");
  for (int i = 0; i < 8; ++i) {
    uint64_t value = 0;
    check(draw(&value, sizeof value, 0u) == sizeof value, "getrandom fills the buffer");
    emit(value);
  }
}
