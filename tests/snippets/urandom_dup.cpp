#include "snippet.h"

#include <fcntl.h>
#include <initializer_list>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

namespace {

uint64_t drawn(int file) {
  uint64_t value = 0;
  check(read(file, &value, sizeof value) == sizeof value, "read fills the buffer");
  return value;
}

} // namespace

SNIPPET {
  // The ways on which a descriptor is handed on, and the names under which the device can be
  // reached.
  auto open_file = FN(open, LIBC, LIBC_BASE);
  const int file = open_file("/dev/urandom", O_RDONLY | O_CLOEXEC);
  check(file >= 0, "the device opens");
  check(fcntl(file, F_GETFD) == FD_CLOEXEC, "the descriptor keeps its flag");
  emit(drawn(file));

  const int copy = dup(file);
  emit(drawn(copy));
  check(dup2(file, copy) == copy, "dup2");
  emit(drawn(copy));

  uint64_t parts[2] = {};
  const iovec into[] = {{&parts[0], sizeof parts[0]}, {&parts[1], sizeof parts[1]}};
  check(readv(file, into, 2) == sizeof parts, "readv fills both buffers");
  emit(parts[0] ^ parts[1]);
  close(file);

  FILE* const stream = fdopen(copy, "rb");
  check(stream != nullptr, "fdopen");
  uint64_t value = 0;
  check(fread(&value, sizeof value, 1, stream) == 1, "fread fills the buffer");
  emit(value);
  fclose(stream);

  for (const char* name :
       {"/dev/../dev/urandom", "//dev//./urandom", "/proc/self/root/dev/urandom"}) {
    const int other = open_file(name, O_RDONLY);
    check(other >= 0, name);
    emit(drawn(other));
    close(other);
  }
  check(chdir("/dev") == 0, "chdir");
  const int relative = open_file("urandom", O_RDONLY);
  emit(drawn(relative));
  close(relative);
}
