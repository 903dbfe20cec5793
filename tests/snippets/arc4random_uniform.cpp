#include "snippet.h"

#include <stdlib.h>

SNIPPET {
  auto draw = FN(arc4random_uniform, LIBC, "GLIBC_2.36");
  for (int i = 0; i < 8; ++i) {
    const uint32_t value = draw(1000000007u);
    check(value < 1000000007u, "the value is below the bound");
    emit(value);
  }
}
