// A regular file, open for reading. Anything else (a pipe would wait for ever) counts as not there.
#pragma once

#include <cstdint>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace detshim {

/// When the file was last written to, in nanoseconds since 1970; 0 if that cannot be told.
inline std::int64_t last_written(const std::string& file) {
  struct stat status;
  if (::stat(file.c_str(), &status) != 0) return 0;
  return std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
}

class OpenFile {
public:
  explicit OpenFile(const std::string& file)
      : descriptor_(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
    struct stat status;
    if (descriptor_ >= 0 && (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode))) close();
    if (descriptor_ >= 0) size_ = static_cast<std::uint64_t>(status.st_size);
  }
  ~OpenFile() { close(); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  explicit operator bool() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  std::uint64_t size() const { return size_; } ///< when it was opened

private:
  void close() {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
  }

  int descriptor_;
  std::uint64_t size_ = 0;
};

} // namespace detshim
