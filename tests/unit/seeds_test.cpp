#include "core/seeds.h"

#include "core/options.h"

#include <gtest/gtest.h>
#include <set>
#include <thread>
#include <time.h>

namespace detshim {
namespace {

// The tests run with DETSHIM_SEED=42, which main's environment gets here before anything reads it.
const bool seeded = [] { return setenv("DETSHIM_SEED", "42", 1) == 0; }();

constexpr Kind kind(int test) { return static_cast<Kind>(1000 + test); } // one row a test

TEST(Seeds, TheFirstIsTheSeedItself) { EXPECT_EQ(choose_seed(kind(1), 999).given, 42u); }

TEST(Seeds, DistinctValuesAreDistinctAndTheSameValueIsTheSame) {
  std::set<uint64_t> given;
  for (uint64_t asked = 0; asked < 2000; ++asked)
    EXPECT_TRUE(given.insert(choose_seed(kind(2), asked).given).second);
  for (uint64_t asked = 0; asked < 2000; ++asked)
    EXPECT_EQ(given.count(choose_seed(kind(2), asked).given), 1u);
  EXPECT_EQ(choose_seed(kind(2), 0).given, 42u);
}

TEST(Seeds, AClockIsNewEveryTime) {
  const auto now = static_cast<uint64_t>(time(nullptr));
  const uint64_t first = choose_seed(kind(3), now).given;
  EXPECT_NE(choose_seed(kind(3), now).given, first);
  EXPECT_TRUE(looks_like_chance(now + 7));
  EXPECT_FALSE(looks_like_chance(12345678901234u));
}

TEST(Seeds, AnUnseededGeneratorIsTheOneSeededWithTheStandardsValue) {
  const uint64_t unseeded = choose_unseeded(kind(4), 1).given;
  EXPECT_EQ(choose_seed(kind(4), 1).given, unseeded);
  EXPECT_NE(choose_seed(kind(4), 2).given, unseeded);
}

TEST(Seeds, ThreadsHaveRowsOfTheirOwn) {
  const uint64_t here = choose_seed(kind(5), 77).given;
  uint64_t there = 0;
  const ThreadName name = name_new_thread();
  std::thread([&] {
    enter_thread(name);
    there = choose_seed(kind(5), 77).given;
    leave_thread();
  }).join();
  EXPECT_NE(here, there);
}

TEST(Seeds, SmallSeedsFoldToThemselves) {
  EXPECT_EQ(fold32(42), 42u);
  EXPECT_EQ(fold32(0xffffffff), 0xffffffffu);
  EXPECT_NE(fold32(uint64_t{1} << 32), fold32(uint64_t{1} << 33));
}

} // namespace
} // namespace detshim
