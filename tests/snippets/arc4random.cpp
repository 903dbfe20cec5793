#include "snippet.h"

#include <stdlib.h>

SNIPPET {
  auto draw = FN(arc4random, LIBC, "GLIBC_2.36");
  for (int i = 0; i < 8; ++i)
    emit(draw());
}
