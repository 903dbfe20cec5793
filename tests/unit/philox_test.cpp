// Known answers for Philox4x32-10 from the authors' Random123 distribution (file kat_vectors).
#include "common/philox.h"

#include <gtest/gtest.h>
#include <set>

namespace detshim {
namespace {

void expect_block(PhiloxBlock counter, uint32_t key0, uint32_t key1, PhiloxBlock expected) {
  const PhiloxBlock block = philox(counter, key0, key1);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(block.word[i], expected.word[i]) << "word " << i;
}

TEST(Philox, KnownAnswers) {
  expect_block({{0, 0, 0, 0}}, 0, 0, {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}});
  expect_block({{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}}, 0xffffffff, 0xffffffff,
               {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}});
  expect_block({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0xa4093822, 0x299f31d0,
               {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}});
}

TEST(Philox, DerivedKeysDifferFromEachOtherAndFromTheParentsStream) {
  std::set<uint64_t> seen;
  for (uint64_t label = 0; label < 1000; ++label) {
    EXPECT_TRUE(seen.insert(derive(42, label)).second);
    const PhiloxBlock block = stream_block(42, label);
    EXPECT_TRUE(seen.insert(uint64_t{block.word[1]} << 32 | block.word[0]).second);
  }
}

TEST(Stream, OneCallsSizeDoesNotShiftTheNext) {
  Stream a(7), b(7);
  char small[3], large[16], after_small[16], after_large[16];
  a.fill(small, sizeof small);
  b.fill(large, sizeof large);
  a.fill(after_small, 16);
  b.fill(after_large, 16);
  EXPECT_EQ(std::string(after_small, 16), std::string(after_large, 16));
  EXPECT_EQ(std::string(small, 3), std::string(large, 3));
}

TEST(WordStream, GivesTheBlocksWords) {
  WordStream stream(9);
  for (uint64_t block = 0; block < 3; ++block)
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(stream.word(), stream_block(9, block).word[i]);
}

} // namespace
} // namespace detshim
