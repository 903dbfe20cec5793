#include "snippet.h"

#include <stdio.h>

SNIPPET {
  FILE* const file = FN(fopen64, LIBC, LIBC_BASE)("/dev/urandom", "rb");
  check(file != nullptr, "the file opens");
  uint64_t values[8] = {};
  check(fread(values, sizeof values, 1, file) == 1, "fread fills the buffer");
  for (const uint64_t value : values)
    emit(value);
  fclose(file);
}
