#include "core/fingerprint/area_hash.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <set>
#include <vector>

using detshim::HashedArea;
using detshim::Triangle;

namespace {

uint64_t hash(const HashedArea& area, uint64_t threads = 1, bool is_backwards = false) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < threads; ++i)
    sum += detshim::share_of_hash(area, is_backwards ? threads - 1 - i : i, threads);
  return detshim::hash_with_part(0, 0, sum);
}

HashedArea rows(const unsigned char* start, uint64_t width, uint64_t count, uint64_t pitch) {
  return {
      reinterpret_cast<uintptr_t>(start), width, {count, 1, 1, 1}, {pitch}, 0, Triangle::whole, 0};
}

std::vector<unsigned char> bytes(size_t size) {
  std::vector<unsigned char> result(size);
  for (size_t i = 0; i < size; ++i)
    result[i] = static_cast<unsigned char>(i * 131 + (i >> 8));
  return result;
}

TEST(AreaHash, DoesNotDependOnWhoTakesWhichPart) {
  const std::vector<unsigned char> data = bytes(8192);
  for (const uint64_t width : {1, 7, 8, 9, 24, 100})
    for (const uint64_t count : {1, 2, 13}) {
      const HashedArea area = rows(data.data(), width, count, 128);
      const uint64_t one = hash(area);
      for (const uint64_t threads : {2, 3, 8, 64, 1000, 5000}) {
        EXPECT_EQ(hash(area, threads), one) << width << " " << count << " " << threads;
        EXPECT_EQ(hash(area, threads, true), one);
      }
    }
}

TEST(AreaHash, DoesNotDependOnWhereItLiesNorOnGaps) {
  const std::vector<unsigned char> data = bytes(600);
  const uint64_t expected = hash(rows(data.data(), 20, 30, 20));
  for (size_t shift = 0; shift < 9; ++shift)
    for (const size_t pitch : {20, 21, 22, 24, 40, 63}) {
      std::vector<unsigned char> padded(shift + 30 * pitch,
                                        static_cast<unsigned char>(pitch * 7 + shift));
      for (size_t i = 0; i < data.size(); ++i)
        padded[shift + i / 20 * pitch + i % 20] = data[i];
      EXPECT_EQ(hash(rows(padded.data() + shift, 20, 30, pitch)), expected)
          << shift << " " << pitch;
    }
}

TEST(AreaHash, TellsEachBitAndEachPlaceApart) {
  std::vector<unsigned char> data = bytes(60);
  const HashedArea area = rows(data.data(), 13, 4, 15);
  std::set<uint64_t> seen{hash(area)};
  size_t all = 1;
  for (size_t row = 0; row < 4; ++row)
    for (size_t bit = 0; bit < 13 * 8; ++bit) {
      unsigned char& byte = data[row * 15 + bit / 8];
      byte = static_cast<unsigned char>(byte ^ 1u << bit % 8);
      seen.insert(hash(area)), ++all;
      byte = static_cast<unsigned char>(byte ^ 1u << bit % 8);
    }
  std::swap_ranges(data.begin(), data.begin() + 8,
                   data.begin() + 15); // words in each other's place
  seen.insert(hash(area)), ++all;
  EXPECT_EQ(seen.size(), all);
}

TEST(AreaHash, OfATriangleLeavesTheOtherOut) {
  constexpr size_t order = 9, leading = 11;
  for (const size_t element : {2, 4, 8, 16})
    for (const Triangle triangle : {Triangle::upper, Triangle::lower}) {
      std::vector<unsigned char> data = bytes(order * leading * element);
      HashedArea area = rows(data.data(), order * element, order, leading * element);
      area.element = element;
      area.triangle = triangle;
      const uint64_t expected = hash(area, 64);
      for (size_t column = 0; column < order; ++column)
        for (size_t row = 0; row < leading; ++row) {
          const bool is_inside =
              row < order && (triangle == Triangle::upper ? row <= column : row >= column);
          unsigned char& byte = data[(column * leading + row) * element];
          byte ^= 1;
          EXPECT_EQ(hash(area, 64) != expected, is_inside)
              << element << " " << row << " " << column;
          byte ^= 1;
        }
    }
}

TEST(AreaHash, FollowsLevelsAndPointers) {
  const std::vector<unsigned char> data = bytes(4096);
  HashedArea area = rows(data.data(), 8, 3, 16);
  area.counts[1] = 4, area.pitches[1] = 64;
  area.counts[2] = 2, area.pitches[2] = 512;
  area.counts[3] = 2, area.pitches[3] = 2048;
  uint64_t sum = 0, index = 0;
  for (size_t d = 0; d < 2; ++d)
    for (size_t c = 0; c < 2; ++c)
      for (size_t b = 0; b < 4; ++b)
        for (size_t a = 0; a < 3; ++a) {
          uint64_t word;
          std::memcpy(&word, &data[d * 2048 + c * 512 + b * 64 + a * 16], sizeof word);
          sum += detshim::mix(index++, word);
        }
  EXPECT_EQ(hash(area, 100), detshim::hash_with_part(0, 0, sum));
  const uint64_t pointers[] = {reinterpret_cast<uintptr_t>(data.data()),
                               reinterpret_cast<uintptr_t>(data.data() + 2048)};
  HashedArea by_pointers = area;
  by_pointers.start = reinterpret_cast<uintptr_t>(pointers);
  by_pointers.goes_by_pointers = 1;
  EXPECT_EQ(hash(by_pointers, 100), hash(area, 100));
}

} // namespace
