// A 128-bit digest of a sequence: two sequences with the same digest are taken for equal. Each step is a
// bijection of the state, so nothing that was added is lost again.
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
    low_ = std::rotl((low_ ^ number) * 0x9E3779B97F4A7C15, 29);
    high_ = std::rotl((high_ + number) * 0xD6E8FEB86659FD93, 37) ^ 0xA0761D6478BD642F;
  }

  /// With its length: "ab", "c" is another sequence than "a", "bc".
  void add(std::string_view text) {
    add(text.size());
    for (; text.size() >= 8; text.remove_prefix(8)) add(word(text.data(), 8));
    if (!text.empty()) add(word(text.data(), text.size()));
  }

  /// 64 bits of it, for tables.
  std::uint64_t key() const { return (low_ ^ std::rotl(high_, 23)) * 0x9FB21C651E98DF25; }

  bool operator==(const Digest&) const = default;

private:
  static std::uint64_t word(const char* bytes, std::size_t size) {
    std::uint64_t number = 0;
    std::memcpy(&number, bytes, size);
    return number;
  }

  std::uint64_t low_ = 0x243F6A8885A308D3, high_ = 0x13198A2E03707344;
};

} // namespace detshim
