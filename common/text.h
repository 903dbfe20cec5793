// Text in a fixed buffer: what snprintf would be used for, without its locale, its allocation and its locks.
#pragma once

#include <cstddef>
#include <cstdint>

namespace detshim {

/// Compares two zero-terminated strings. (A call to strcmp could meet a host's own definition.)
constexpr bool same_text(const char* a, const char* b) {
  while (*a != 0 && *a == *b) ++a, ++b;
  return *a == *b;
}

constexpr size_t text_length(const char* text) {
  size_t length = 0;
  while (text[length] != 0) ++length;
  return length;
}

constexpr bool starts_with(const char* text, const char* start) {
  while (*start != 0)
    if (*text++ != *start++) return false;
  return true;
}

constexpr bool ends_with(const char* text, const char* end) {
  const size_t length = text_length(text);
  const size_t end_length = text_length(end);
  return length >= end_length && same_text(text + (length - end_length), end);
}

constexpr bool contains(const char* text, const char* part) {
  for (; *text != 0; ++text)
    if (starts_with(text, part)) return true;
  return *part == 0;
}

/// Part of a path after its last slash.
constexpr const char* file_name(const char* path) {
  const char* name = path;
  for (; *path != 0; ++path)
    if (*path == '/') name = path + 1;
  return name;
}

/// Appends to a buffer; what does not fit is dropped and remembered.
class TextWriter {
public:
  TextWriter(char* data, size_t size) : data_(data), size_(size) {}
  TextWriter& operator=(TextWriter&&) = delete; // neither copied nor moved

  TextWriter& add(char c) {
    if (length_ + 1 < size_)
      data_[length_++] = c;
    else
      cut_ = true;
    return *this;
  }

  TextWriter& add(const char* text) {
    while (*text != 0) add(*text++);
    return *this;
  }

  /// With `blank` in place of each of its blanks.
  TextWriter& add_word(const char* text, char blank) {
    for (; *text != 0; ++text) add(*text == ' ' ? blank : *text);
    return *this;
  }
  TextWriter& add(const char* text, size_t length) {
    for (size_t i = 0; i < length; ++i) add(text[i]);
    return *this;
  }

  TextWriter& add(uint64_t number) {
    char digits[20];
    int count = 0;
    do digits[count++] = static_cast<char>('0' + number % 10);
    while ((number /= 10) != 0);
    while (count > 0) add(digits[--count]);
    return *this;
  }

  /// Hexadecimal, at least `width` digits.
  TextWriter& add_hex(uint64_t number, int width = 1) {
    int digits = 16;
    while (digits > width && (number >> (4 * digits - 4) & 15) == 0) --digits;
    while (digits-- > 0) add("0123456789abcdef"[number >> (4 * digits) & 15]);
    return *this;
  }

  /// The inside of a JSON string, at most `limit` bytes of it: escaped, and valid UTF-8 whatever came in.
  TextWriter& add_json(const char* text, size_t limit = 512) {
    put_json(text, limit);
    return *this;
  }

  /// The same of a path, whose end says more than its beginning: a long one becomes "…/folder/name".
  TextWriter& add_json_path(const char* path, size_t limit) {
    const size_t before = length_;
    while (!put_json(path, limit - (length_ - before))) {
      const char* rest = path + 1;
      while (*rest != 0 && *rest != '/') ++rest;
      if (*rest == 0) break;
      path = rest;
      shorten(before);
      add("\xE2\x80\xA6");
    }
    return *this;
  }

  /// Text for a terminal: what one would obey (control characters, line ends too, and what turns the writing
  /// direction) and stray bytes appear as \x1b, \u202e, \xff.
  TextWriter& add_printable(const char* text, size_t length) {
    for (size_t i = 0; i < length;) {
      const auto* p = reinterpret_cast<const unsigned char*>(text + i);
      unsigned char rest[4] = {}; // the text may end within a character
      for (size_t k = 0; k < 4 && i + k < length; ++k) rest[k] = p[k];
      const int size = utf8_size(rest);
      if (size <= 1 && (size == 0 || rest[0] < 0x20 || rest[0] == 0x7f)) {
        add("\\x").add_hex(rest[0], 2);
        ++i;
        continue;
      }
      const unsigned code = size == 2   ? (rest[0] & 0x1FU) << 6 | (rest[1] & 0x3FU)
                            : size == 3 ? (rest[0] & 0xFU) << 12 | (rest[1] & 0x3FU) << 6 | (rest[2] & 0x3FU)
                                        : 0x41;
      const bool is_obeyed = code < 0xA0 ? code >= 0x80
                                         : code == 0x61C || code == 0x200E || code == 0x200F ||
                                               (code >= 0x2028 && code <= 0x202E) ||
                                               (code >= 0x2066 && code <= 0x2069);
      if (is_obeyed)
        add("\\u").add_hex(code, 4);
      else
        add(text + i, static_cast<size_t>(size));
      i += static_cast<size_t>(size);
    }
    return *this;
  }

  /// Puts bytes before all the others; false, and nothing done, where there is no room.
  bool add_in_front(const char* text, size_t length) {
    if (length_ + length + 1 > size_) return false;
    __builtin_memmove(data_ + length, data_, length_);
    __builtin_memcpy(data_, text, length);
    length_ += length;
    return true;
  }

  void clear() { length_ = 0, cut_ = false; }
  void shorten(size_t length) { length_ = length < length_ ? length : length_; }
  size_t length() const { return length_; }
  bool cut() const { return cut_; }

  const char* c_str() {
    data_[length_] = 0;
    return data_;
  }

private:
  /// False where it had to be cut.
  bool put_json(const char* text, size_t limit) {
    const size_t end = length_ + limit;
    for (const auto* p = reinterpret_cast<const unsigned char*>(text); *p != 0;) {
      if (length_ + 8 > end || length_ + 16 > size_) return add("\xE2\x80\xA6"), false; // "…"
      if (*p == '"' || *p == '\\') {
        add('\\').add(static_cast<char>(*p++));
      } else if (*p < 0x20 || *p == 0x7f) {
        add("\\u").add_hex(*p++, 4);
      } else if (const int size = utf8_size(p)) {
        for (int i = 0; i < size; ++i) add(static_cast<char>(*p++));
      } else {
        add("\xEF\xBF\xBD"); // U+FFFD for a byte that is no UTF-8
        ++p;
      }
    }
    return true;
  }

  /// Bytes in the valid UTF-8 sequence at p (Unicode 15, table 3-7), 0 if there is none.
  static int utf8_size(const unsigned char* p) {
    const int size = p[0] < 0x80   ? 1
                     : p[0] < 0xC2 ? 0
                     : p[0] < 0xE0 ? 2
                     : p[0] < 0xF0 ? 3
                     : p[0] < 0xF5 ? 4
                                   : 0;
    for (int i = 1; i < size; ++i)
      if ((p[i] & 0xC0) != 0x80) return 0;
    const bool is_longer_than_needed = (p[0] == 0xE0 && p[1] < 0xA0) || (p[0] == 0xF0 && p[1] < 0x90);
    const bool is_no_character = (p[0] == 0xED && p[1] > 0x9F) || (p[0] == 0xF4 && p[1] > 0x8F);
    return is_longer_than_needed || is_no_character ? 0 : size;
  }

  char* data_;
  size_t size_;
  size_t length_ = 0;
  bool cut_ = false;
};

/// A writer with `Size` bytes of its own.
template <size_t Size>
class Text : public TextWriter {
public:
  Text() : TextWriter(storage_, Size) {}

private:
  char storage_[Size];
};

} // namespace detshim
