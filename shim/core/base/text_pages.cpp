#include "core/base/text_pages.h"

#include "common/sys.h"

namespace detshim {

bool TextPages::reserve(size_t length) {
  if (length <= capacity_) return true;
  size_t wanted = capacity_ == 0 ? 65536 : capacity_;
  while (wanted < length) wanted *= 2;
  auto* fresh = static_cast<char*>(sys::map(wanted));
  if (fresh == nullptr) return false;
  if (length_ != 0) __builtin_memcpy(fresh, data_, length_);
  if (data_ != nullptr) sys::unmap(data_, capacity_);
  data_ = fresh;
  capacity_ = wanted;
  return true;
}

bool TextPages::insert(size_t at, const char* text, size_t length) {
  if (length == 0) return true;
  if (!reserve(length_ + length)) return false;
  __builtin_memmove(data_ + at + length, data_ + at, length_ - at);
  __builtin_memcpy(data_ + at, text, length);
  length_ += length;
  return true;
}

void TextPages::remove(size_t at, size_t length) {
  __builtin_memmove(data_ + at, data_ + at + length, length_ - at - length);
  length_ -= length;
}

void TextPages::clear() {
  if (data_ != nullptr) sys::unmap(data_, capacity_);
  data_ = nullptr;
  length_ = capacity_ = 0;
}

void TextPages::swap(TextPages& other) {
  const auto exchange = [](auto& a, auto& b) {
    const auto kept = a;
    a = b;
    b = kept;
  };
  exchange(data_, other.data_);
  exchange(length_, other.length_);
  exchange(capacity_, other.capacity_);
}

} // namespace detshim
