// The bytes of a whole file, mapped for reading.
#pragma once

#include <cerrno>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace detshim {

class MappedFile {
public:
  /// Throws std::system_error if there is no such file, or it is a link.
  explicit MappedFile(const std::string& file) {
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    struct stat status = {};
    const bool is_there = descriptor >= 0 && ::fstat(descriptor, &status) == 0;
    size_ = static_cast<std::size_t>(status.st_size);
    if (size_ > 0)
      data_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
    const int error = errno;
    if (descriptor >= 0)
      ::close(descriptor);
    if (!is_there || data_ == MAP_FAILED)
      throw std::system_error(error, std::generic_category(), "cannot read '" + file + "'");
  }
  ~MappedFile() {
    if (size_ > 0)
      ::munmap(data_, size_);
  }
  MappedFile& operator=(MappedFile&&) = delete; // neither copied nor moved

  /// Gives the memory back that was read so far: what is read again comes from the file.
  void forget() const {
    if (size_ > 0)
      ::madvise(data_, size_, MADV_DONTNEED);
  }

  std::string_view bytes() const { return {static_cast<const char*>(data_), size_}; }

private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

} // namespace detshim
