// DETSHIM_WORKERS=reversed: of threads or children that are started at once the last begins first.
#include "run.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace {

class Workers : public testing::TestWithParam<std::string> {
protected:
  /// True if in one of several runs the last that was started began before the first.
  static bool last_came_first(const Environment& environment) {
    constexpr int tries = 20; // a busy machine may delay a thread for longer than it was held back
    for (int i = 0; i < tries; ++i) {
      const Result result = run({WORKERS_PROGRAM, GetParam()}, environment);
      EXPECT_EQ(result.status, 0) << result.err;
      std::istringstream order(result.out);
      for (int number = 0; order >> number && number != 0;)
        if (number == 15)
          return true;
    }
    return false;
  }
};
INSTANTIATE_TEST_SUITE_P(All, Workers, testing::Values("threads", "forks"), [](const auto& tested) {
  return tested.param;
});

TEST_P(Workers, BeginInTheOrderThatIsAskedFor) {
  const TemporaryFolder scratch;
  EXPECT_TRUE(last_came_first(under_shim(scratch, {{"DETSHIM_WORKERS", "reversed"}})));
  EXPECT_EQ(
      run({WORKERS_PROGRAM, GetParam()}, under_shim(scratch, {{"DETSHIM_WORKERS", "backwards"}}))
          .status,
      2);
}

} // namespace
