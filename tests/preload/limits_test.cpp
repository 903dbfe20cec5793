// A program under a limit of memory works as it does without the library, and is hooked: what the
// library has of its own counts against the limit.
#include "log_files.h"
#include "run.h"

#include <gtest/gtest.h>

namespace {

constexpr size_t megabyte = 1 << 20;

struct Limit {
  const char* name;
  size_t bytes;
};

class Limited : public testing::TestWithParam<Limit> {};

TEST_P(Limited, WorksAndIsHooked) {
  const std::vector<std::string> command = {LIMITED_PROGRAM, GetParam().name,
                                            std::to_string(GetParam().bytes)};
  const Result native = run(command);
  if (native.status == 6)
    GTEST_SKIP() << "the limit cannot be set here";
  ASSERT_EQ(native.out, "worked\n") << native.status;
  const TemporaryFolder scratch;
  EXPECT_EQ(run(command, under_shim(scratch, {{"DETSHIM_SEED", "42"}})), native);
  uint64_t drawn = 0;
  for (const ProcessLog& process : read_log(scratch.log()))
    for (const auto& call : process.calls("rand"))
      drawn += process.count(call);
  EXPECT_EQ(drawn, 1001u);
}

INSTANTIATE_TEST_SUITE_P(All, Limited,
                         testing::Values(Limit{"locked", 8 * megabyte},
                                         Limit{"space", 32 * megabyte},
                                         Limit{"data", 8 * megabyte}),
                         [](const auto& tested) {
                           return std::string{tested.param.name};
                         });

// With vm.overcommit_memory=2 that is what a machine refuses.
TEST(Committed, MemoryIsLittle) {
  const TemporaryFolder scratch;
  const auto kilobytes = [](const Result& result) {
    return std::stol(result.out);
  };
  const long native = kilobytes(run({LIMITED_PROGRAM, "committed"}));
  EXPECT_LT(kilobytes(run({LIMITED_PROGRAM, "committed"}, under_shim(scratch))), native + 1024);
}

} // namespace
