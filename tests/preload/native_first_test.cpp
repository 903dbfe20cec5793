// The first stream of a kind is the one that the seed natively gives: under DETSHIM_SEED=42 the
// main thread of a program that seeds itself from the clock draws what it would natively draw after
// srand(42).
#include "run.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

/// The 1000 values of the main thread, then those of the worker, if there is one.
struct Draws {
  std::vector<std::string> own, worker;

  bool operator==(const Draws&) const = default;
};

Draws draws(const std::vector<std::string>& arguments, const Environment& environment) {
  std::vector<std::string> command = {DRAWS_PROGRAM};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const Result result = run(command, environment);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");

  Draws values;
  bool in_worker = false;
  for (const std::string& line : lines(result.out)) {
    if (line == "worker")
      in_worker = true;
    else
      (in_worker ? values.worker : values.own).push_back(line);
  }
  EXPECT_EQ(values.own.size(), 1000u);
  EXPECT_EQ(values.worker.size(), in_worker ? 1000u : 0u);
  return values;
}

Draws under_seed(const std::vector<std::string>& arguments, const std::string& seed = "42") {
  const TemporaryFolder scratch;
  return draws(arguments, under_shim(scratch, {{"DETSHIM_SEED", seed}}));
}

/// A failure names the first value that differs, not a thousand.
testing::AssertionResult are_equal(const std::vector<std::string>& one,
                                   const std::vector<std::string>& other) {
  if (one.size() != other.size())
    return testing::AssertionFailure() << one.size() << " and " << other.size();
  for (size_t i = 0; i < one.size(); ++i)
    if (one[i] != other[i])
      return testing::AssertionFailure()
             << "value " << i << " is " << one[i] << " and " << other[i];
  return testing::AssertionSuccess();
}

struct Case {
  std::string source, seed;
};

void PrintTo(const Case& tested, std::ostream* stream) {
  *stream << tested.source << " seeded by " << tested.seed;
}

std::string name_of(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.source + "_" + info.param.seed;
  for (char& c : name)
    if (c == ':')
      c = '_';
  return name;
}

class NativeFirst : public testing::TestWithParam<Case> {};

TEST_P(NativeFirst, MainThreadDrawsTheSequenceOfTheSeed) {
  const auto& [source, seed] = GetParam();
  const std::vector<std::string> native = draws({source, "42"}, {}).own;
  EXPECT_TRUE(are_equal(under_seed({source, seed}).own, native));
  EXPECT_FALSE(are_equal(under_seed({source, seed}, "43").own, native));
  EXPECT_TRUE(are_equal(under_seed({source, seed}, "43").own, draws({source, "43"}, {}).own));
}

class NativeFirstBesideAWorker : public NativeFirst {};

TEST_P(NativeFirstBesideAWorker, WorkerDrawsItsOwnSequence) {
  const auto& [source, seed] = GetParam();
  const Draws first = under_seed({source, seed, "worker"});
  EXPECT_TRUE(are_equal(first.own, draws({source, "42"}, {}).own));
  EXPECT_FALSE(are_equal(first.worker, first.own));
  EXPECT_TRUE(are_equal(under_seed({source, seed, "worker"}).worker, first.worker));
}

// Natively a forked child goes on with the generator that the program has seeded.
TEST(FixedSeeds, GoOnInAForkedChild) {
  for (const char* source :
       {"rand", "random", "lrand48", "initstate:8", "initstate:128", "setstate"}) {
    const Draws native = draws({source, "1234", "child"}, {});
    EXPECT_FALSE(are_equal(native.own, draws({source, "1234"}, {}).own)) << source;
    EXPECT_TRUE(are_equal(under_seed({source, "1234", "child"}).own, native.own)) << source;
  }
}

const Case cases[] = {
    {"rand", "clock"},         {"rand", "time"},           {"rand", "none"},
    {"random", "clock"},       {"random", "time"},         {"random", "none"},
    {"lrand48", "clock"},      {"lrand48", "time"},        {"drand48", "clock"},
    {"mrand48", "clock"},      {"initstate:8", "clock"},   {"initstate:32", "clock"},
    {"initstate:64", "clock"}, {"initstate:128", "clock"}, {"initstate:256", "clock"},
};
INSTANTIATE_TEST_SUITE_P(All, NativeFirst, testing::ValuesIn(cases), name_of);
INSTANTIATE_TEST_SUITE_P(All, NativeFirstBesideAWorker, testing::ValuesIn(cases), name_of);
// Without a worker: two threads that switch one generator's state are a race.
INSTANTIATE_TEST_SUITE_P(Switched, NativeFirst, testing::Values(Case{"setstate", "clock"}),
                         name_of);

} // namespace
