// A 128-bit digest of a sequence: two sequences with the same digest are taken for equal. Each step
// is a bijection of the state, so nothing that was added is lost again.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace detshim {

class Digest {
public:
  void add(std::uint64_t number) {
    low_ = next_low(number);
    high_ = next_high(number);
  }

  /// With its length: "ab", "c" is another sequence than "a", "bc". Each half of the state takes
  /// every other word, then the two are mixed.
  void add(std::string_view text) {
    add(text.size());
    for (; text.size() >= 16; text.remove_prefix(16)) {
      low_ = next_low(word(text.data(), 8));
      high_ = next_high(word(text.data() + 8, 8));
    }
    if (text.size() >= 8)
      add(word(text.data(), 8));
    if (const std::size_t rest = text.size() % 8; rest > 0)
      add(word(text.data() + text.size() - rest, rest));
    low_ ^= std::rotl(high_, 17);
    high_ += low_;
  }

  /// 64 bits of it, for tables.
  std::uint64_t key() const { return (low_ ^ std::rotl(high_, 23)) * 0x9FB21C651E98DF25; }

  bool operator==(const Digest&) const = default;

private:
  std::uint64_t next_low(std::uint64_t number) const {
    return std::rotl((low_ ^ number) * 0x9E3779B97F4A7C15, 29);
  }
  std::uint64_t next_high(std::uint64_t number) const {
    return std::rotl((high_ + number) * 0xD6E8FEB86659FD93, 37) ^ 0xA0761D6478BD642F;
  }

  static std::uint64_t word(const char* bytes, std::size_t size) {
    std::uint64_t number = 0;
    std::memcpy(&number, bytes, size);
    return number;
  }

  std::uint64_t low_ = 0x243F6A8885A308D3, high_ = 0x13198A2E03707344;
};

} // namespace detshim
