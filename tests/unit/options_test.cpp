#include "core/policy/options.h"

#include <gtest/gtest.h>

namespace detshim {
namespace {

TEST(ParseSeed, AcceptsDecimalAndHexadecimal) {
  uint64_t seed = 1;
  EXPECT_TRUE(parse_seed("0", seed));
  EXPECT_EQ(seed, 0u);
  EXPECT_TRUE(parse_seed("42", seed));
  EXPECT_EQ(seed, 42u);
  EXPECT_TRUE(parse_seed("007", seed));
  EXPECT_EQ(seed, 7u);
  EXPECT_TRUE(parse_seed("0xFf", seed));
  EXPECT_EQ(seed, 255u);
  EXPECT_TRUE(parse_seed("18446744073709551615", seed));
  EXPECT_EQ(seed, ~uint64_t{0});
  EXPECT_TRUE(parse_seed("0xffffffffffffffff", seed));
  EXPECT_EQ(seed, ~uint64_t{0});
}

TEST(ParseSeed, RefusesEverythingElseAndLeavesTheSeed) {
  uint64_t seed = 5;
  for (const char* text :
       {"", "-1", "+1", " 1", "1 ", "1_000", "0x", "x", "1e3", "0x1g", "18446744073709551616",
        "0x10000000000000000", "99999999999999999999999", "1.5", "0b1"})
    EXPECT_FALSE(parse_seed(text, seed)) << text;
  EXPECT_EQ(seed, 5u);
}

} // namespace
} // namespace detshim
