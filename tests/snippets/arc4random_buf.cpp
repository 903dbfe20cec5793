#include "snippet.h"

#include <stdlib.h>

SNIPPET {
  uint64_t values[8] = {};
  FN(arc4random_buf, LIBC, "GLIBC_2.36")(values, sizeof values);
  for (const uint64_t value : values)
    emit(value);
}
