// A hash that tells texts apart. Not for security.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace detshim {

inline constexpr std::uint64_t first_hash = 0xCBF29CE484222325;

/// FNV-1a, 64 bits (G. Fowler, L. C. Noll, K.-P. Vo), of what `hash` stands for and `bytes` behind it.
constexpr std::uint64_t hash_of(std::string_view bytes, std::uint64_t hash = first_hash) {
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  return hash;
}

/// 16 digits in hexadecimal.
inline std::string hash_digits(std::uint64_t hash) {
  std::string digits(16, '0');
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, hash >>= 4)
    *digit = "0123456789abcdef"[hash & 15];
  return digits;
}

} // namespace detshim
