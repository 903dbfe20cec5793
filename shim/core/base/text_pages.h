// Text that grows, without an allocator.
#pragma once

#include <cstddef>

namespace detshim {

/// Text in pages of the kernel, as long as there is memory.
class TextPages {
public:
  constexpr TextPages() = default;
  ~TextPages() = default; // what is static stays; others call clear()
  TextPages(const TextPages&) = delete;
  TextPages& operator=(const TextPages&) = delete;

  /// Makes room for `length` bytes in all; false without memory.
  bool reserve(size_t length);
  bool insert(size_t at, const char* text, size_t length);
  bool add(const char* text, size_t length) { return insert(length_, text, length); }
  void remove(size_t at, size_t length);
  void clear();
  void swap(TextPages& other);

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

} // namespace detshim
