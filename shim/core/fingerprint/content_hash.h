// A hash of contents, quick enough to be taken of everything that leaves a program.
//
// The construction is that of wyhash (Wang Yi, "Modern Non-Cryptographic Hash Function and
// Pseudorandom Number Generator", https://github.com/wangyi-fudan/wyhash): words are xored to
// constants, multiplied to 128 bits in pairs, and the halves of the product are folded together;
// three such lanes run at the same time. The constants are others (fractions of the square roots
// of primes, as SHA-512's), so the values are nobody else's. Not for keys, and no proof against
// whoever wants two contents to be equal.
#pragma once

#include <cstddef>
#include <cstdint>

namespace detshim {
namespace detail {

inline constexpr uint64_t hash_constants[] = {0x6A09E667F3BCC909, 0xBB67AE8584CAA73B,
                                              0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1};

constexpr uint64_t fold(uint64_t a, uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

inline uint64_t word_at(const unsigned char* bytes) {
  uint64_t word;
  __builtin_memcpy(&word, bytes, sizeof word);
  return word;
}

/// The last bytes, fewer than 8, as a word.
inline uint64_t rest_at(const unsigned char* bytes, size_t size) {
  uint64_t word = 0;
  for (size_t i = 0; i < size; ++i)
    word |= uint64_t{bytes[i]} << (8 * i);
  return word;
}

} // namespace detail

/// Of `size` bytes, behind what `state` represents. Contents in two pieces have another hash than
/// in one.
inline uint64_t content_hash(const void* data, size_t size, uint64_t state = 0) {
  using namespace detail;
  const auto* bytes = static_cast<const unsigned char*>(data);
  const size_t all = size;
  uint64_t lane = state ^ hash_constants[0];
  if (size >= 48) {
    uint64_t second = lane, third = lane;
    for (; size >= 48; size -= 48, bytes += 48) {
      lane = fold(word_at(bytes) ^ hash_constants[1], word_at(bytes + 8) ^ lane);
      second = fold(word_at(bytes + 16) ^ hash_constants[2], word_at(bytes + 24) ^ second);
      third = fold(word_at(bytes + 32) ^ hash_constants[3], word_at(bytes + 40) ^ third);
    }
    lane ^= second ^ fold(third, hash_constants[1]);
  }
  for (; size >= 16; size -= 16, bytes += 16)
    lane = fold(word_at(bytes) ^ hash_constants[1], word_at(bytes + 8) ^ lane);
  const uint64_t a = size >= 8 ? word_at(bytes) : rest_at(bytes, size);
  const uint64_t b = size >= 8 ? rest_at(bytes + 8, size - 8) : 0;
  return fold(hash_constants[2] ^ all, fold(a ^ hash_constants[3], b ^ lane));
}

} // namespace detshim
