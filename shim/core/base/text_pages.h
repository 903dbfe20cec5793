// Text that grows, without an allocator.
#pragma once

#include "common/sys.h"

#include <cstddef>

namespace detshim {

/// Text in pages of the kernel, as long as there is memory.
class TextPages {
public:
  constexpr TextPages() = default;
  ~TextPages() = default;                     // what is static stays; others call clear()
  TextPages& operator=(TextPages&&) = delete; // neither copied nor moved

  /// Makes room for `length` bytes in all; false without memory.
  bool reserve(size_t length) {
    if (length <= capacity_)
      return true;
    size_t wanted = capacity_ == 0 ? 65536 : capacity_;
    while (wanted < length)
      wanted *= 2;
    auto* const fresh = static_cast<char*>(sys::map(wanted));
    if (fresh == nullptr)
      return false;
    const size_t kept = length_;
    if (kept != 0)
      __builtin_memcpy(fresh, data_, kept);
    clear();
    data_ = fresh, length_ = kept, capacity_ = wanted;
    return true;
  }

  bool add(const char* text, size_t length) {
    if (!reserve(length_ + length))
      return false;
    __builtin_memcpy(data_ + length_, text, length);
    length_ += length;
    return true;
  }

  void clear() {
    if (data_ != nullptr)
      sys::unmap(data_, capacity_);
    data_ = nullptr;
    length_ = capacity_ = 0;
  }

  char* data() { return data_; }
  const char* data() const { return data_; }
  size_t length() const { return length_; }
  /// After writing into what was reserved.
  void set_length(size_t length) { length_ = length; }

private:
  char* data_ = nullptr;
  size_t length_ = 0;
  size_t capacity_ = 0;
};

/// Reads a whole file, of 256 MB at most; 0 or a negated errno. `state` is the file's.
int read_file(const char* path, TextPages& text, struct stat& state);

} // namespace detshim
