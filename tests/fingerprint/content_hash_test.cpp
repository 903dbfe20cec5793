#include "core/fingerprint/content_hash.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <vector>

using detshim::content_hash;

namespace {

std::vector<unsigned char> bytes(size_t size) {
  std::vector<unsigned char> result(size);
  for (size_t i = 0; i < size; ++i)
    result[i] = static_cast<unsigned char>(i * 131 + (i >> 8));
  return result;
}

TEST(ContentHash, TellsEachBitOfEachLengthApart) {
  std::set<uint64_t> seen;
  size_t all = 0;
  for (size_t size = 0; size < 200; ++size) {
    std::vector<unsigned char> data = bytes(size);
    seen.insert(content_hash(data.data(), size)), ++all;
    for (size_t bit = 0; bit < 8 * size; ++bit) {
      data[bit / 8] = static_cast<unsigned char>(data[bit / 8] ^ 1u << bit % 8);
      seen.insert(content_hash(data.data(), size)), ++all;
      data[bit / 8] = static_cast<unsigned char>(data[bit / 8] ^ 1u << bit % 8);
    }
  }
  EXPECT_EQ(seen.size(), all);
}

TEST(ContentHash, TellsZerosApartByTheirNumber) {
  const std::vector<unsigned char> zeros(1 << 16);
  std::set<uint64_t> seen;
  for (size_t size = 0; size <= zeros.size(); ++size)
    seen.insert(content_hash(zeros.data(), size));
  EXPECT_EQ(seen.size(), zeros.size() + 1);
}

TEST(ContentHash, ReadsNothingElse) {
  for (size_t size = 0; size < 130; ++size) {
    std::vector<unsigned char> data = bytes(size + 16);
    const uint64_t hash = content_hash(data.data() + 7, size);
    for (size_t i = 0; i < data.size(); ++i)
      if (i < 7 || i >= 7 + size)
        data[i] = static_cast<unsigned char>(~data[i]);
    EXPECT_EQ(content_hash(data.data() + 7, size), hash) << size;
  }
}

TEST(ContentHash, GoesOnWithWhatCameBefore) {
  const std::vector<unsigned char> data = bytes(64);
  EXPECT_NE(content_hash(data.data(), 64, 1), content_hash(data.data(), 64, 2));
  EXPECT_NE(content_hash(data.data(), 8, content_hash(data.data() + 8, 8)),
            content_hash(data.data() + 8, 8, content_hash(data.data(), 8)));
}

/// Each bit of the input changes about half of the output's.
TEST(ContentHash, SpreadsEachBit) {
  for (const size_t size : {1, 8, 31, 48, 100}) {
    std::vector<unsigned char> data = bytes(size);
    const uint64_t hash = content_hash(data.data(), size);
    for (size_t bit = 0; bit < 8 * size; ++bit) {
      data[bit / 8] = static_cast<unsigned char>(data[bit / 8] ^ 1u << bit % 8);
      const int changed = __builtin_popcountll(hash ^ content_hash(data.data(), size));
      EXPECT_GT(changed, 8) << size << " bit " << bit;
      EXPECT_LT(changed, 56) << size << " bit " << bit;
      data[bit / 8] = static_cast<unsigned char>(data[bit / 8] ^ 1u << bit % 8);
    }
  }
}

} // namespace
