// A hash that tells texts apart. Not for security.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace detshim {

inline constexpr std::uint64_t first_hash = 0xCBF29CE484222325;

/// FNV-1a, 64 bits (G. Fowler, L. C. Noll, K.-P. Vo), of what `hash` represents and `bytes` behind
/// it.
constexpr std::uint64_t hash_of(std::string_view bytes, std::uint64_t hash = first_hash) {
  for (const char c : bytes)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  return hash;
}

/// At least so many digits.
inline std::string hexadecimal(std::uint64_t number, std::size_t digits = 1) {
  std::string text;
  for (; number != 0 || text.size() < digits; number >>= 4)
    text.insert(text.begin(), "0123456789abcdef"[number & 15]);
  return text;
}

inline std::string hash_digits(std::uint64_t hash) { return hexadecimal(hash, 16); }

} // namespace detshim
