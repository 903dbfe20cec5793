// Looking functions up means the same under the library as without it, and finds the hooks all the
// same.
#include "log_files.h"
#include "run.h"

#include <gtest/gtest.h>

namespace {

const Environment seed{{"DETSHIM_SEED", "42"}};

Result native(const std::string& command) { return run({LOOKUPS_PROGRAM, command}); }

Result shimmed(const std::string& command, const Environment& more = seed) {
  const TemporaryFolder scratch;
  return run({LOOKUPS_PROGRAM, command}, under_shim(scratch, more));
}

/// Whether a call of `function` was recorded with this action.
bool did(const std::string& command, const std::string& action, const std::string& function,
         const Environment& more = seed) {
  const TemporaryFolder scratch;
  run({LOOKUPS_PROGRAM, command}, under_shim(scratch, more));
  if (!std::filesystem::exists(scratch.log()))
    return false;
  for (const ProcessLog& process : read_log(scratch.log()))
    for (const auto& call : process.calls(function))
      if (call["do"] == action)
        return true;
  return false;
}

class Lookup : public testing::TestWithParam<const char*> {};

TEST_P(Lookup, MeansTheSameAsWithoutTheLibrary) {
  const Result expected = native(GetParam());
  EXPECT_EQ(expected.status, 0) << expected.err;
  EXPECT_EQ(shimmed(GetParam()), expected);
  EXPECT_EQ(shimmed(GetParam(), {{"DETSHIM_MODE", "off"}}), expected);
}

INSTANTIATE_TEST_SUITE_P(All, Lookup,
                         testing::Values("next", "default", "same", "foreign", "errors", "absent",
                                         "weak", "namespace"),
                         [](const auto& tested) {
                           return std::string{tested.param};
                         });

TEST(DeepBind, IsTakenAwayAndRecorded) {
  EXPECT_NE(native("deepbind").out, native("deepbind").out);
  EXPECT_EQ(shimmed("deepbind").out, shimmed("deepbind").out);
  EXPECT_TRUE(did("deepbind", "replace", "dlopen"));
  const Environment kept{{"DETSHIM_SEED", "42"}, {"DETSHIM_DISABLE", "dlopen"}};
  EXPECT_NE(shimmed("deepbind", kept).out, shimmed("deepbind", kept).out);
}

TEST(DeepBind, IsLeftAloneAndSaidWhereNothingIsPinned) {
  const Environment observe{{"DETSHIM_MODE", "observe"}};
  EXPECT_NE(shimmed("deepbind", observe).out, shimmed("deepbind", observe).out);
  EXPECT_TRUE(did("deepbind", "uncovered", "dlopen", observe));
}

TEST(Namespace, OfItsOwnIsRecordedAsUncovered) {
  EXPECT_TRUE(did("namespace", "uncovered", "dlmopen"));
}

// Before glibc 2.34 the next function after ours may be libpthread's: it is libc's as well.
TEST(PartsOfLibc, AreHookedAsLibc) {
  const auto draw = [](const Environment& more) {
    const TemporaryFolder scratch;
    return run({DRAWS_BY_PART}, under_shim(scratch, more));
  };
  EXPECT_NE(run({DRAWS_BY_PART}).out, run({DRAWS_BY_PART}).out);
  EXPECT_EQ(draw(seed), draw(seed));
  EXPECT_EQ(draw(seed).status, 0);
  EXPECT_NE(draw(seed).out, draw({{"DETSHIM_SEED", "43"}}).out);
}

} // namespace
