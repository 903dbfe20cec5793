// The example is an ordinary program: another loss each time, and the same one under the library.
#include "run.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace {

std::string loss(const std::string& seed) {
  const TemporaryFolder scratch;
  const Result result = run({EXAMPLE_PROGRAM}, under_shim(scratch, {{"DETSHIM_SEED", seed}}));
  EXPECT_EQ(result.status, 0) << result.err;
  return result.out;
}

TEST(Example, RepeatsUnderTheLibraryAndNotWithoutIt) {
  EXPECT_NE(run({EXAMPLE_PROGRAM}).out, run({EXAMPLE_PROGRAM}).out);
  const std::string first = loss("42");
  EXPECT_EQ(loss("42"), first);
  EXPECT_NE(loss("43"), first);
}

// It reads a clock, and seeds cuRAND by std::random_device: its seed is entropy of the library's,
// no clock's.
TEST(Example, IsCovered) {
  const TemporaryFolder scratch;
  run({EXAMPLE_PROGRAM}, under_shim(scratch, {{"DETSHIM_SEED", "42"}}));
  const auto document =
      nlohmann::json::parse(run({DETSHIM_COMMAND, "log", "--json", scratch.log()}).out);
  EXPECT_EQ(document["verdict"], "covered") << document["reasons"];
}

} // namespace
