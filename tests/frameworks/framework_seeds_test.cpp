// Seeds of JAX and TensorFlow, which are set by functions of Python alone: what a clock gives is
// replaced, and what is fixed stays.
#include "files.h"
#include "log_files.h"
#include "run.h"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

namespace {

/// A section of `framework_seeds.py`, which has `SEED` where the seed stands.
struct Seeding {
  const char* program;
  const char* module;
};

std::ostream& operator<<(std::ostream& out, const Seeding& seeding) {
  return out << seeding.program;
}

class FrameworkSeeds : public testing::TestWithParam<Seeding> {
protected:
  void SetUp() override {
    const std::string module = GetParam().module;
    if (run({FRAMEWORKS_PYTHON, "-c", "import " + module}).status != 0)
      GTEST_SKIP() << "no " << module;
  }

  static std::string with_seed(const std::string& seed) {
    std::string program = section(PROGRAMS "framework_seeds.py", GetParam().program);
    const std::string name = "SEED";
    program.replace(program.find(name), name.size(), seed);
    return program;
  }

  static std::string printed(const std::string& program, const Environment& environment = {}) {
    const Result result = run({FRAMEWORKS_PYTHON, "-c", program}, environment);
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_FALSE(result.out.empty());
    return result.out;
  }

  static std::string printed_under_shim(const std::string& program, Environment more) {
    const TemporaryFolder scratch;
    return printed(program, under_shim(scratch, more));
  }
};

TEST_P(FrameworkSeeds, OfAClockAreTheRunsSeed) {
  for (const char* seed : {"time.time_ns() % 2**32", "int(time.time() * 1e6) % 2**31"}) {
    const std::string program = with_seed(seed);
    EXPECT_NE(printed(program), printed(program)) << seed;
    for (const char* chosen : {"42", "43"})
      EXPECT_EQ(printed_under_shim(program, {{"DETSHIM_SEED", chosen}}), printed(with_seed(chosen)))
          << seed;
    EXPECT_NE(printed_under_shim(program, {{"DETSHIM_SEED", "42"}, {"DETSHIM_DISABLE", "python"}}),
              printed(with_seed("42")))
        << seed;
  }
}

TEST_P(FrameworkSeeds, ThatAreFixedStay) {
  for (const char* seed : {"7", "1234567890"}) {
    const std::string program = "import time; time.time_ns()\n" + with_seed(seed);
    EXPECT_EQ(printed_under_shim(program, {{"DETSHIM_SEED", "42"}}), printed(program)) << seed;
  }
}

// What maps JAX's seeds would come too late for those that a program sets before it reads a clock.
// TensorFlow's go through Python's own `random`, which is mapped.
TEST_P(FrameworkSeeds, ThatAreFixedAreMappedIfPythonDrawsByThem) {
  const std::string program = "import time; time.time_ns()\n" + with_seed("1234567890");
  const std::string mapped =
      printed_under_shim(program, {{"DETSHIM_SEED", "42"}, {"DETSHIM_SEED_POLICY", "vary"}});
  EXPECT_EQ(mapped == printed(program), std::string("jax") == GetParam().module) << mapped;
}

INSTANTIATE_TEST_SUITE_P(All, FrameworkSeeds,
                         testing::Values(Seeding{"jax.random.key", "jax"},
                                         Seeding{"jax.random.PRNGKey", "jax"},
                                         Seeding{"jax, in a compiled function", "jax"},
                                         Seeding{"tensorflow.random.set_seed", "tensorflow"}));

} // namespace
