// Hashes of keys that nobody attacks.
#pragma once

#include <cstddef>
#include <cstdint>

namespace detshim {

/// Mixes a word into a state: the constants and the finalizer of SplitMix64 (S. Vigna,
/// https://prng.di.unimi.it/splitmix64.c).
constexpr uint64_t mix(uint64_t state, uint64_t word) {
  uint64_t x = (state ^ word * 0x9E3779B97F4A7C15) + 0xD1B54A32D192ED03;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
  x = (x ^ x >> 27) * 0x94D049BB133111EB;
  return x ^ x >> 31;
}

inline constexpr uint64_t fnv1a_start = 0xCBF29CE484222325;

/// FNV-1a, 64 bits (G. Fowler, L. C. Noll, K.-P. Vo): a change of one byte always changes it.
inline uint64_t fnv1a(const void* data, size_t length, uint64_t state = fnv1a_start) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  for (size_t i = 0; i < length; ++i)
    state = (state ^ bytes[i]) * 0x100000001B3;
  return state;
}

/// The same of a null-terminated text.
constexpr uint64_t fnv1a_text(const char* text, uint64_t state = fnv1a_start) {
  for (; *text != 0; ++text)
    state = (state ^ static_cast<unsigned char>(*text)) * 0x100000001B3;
  return state;
}

/// Spreads a key's bits upwards, so that its place in a table is in the highest (Fibonacci hashing:
/// D. E. Knuth, "The Art of Computer Programming", volume 3, 6.4).
constexpr uint64_t spread(uint64_t key) { return key * 0x9E3779B97F4A7C15; }

} // namespace detshim
