// Text in a fixed buffer: what snprintf would be used for, without its locale, its allocation and
// its locks.
#pragma once

#include <cstddef>
#include <cstdint>

namespace detshim {

/// Compares two zero-terminated strings. (A call to strcmp could meet a host's own definition.)
constexpr bool same_text(const char* a, const char* b) {
  while (*a != 0 && *a == *b)
    ++a, ++b;
  return *a == *b;
}

constexpr size_t text_length(const char* text) {
  size_t length = 0;
  while (text[length] != 0)
    ++length;
  return length;
}

constexpr bool starts_with(const char* text, const char* start) {
  while (*start != 0)
    if (*text++ != *start++)
      return false;
  return true;
}

constexpr bool ends_with(const char* text, const char* end) {
  const size_t length = text_length(text);
  const size_t end_length = text_length(end);
  return length >= end_length && same_text(text + (length - end_length), end);
}

constexpr bool contains(const char* text, const char* part) {
  for (; *text != 0; ++text)
    if (starts_with(text, part))
      return true;
  return *part == 0;
}

/// Part of a path after its last slash.
constexpr const char* file_name(const char* path) {
  const char* name = path;
  for (; *path != 0; ++path)
    if (*path == '/')
      name = path + 1;
  return name;
}

namespace detail {

/// Valid UTF-8 sequences (Unicode 15, table 3-7), by their first byte: how many bytes they have,
/// and which the second may be. All further ones lie between 80 and BF.
struct Utf8Row {
  unsigned char first_low, first_high;
  unsigned char second_low, second_high;
  int size;
};
inline constexpr Utf8Row utf8_rows[] = {
    {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3},
    {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4},
    {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
};

/// Bytes in the valid UTF-8 sequence at p, 0 if it is not valid.
inline int utf8_size(const unsigned char* p) {
  if (p[0] < 0x80)
    return 1;
  for (const Utf8Row& row : utf8_rows) {
    if (p[0] < row.first_low || p[0] > row.first_high)
      continue;
    if (p[1] < row.second_low || p[1] > row.second_high)
      return 0;
    for (int i = 2; i < row.size; ++i)
      if ((p[i] & 0xC0) != 0x80)
        return 0;
    return row.size;
  }
  return 0;
}

/// What the sequence of that size encodes; the byte itself for one that is no UTF-8.
inline unsigned code_point(const unsigned char* p, int size) {
  if (size <= 1)
    return p[0];
  unsigned code = p[0] & (0xFFU >> (size + 1));
  for (int i = 1; i < size; ++i)
    code = code << 6 | (p[i] & 0x3FU);
  return code;
}

/// True for what a terminal would obey: control characters, and what turns the writing direction.
inline bool is_obeyed(unsigned code) {
  constexpr struct {
    unsigned first, last;
  } ranges[] = {{0x00, 0x1F},     {0x7F, 0x9F},     {0x61C, 0x61C},
                {0x200E, 0x200F}, {0x2028, 0x202E}, {0x2066, 0x2069}};
  for (const auto& range : ranges)
    if (code >= range.first && code <= range.last)
      return true;
  return false;
}

} // namespace detail

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
    while (*text != 0)
      add(*text++);
    return *this;
  }

  /// With `blank` in place of each of its blanks.
  TextWriter& add_word(const char* text, char blank) {
    for (; *text != 0; ++text)
      add(*text == ' ' ? blank : *text);
    return *this;
  }
  TextWriter& add(const char* text, size_t length) {
    for (size_t i = 0; i < length; ++i)
      add(text[i]);
    return *this;
  }

  TextWriter& add(uint64_t number) {
    char digits[20];
    int count = 0;
    do
      digits[count++] = static_cast<char>('0' + number % 10);
    while ((number /= 10) != 0);
    while (count > 0)
      add(digits[--count]);
    return *this;
  }

  /// Hexadecimal, at least `width` digits.
  TextWriter& add_hex(uint64_t number, int width = 1) {
    int digits = 16;
    while (digits > width && (number >> (4 * digits - 4) & 15) == 0)
      --digits;
    while (digits-- > 0)
      add("0123456789abcdef"[number >> (4 * digits) & 15]);
    return *this;
  }

  /// The inside of a JSON string, at most `limit` bytes of it: escaped, and valid UTF-8 whatever
  /// came in.
  TextWriter& add_json(const char* text, size_t limit = 512) {
    put_json(text, limit);
    return *this;
  }

  /// The same of a path, whose end says more than its beginning: a long one becomes
  /// "…/folder/name".
  TextWriter& add_json_path(const char* path, size_t limit) {
    const size_t before = length_;
    while (!put_json(path, limit - (length_ - before))) {
      const char* rest = path + 1;
      while (*rest != 0 && *rest != '/')
        ++rest;
      if (*rest == 0)
        break;
      path = rest;
      shorten(before);
      add("\xE2\x80\xA6");
    }
    return *this;
  }

  /// Text for a terminal: what one would obey (control characters, line ends too, and what turns
  /// the writing direction) and stray bytes appear as \x1b, \u202e, \xff.
  TextWriter& add_printable(const char* text, size_t length) {
    for (size_t i = 0; i < length;) {
      const auto* p = reinterpret_cast<const unsigned char*>(text + i);
      unsigned char rest[4] = {}; // the text may end within a character
      for (size_t k = 0; k < 4 && i + k < length; ++k)
        rest[k] = p[k];
      const int size = detail::utf8_size(rest);
      const unsigned code = detail::code_point(rest, size);
      if (size != 0 && !detail::is_obeyed(code))
        add(text + i, static_cast<size_t>(size));
      else if (size <= 1)
        add("\\x").add_hex(code, 2);
      else
        add("\\u").add_hex(code, 4);
      i += static_cast<size_t>(size == 0 ? 1 : size);
    }
    return *this;
  }

  /// Puts bytes before all the others; false, and nothing done, where there is no room.
  bool add_in_front(const char* text, size_t length) {
    if (length_ + length + 1 > size_)
      return false;
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
      if (length_ + 8 > end || length_ + 16 > size_)
        return add("\xE2\x80\xA6"), false; // "…"
      if (*p == '"' || *p == '\\') {
        add('\\').add(static_cast<char>(*p++));
      } else if (*p < 0x20 || *p == 0x7f) {
        add("\\u").add_hex(*p++, 4);
      } else if (const int size = detail::utf8_size(p)) {
        for (int i = 0; i < size; ++i)
          add(static_cast<char>(*p++));
      } else {
        add("\xEF\xBF\xBD"); // U+FFFD for a byte that is no UTF-8
        ++p;
      }
    }
    return true;
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
