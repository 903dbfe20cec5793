// Takes numbers and pieces off the front of bytes that anybody may have written.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace detshim {

class ByteReader {
public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  std::size_t left() const { return rest_.size(); }
  std::string_view rest() const { return rest_; }
  bool is_good() const {
    return is_good_;
  } ///< false once something was asked for that was not there

  std::string_view take(std::uint64_t size) {
    if (size > rest_.size()) {
      is_good_ = false;
      rest_ = {};
      return {};
    }
    const std::string_view piece = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return piece;
  }

  /// The least significant byte first.
  std::uint64_t number(std::size_t size) {
    std::uint64_t result = 0;
    const std::string_view piece = take(size);
    for (std::size_t i = piece.size(); i > 0; --i)
      result = result << 8 | static_cast<unsigned char>(piece[i - 1]);
    return result;
  }

  /// Seven bits a byte, as in protocol buffers.
  std::uint64_t varint() {
    std::uint64_t result = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint64_t byte = number(1);
      result |= (byte & 0x7F) << shift;
      if ((byte & 0x80) == 0)
        return result;
    }
    is_good_ = false;
    return 0;
  }

  /// The same, with a sign, as in DWARF.
  std::int64_t signed_varint() {
    const std::string_view before = rest_;
    const std::uint64_t value = varint();
    const std::size_t bits = 7 * (before.size() - rest_.size());
    const bool is_negative = bits > 0 && bits < 64 && (value >> (bits - 1) & 1) != 0;
    return static_cast<std::int64_t>(is_negative ? value | ~std::uint64_t{0} << bits : value);
  }

  /// What a zero closes.
  std::string_view text() {
    const std::string_view text = take(std::min(rest_.find('\0'), rest_.size()));
    take(1);
    return text;
  }

private:
  std::string_view rest_;
  bool is_good_ = true;
};

} // namespace detshim
