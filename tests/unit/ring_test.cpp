#include "core/base/ring.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <iterator>
#include <set>
#include <thread>

namespace detshim {
namespace {

TEST(Ring, HoldsTheLatest) {
  Ring<int, 4> ring;
  EXPECT_FALSE(ring.any([](int) {
    return true;
  })) << "nothing was added";
  for (int i = 1; i <= 6; ++i)
    ring.add(i);
  std::set<int> seen;
  EXPECT_FALSE(ring.any([&seen](int value) {
    return seen.insert(value), false;
  }));
  EXPECT_EQ(seen, (std::set<int>{3, 4, 5, 6}));
}

TEST(Ring, HoldsTheFirst) {
  Ring<int, 4> ring;
  ring.add(7);
  EXPECT_TRUE(ring.any([](int value) {
    return value == 7;
  }));
}

TEST(Ring, IsLookedThroughUntilTheVisitorSaysSo) {
  Ring<int, 4> ring;
  for (int i = 0; i < 4; ++i)
    ring.add(i);
  int visits = 0;
  EXPECT_TRUE(ring.any([&visits](int) {
    return ++visits == 2;
  }));
  EXPECT_EQ(visits, 2);
}

TEST(Ring, GivesNoMixtureOfTwoValues) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP()
      << "ThreadSanitizer knows no fences, by which a reader tells what was written meanwhile";
#endif
  struct Wide {
    uint64_t words[16];
  };
  Ring<Wide, 2> ring;
  constexpr uint64_t enough = 5000000;
  std::atomic<uint64_t> added = 0;
  std::thread writer([&] {
    for (uint64_t i = 1; i <= enough; ++i, ++added) {
      Wide wide;
      std::ranges::fill(wide.words, i);
      ring.add(wide);
    }
  });
  const auto is_mixed = [](const Wide& wide) {
    return std::ranges::adjacent_find(wide.words, std::not_equal_to<>()) != std::end(wide.words);
  };
  bool was_mixed = false;
  while (added < enough)
    was_mixed |= ring.any(is_mixed);
  writer.join();
  EXPECT_FALSE(was_mixed);
}

} // namespace
} // namespace detshim
