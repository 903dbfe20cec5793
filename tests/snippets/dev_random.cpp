#include "snippet.h"

#include <fcntl.h>
#include <unistd.h>

SNIPPET {
  const int file = FN(open, LIBC, LIBC_BASE)("/dev/random", O_RDONLY);
  uint64_t values[8] = {};
  check(read(file, values, sizeof values) == sizeof values, "read fills the buffer");
  for (const uint64_t value : values)
    emit(value);
  close(file);
}
