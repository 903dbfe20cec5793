// A regular file, open for reading. Anything else (a pipe would wait for ever) counts as not there.
#pragma once

#include "support/descriptor.h"
#include "support/files.h"

#include <cstdint>
#include <string>

#include <sys/stat.h>

namespace detshim {

/// When the file was last written to, in nanoseconds since 1970; 0 if that cannot be told.
inline std::int64_t last_written(const std::string& file) {
  struct stat status;
  if (::stat(file.c_str(), &status) != 0)
    return 0;
  return std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
}

class OpenFile {
public:
  explicit OpenFile(const std::string& file) : descriptor_(open_regular(file)) {
    struct stat status;
    if (descriptor_ && ::fstat(descriptor_.number(), &status) == 0)
      size_ = static_cast<std::uint64_t>(status.st_size);
  }

  explicit operator bool() const { return static_cast<bool>(descriptor_); }
  int descriptor() const { return descriptor_.number(); }
  std::uint64_t size() const { return size_; } ///< when it was opened

private:
  OwnedDescriptor descriptor_;
  std::uint64_t size_ = 0;
};

} // namespace detshim
