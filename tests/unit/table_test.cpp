#include "core/base/table.h"

#include <gtest/gtest.h>
#include <map>

namespace detshim {
namespace {

TEST(Table, HoldsWhatAMapHolds) {
  Table<16> table;
  std::map<uint64_t, uint64_t> expected;
  uint64_t key = 1;
  for (int i = 0; i < 100000; ++i) {
    key = key * 6364136223846793005u + 1442695040888963407u;
    const uint64_t short_key = key >> 44; // many repeats, 0 among them
    table.insert(short_key) = static_cast<uint64_t>(i);
    expected[short_key] = static_cast<uint64_t>(i);
  }
  for (const auto& [k, v] : expected) {
    const uint64_t* found = table.find(k);
    ASSERT_NE(found, nullptr) << k;
    EXPECT_EQ(*found, v);
  }
  EXPECT_EQ(table.find(uint64_t{1} << 50), nullptr);
}

TEST(Table, ANewKeyStartsAtZero) {
  Table<8> table;
  EXPECT_EQ(table.find(5), nullptr);
  EXPECT_EQ(table.insert(5)++, 0u);
  EXPECT_EQ(table.insert(5), 1u);
}

TEST(Table, ClearForgetsAndGivesPagesBack) {
  Table<8> table;
  for (uint64_t i = 0; i < 1000; ++i)
    table.insert(i) = i;
  EXPECT_TRUE(table.has_pages());
  table.clear();
  EXPECT_FALSE(table.has_pages());
  for (uint64_t i = 0; i < 1000; ++i)
    EXPECT_EQ(table.find(i), nullptr);
  table.insert(3) = 4;
  EXPECT_EQ(*table.find(3), 4u);
}

TEST(Table, KeyZeroIsAKeyLikeAnyOther) {
  Table<8> table;
  EXPECT_EQ(table.find(0), nullptr);
  table.insert(0) = 9;
  EXPECT_EQ(*table.find(0), 9u);
}

} // namespace
} // namespace detshim
