// A hash of an area of memory that many threads take together, in any order: the sum of what each
// word of 8 bytes gives with its position. One source for the GPU (hash_kernel.cu) and for the
// host.
//
// What the hash is does not depend on where the area lies, nor on the gaps between its rows.
#pragma once

#include "core/base/hash.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __CUDA__
#define DETSHIM_ON_DEVICE __attribute__((device))
#else
#define DETSHIM_ON_DEVICE
#endif

namespace detshim {

/// Which part of a matrix counts. Its rows here are the matrix's columns, as cuBLAS has them.
enum class Triangle : uint32_t { whole, upper, lower };

/// Rows of `width` bytes; levels of them, the innermost first: so many, and the bytes from one to
/// the next.
struct HashedArea {
  static constexpr int levels = 4;

  uint64_t
      start; ///< the first row; where the outermost level is made of pointers, the first of these
  uint64_t width;
  uint64_t counts[levels];
  uint64_t pitches[levels];
  uint64_t element; ///< bytes of an element, of a triangle
  Triangle triangle;
  uint32_t goes_by_pointers;
};

/// What a launch of the kernel is to do: to hash the area, and to put the hash behind those of the
/// parts before it in the same slot.
struct HashJob {
  HashedArea area;
  uint64_t result; ///< address of a HashResult
  uint32_t slot, part;
};

/// Where the host finds it: `hash` is that of so many parts.
struct HashResult {
  uint64_t hash;
  uint64_t parts;
};

/// Slots of the kernel's own memory.
inline constexpr uint32_t hash_slots = 32768;
inline constexpr uint32_t hash_threads = 256; ///< of a block

DETSHIM_ON_DEVICE inline uint64_t rows_of(const HashedArea& area) {
  uint64_t rows = 1;
  for (int level = 0; level < HashedArea::levels; ++level)
    rows *= area.counts[level];
  return rows;
}

DETSHIM_ON_DEVICE inline uint64_t words_of_row(const HashedArea& area) {
  return (area.width + 7) / 8;
}

namespace detail {

/// Division of what is mostly small: on a GPU that of 64 bits takes several times as long.
DETSHIM_ON_DEVICE inline uint64_t divided(uint64_t a, uint64_t b) {
  return (a | b) >> 32 == 0 ? static_cast<uint32_t>(a) / static_cast<uint32_t>(b) : a / b;
}

DETSHIM_ON_DEVICE inline uint64_t address_of_row(const HashedArea& area, uint64_t row) {
  uint64_t address = area.start;
  for (int level = 0; level < HashedArea::levels; ++level) {
    const bool is_last = level == HashedArea::levels - 1;
    const uint64_t above =
        is_last || row < area.counts[level] ? 0 : divided(row, area.counts[level]);
    const uint64_t at = row - above * area.counts[level];
    if (is_last && area.goes_by_pointers != 0)
      address += reinterpret_cast<const uint64_t*>(area.start)[at] - area.start;
    else
      address += at * area.pitches[level];
    row = above;
  }
  return address;
}

/// The bytes from `begin` to `end`, at most 8, as a word of which the first is the lowest.
DETSHIM_ON_DEVICE inline uint64_t word_of_bytes(uint64_t address, uint64_t begin, uint64_t end) {
  uint64_t word = 0;
  for (uint64_t i = begin; i < end; ++i)
    word |= static_cast<uint64_t>(*reinterpret_cast<const unsigned char*>(address + i)) << (8 * i);
  return word;
}

/// 8 bytes, read as wide as their address allows.
DETSHIM_ON_DEVICE inline uint64_t whole_word(uint64_t address) {
  if (address % 8 == 0)
    return *reinterpret_cast<const uint64_t*>(address);
  if (address % 4 == 0) {
    const auto* const words = reinterpret_cast<const uint32_t*>(address);
    return words[0] | static_cast<uint64_t>(words[1]) << 32;
  }
  if (address % 2 != 0)
    return word_of_bytes(address, 0, 8);
  const auto* const words = reinterpret_cast<const uint16_t*>(address);
  return words[0] | static_cast<uint64_t>(words[1]) << 16 | static_cast<uint64_t>(words[2]) << 32 |
         static_cast<uint64_t>(words[3]) << 48;
}

} // namespace detail

/// The part of every `step`th word from `first` on in the sum; the shares add up to it in any
/// order.
DETSHIM_ON_DEVICE inline uint64_t share_of_hash(const HashedArea& area, uint64_t first,
                                                uint64_t step) {
  const uint64_t words = words_of_row(area), rows = rows_of(area);
  if (words == 0 || rows == 0)
    return 0;
  const uint64_t rows_on = step / words, words_on = step - rows_on * words;
  uint64_t row = first / words, word = first - row * words, sum = 0;
  for (uint64_t index = first; row < rows; index += step) {
    uint64_t begin = word * 8, end = begin + 8 < area.width ? begin + 8 : area.width;
    const uint64_t offset = begin;
    if (area.triangle != Triangle::whole) {
      const uint64_t above = row < area.counts[0] ? 0 : detail::divided(row, area.counts[0]);
      const uint64_t diagonal = (row - above * area.counts[0]) * area.element;
      if (area.triangle == Triangle::upper && end > diagonal + area.element)
        end = diagonal + area.element;
      if (area.triangle == Triangle::lower && begin < diagonal)
        begin = diagonal;
    }
    if (begin < end) {
      const uint64_t address = detail::address_of_row(area, row) + offset;
      const uint64_t value = end - begin == 8
                                 ? detail::whole_word(address)
                                 : detail::word_of_bytes(address, begin - offset, end - offset);
      sum += mix(index, value);
    }
    row += rows_on;
    word += words_on;
    if (word >= words)
      word -= words, ++row;
  }
  return sum;
}

/// The hash of the parts so far and of a further one.
DETSHIM_ON_DEVICE inline uint64_t hash_with_part(uint64_t parts, uint32_t number, uint64_t sum) {
  return mix(number == 0 ? 0 : parts, sum);
}

} // namespace detshim
