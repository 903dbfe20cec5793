#include "core/base/text_pages.h"

#include <cerrno>

namespace detshim {

int read_file(const char* path, TextPages& text, struct stat& state) {
  constexpr long most = 1L << 28;
  const int fd = sys::openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return fd;
  int error = sys::fstat(fd, state);
  if (error == 0 && !S_ISREG(state.st_mode))
    error = -EINVAL;
  if (error == 0 && state.st_size > most)
    error = -EFBIG;
  const auto size = error == 0 ? static_cast<size_t>(state.st_size) : 0;
  if (error == 0 && !text.reserve(size + 1))
    error = -ENOMEM;
  size_t length = 0;
  while (error == 0 && length < size) {
    const long got = sys::read(fd, text.data() + length, size - length);
    if (got == -EINTR)
      continue;
    if (sys::failed(got))
      error = static_cast<int>(got);
    if (got <= 0)
      break;
    length += static_cast<size_t>(got);
  }
  text.set_length(length);
  sys::close(fd);
  return error;
}

} // namespace detshim
