#include "snippet.h"

#include <sys/syscall.h>
#include <unistd.h>

SNIPPET {
  auto call = FN(syscall, LIBC, LIBC_BASE);
  for (int i = 0; i < 8; ++i) {
    uint64_t value = 0;
    check(call(long{SYS_getrandom}, &value, sizeof value, 0L) == sizeof value,
          "getrandom fills the buffer");
    emit(value);
  }
}
