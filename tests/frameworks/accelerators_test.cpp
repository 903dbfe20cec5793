// Seeds of generators on Intel's and Ascend's accelerators, by doubles of the libraries; and of
// dpnp, which draws by the real oneMKL on OpenCL's device for processors, where it is installed.
#include "log_files.h"
#include "run.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

namespace {

const Environment enforce = {{"DETSHIM_SEED", "42"}};

class AcceleratorSeeds : public testing::TestWithParam<const char*> {
protected:
  /// What it is seeded by.
  static std::vector<std::string> native(const std::string& seed) {
    return lines(run({ACCELERATOR_PROGRAM, GetParam(), seed}).out);
  }
  static std::vector<std::string> shimmed(const std::string& seed,
                                          const Environment& environment = enforce) {
    const TemporaryFolder scratch;
    const Result result =
        run({ACCELERATOR_PROGRAM, GetParam(), seed}, under_shim(scratch, environment));
    EXPECT_EQ(result.status, 0) << result.err;
    return lines(result.out);
  }
};

TEST_P(AcceleratorSeeds, OfAClockAreReplaced) {
  EXPECT_NE(native("clock"), native("clock"));
  const std::vector<std::string> seeds = shimmed("clock");
  EXPECT_EQ(shimmed("clock"), seeds);
  EXPECT_NE(shimmed("clock", {{"DETSHIM_SEED", "43"}}), seeds);
  EXPECT_NE(shimmed("clock", {{"DETSHIM_SEED", "42"}, {"DETSHIM_DISABLE", "onemkl,torch"}}),
            shimmed("clock", {{"DETSHIM_SEED", "42"}, {"DETSHIM_DISABLE", "onemkl,torch"}}));
}

TEST_P(AcceleratorSeeds, ThatAreFixedStay) {
  EXPECT_EQ(shimmed("1234"), native("1234"));
  EXPECT_EQ(native("1234").at(0), "1234");
}

INSTANTIATE_TEST_SUITE_P(All, AcceleratorSeeds,
                         testing::Values("mt19937", "mt19937 list", "philox4x32x10",
                                         "philox4x32x10 list", "xpu", "npu"),
                         [](const auto& generator) {
                           std::string name = generator.param;
                           return name.replace(
                               name.find_first_of(" ") < name.size() ? name.find(' ') : name.size(),
                               1, "_");
                         });

TEST(AcceleratorGenerators, ThatDrawByTheProcessorAreRecorded) {
  const TemporaryFolder scratch;
  run({ACCELERATOR_PROGRAM, "nondeterministic", "0"}, under_shim(scratch, enforce));
  const std::vector<ProcessLog> logs = read_log(scratch.log());
  ASSERT_EQ(logs.size(), 1U);
  ASSERT_EQ(logs[0].calls().size(), 1U);
  EXPECT_EQ(logs[0].calls()[0]["do"], "nondeterministic");
  EXPECT_EQ(logs[0].calls()[0]["lib"], "onemkl");
}

/// With the wheels dpnp and intel-opencl-rt.
TEST(Dpnp, DrawsTheSameInEachRun) {
  const char* const python = std::getenv("DETSHIM_ONEMKL_PYTHON");
  if (python == nullptr || run({python, "-c", "import dpnp"}).status != 0)
    GTEST_SKIP() << "no dpnp (DETSHIM_ONEMKL_PYTHON)";
  const std::filesystem::path prefix = std::filesystem::path(python).parent_path().parent_path();
  const Environment device = {{"OCL_ICD_FILENAMES", prefix / "lib/libintelocl.so"}};
  const auto printed = [&](const std::string& seed, Environment environment) {
    environment.merge(Environment(device));
    const TemporaryFolder scratch;
    const Result result =
        run({python, "-c",
             "import time, dpnp\ndpnp.random.seed(" + seed + ")\nprint(dpnp.random.random(3))"},
            environment.contains("DETSHIM_SEED") ? under_shim(scratch, environment) : environment);
    EXPECT_EQ(result.status, 0) << result.err;
    return result.out;
  };
  const std::string of_clock = "int(time.time() * 1e6) % 2**31";
  EXPECT_NE(printed(of_clock, {}), printed(of_clock, {}));
  EXPECT_EQ(printed(of_clock, enforce), printed(of_clock, enforce));
  EXPECT_EQ(printed("7", enforce), printed("7", {}));
}

} // namespace
