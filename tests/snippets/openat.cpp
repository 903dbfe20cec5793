#include "snippet.h"

#include <fcntl.h>
#include <unistd.h>

SNIPPET {
  // Relative to a folder, as only this call can be.
  const int folder = open("/dev", O_RDONLY | O_DIRECTORY);
  const int file = FN(openat, LIBC, LIBC_2_4)(folder, "urandom", O_RDONLY);
  close(folder);
  uint64_t values[8] = {};
  check(read(file, values, sizeof values) == sizeof values, "read fills the buffer");
  for (const uint64_t value : values)
    emit(value);
  close(file);
}
