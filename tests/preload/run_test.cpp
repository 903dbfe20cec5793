// `detshim run` sets what must be set before a program starts.
#include "log_files.h"
#include "run.h"

#include <gtest/gtest.h>

#include <fstream>

namespace {

using Arguments = std::vector<std::string>;

const Arguments pointers = {POINTERS_PROGRAM};
const Arguments objects = {
    "/usr/bin/python3", "-c",
    "s = {type('T%d' % i, (), {})() for i in range(40)}; print([type(x).__name__ for x in s])"};

std::string under_run(const Arguments& options, const Arguments& command, const Environment& more = {}) {
  const TemporaryFolder scratch;
  Arguments all = {"--seed", "42", "--quiet"};
  all.insert(all.end(), options.begin(), options.end());
  const Result result = run(detshim_run(scratch, all, command), more);
  EXPECT_EQ(result.status, 0) << result.err;
  return result.out;
}

/// Whether several runs print anything different: one order may come twice by chance.
template <typename Run>
bool differs(Run run_once) {
  const std::string first = run_once();
  for (int i = 0; i < 8; ++i)
    if (run_once() != first) return true;
  return false;
}

TEST(Run, MakesTheOrderOfAddressesRepeat) {
  if (run({"setarch", "-R", "true"}).status != 0) GTEST_SKIP() << "the kernel refuses a fixed layout";
  for (const Arguments& command : {pointers, objects})
    EXPECT_FALSE(differs([&] { return under_run({}, command); }));
  // The order of Python's objects is often the same under a random layout too: that of the pointers is not.
  EXPECT_TRUE(differs([&] { return run(pointers).out; })) << "the order is not random here";
  EXPECT_TRUE(differs([&] { return under_run({"--keep-aslr"}, pointers); }));
}

// A drawn seed, given again in either way, gives the run again.
TEST(Run, IsReplayedByTheSeedThatItDrew) {
  const Arguments draw = {"/usr/bin/python3", "-c",
                          "import os, random; print(random.random(), hash('x'), os.urandom(4))"};
  const TemporaryFolder scratch;
  const Result drawn = run(detshim_run(scratch, {"--mode", "record"}, draw));
  const std::string start = "Using seed: ";
  ASSERT_EQ(drawn.err.compare(0, start.size(), start), 0) << drawn.err;
  const std::string seed = drawn.err.substr(start.size(), drawn.err.find(';') - start.size());
  const TemporaryFolder other;
  EXPECT_EQ(run(draw, under_shim(other, {{"DETSHIM_SEED", seed}})).out, drawn.out);
  EXPECT_EQ(run(detshim_run(scratch, {"--seed", seed}, draw)).out, drawn.out);
  EXPECT_NE(under_run({}, draw), drawn.out);
}

TEST(Run, SetsVariablesThatAreReadAtLoading) {
  const Arguments show = {"sh", "-c", "echo $OMP_DYNAMIC $PYTHONHASHSEED ${OMP_NUM_THREADS:+set}"};
  EXPECT_EQ(under_run({}, show), "FALSE 42 set\n");
  EXPECT_EQ(under_run({}, show, {{"OMP_DYNAMIC", "TRUE"}, {"PYTHONHASHSEED", "7"}}), "FALSE 7 set\n");
  EXPECT_EQ(under_run({"--mode", "observe"}, show), "\n");
}

TEST(Run, LeavesTheThreadsToALauncherThatChoosesThem) {
  const TemporaryFolder scratch;
  const std::filesystem::path launcher = scratch.path() / "torchrun";
  std::ofstream(launcher) << "#!/bin/sh\necho ${OMP_NUM_THREADS:-unset}\n";
  std::filesystem::permissions(launcher, std::filesystem::perms::owner_all);
  EXPECT_EQ(under_run({}, {launcher}), "unset\n");
  EXPECT_EQ(under_run({}, {"sh", "-c", "echo ${OMP_NUM_THREADS:-unset}", "torch.distributed.run"}),
            "unset\n");
}

TEST(Run, SaysWhichLayoutAProcessHad) {
  if (run({"setarch", "-R", "true"}).status != 0) GTEST_SKIP() << "the kernel refuses a fixed layout";
  for (const bool keeps : {false, true}) {
    const TemporaryFolder scratch;
    Arguments options = {"--seed", "42", "--quiet"};
    if (keeps) options.push_back("--keep-aslr");
    ASSERT_EQ(run(detshim_run(scratch, options, {"od", "-An", "-N4", "/dev/urandom"})).status, 0);
    EXPECT_EQ(read_log(scratch.log()).at(0).records.at(0)["layout"], keeps ? "random" : "fixed");
    const Result summary = run({DETSHIM_COMMAND, "log", scratch.log().string()});
    EXPECT_EQ(summary.out.find("address-space layout is random") != std::string::npos, keeps) << summary.out;
  }
}

// The bytes that the kernel hands each process are pinned too.
TEST(AuxiliaryBytes, ArePinned) {
  const Arguments show = {"/usr/bin/python3", "-c",
                          "import ctypes; c = ctypes.CDLL(None); c.getauxval.restype = ctypes.c_void_p;"
                          "print(ctypes.string_at(c.getauxval(25), 16).hex())"};
  const auto shown = [&](const char* seed) {
    const TemporaryFolder scratch;
    return run(show, under_shim(scratch, {{"DETSHIM_SEED", seed}})).out;
  };
  EXPECT_NE(run(show).out, run(show).out);
  EXPECT_EQ(shown("42"), shown("42"));
  EXPECT_NE(shown("42"), shown("43"));
}

} // namespace
