// DETSHIM_MODE, DETSHIM_SEED_POLICY, DETSHIM_DISABLE, and what happens to a value that is not
// accepted.
#include "log_files.h"
#include "run.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace {

const std::string snippet_folder = SNIPPET_FOLDER "/";

/// What a snippet prints under the library.
std::string drawn(const std::string& snippet, const Environment& environment) {
  const TemporaryFolder scratch;
  const Result result = run({snippet_folder + snippet, "plain"}, under_shim(scratch, environment));
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "");
  return result.out;
}

/// One line of values for each seed that the program gives.
std::vector<std::string> reseeded(std::vector<std::string> seeds, Environment environment = {}) {
  const TemporaryFolder scratch;
  if (!environment.empty())
    environment = under_shim(scratch, environment);
  seeds.insert(seeds.begin(), RESEED_PROGRAM);
  const Result result = run(seeds, environment);
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "");
  const std::vector<std::string> values = lines(result.out);
  EXPECT_EQ(values.size(), seeds.size() - 1);
  return values;
}

size_t count_of_distinct(const std::vector<std::string>& texts) {
  return std::set<std::string>{texts.begin(), texts.end()}.size();
}

// Sources that do not depend on each other: a seed that the program gives, and entropy.
class Mode : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, Mode, testing::Values("srand", "getrandom", "std_random_device"),
                         [](const auto& tested) {
                           return tested.param;
                         });

TEST_P(Mode, ObserveLeavesTheProgramRandomAndSaysSo) {
  std::vector<std::string> outputs;
  for (int i = 0; i < 2; ++i) {
    const TemporaryFolder scratch;
    const Result result =
        run({snippet_folder + GetParam(), "plain"},
            under_shim(scratch, {{"DETSHIM_MODE", "observe"}, {"DETSHIM_SEED", "42"}}));
    EXPECT_EQ(result.status, 0);
    outputs.push_back(result.out);

    const std::vector<ProcessLog> logs = read_log(scratch.log());
    ASSERT_EQ(logs.size(), 1u);
    EXPECT_EQ(logs[0].records.at(0)["mode"], "observe");
    const std::vector<nlohmann::json> calls = logs[0].calls();
    ASSERT_FALSE(calls.empty());
    EXPECT_EQ(calls[0]["do"], "nondeterministic") << calls[0];
    for (const nlohmann::json& call : calls)
      EXPECT_NE(call["do"], "pin") << call;
  }
  EXPECT_NE(outputs[0], outputs[1]);
}

TEST_P(Mode, ObserveNeedsNoSeed) {
  EXPECT_NE(drawn(GetParam(), {{"DETSHIM_MODE", "observe"}}),
            drawn(GetParam(), {{"DETSHIM_MODE", "observe"}}));
}

TEST_P(Mode, OffDoesNothing) {
  std::vector<std::string> outputs;
  for (int i = 0; i < 2; ++i) {
    const TemporaryFolder scratch;
    const Result result =
        run({snippet_folder + GetParam(), "plain"},
            under_shim(scratch,
                       {{"DETSHIM_MODE", "off"}, {"DETSHIM_SEED", "42"}, {"DETSHIM_QUIET", "0"}}));
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.err, "");
    EXPECT_FALSE(std::filesystem::exists(scratch.log()));
    outputs.push_back(result.out);
  }
  EXPECT_NE(outputs[0], outputs[1]);
}

TEST_P(Mode, StrictPinsAsEnforceDoes) {
  const std::string expected = drawn(GetParam(), {{"DETSHIM_SEED", "42"}});
  EXPECT_EQ(drawn(GetParam(), {{"DETSHIM_SEED", "42"}, {"DETSHIM_MODE", "enforce"}}), expected);
  EXPECT_EQ(drawn(GetParam(), {{"DETSHIM_SEED", "42"}, {"DETSHIM_MODE", "strict"}}), expected);
}

TEST_P(Mode, RecordPinsToAGivenSeedAsEnforceDoes) {
  EXPECT_EQ(drawn(GetParam(), {{"DETSHIM_SEED", "42"}, {"DETSHIM_MODE", "record"}}),
            drawn(GetParam(), {{"DETSHIM_SEED", "42"}}));
}

/// The number in the only line `Using seed: N; …` of stderr.
std::string seed_in(const std::string& err) {
  std::string seed;
  for (const std::string& line : lines(err)) {
    const size_t at = line.find("Using seed: ");
    if (at == std::string::npos)
      continue;
    EXPECT_EQ(seed, "") << "said twice:\n" << err;
    seed = line.substr(at + std::string{"Using seed: "}.size());
    seed.resize(seed.find(';'));
  }
  EXPECT_NE(seed, "") << err;
  return seed;
}

void expect_that_the_recorded_seed_reproduces(const std::vector<std::string>& command) {
  std::set<std::string> outputs;
  for (int i = 0; i < 2; ++i) {
    const TemporaryFolder scratch, again;
    const Result recorded = run(command, under_shim(scratch, {{"DETSHIM_QUIET", "0"}}));
    EXPECT_EQ(recorded.status, 0);
    const std::string seed = seed_in(recorded.err);
    EXPECT_EQ(
        run(command, under_shim(again, {{"DETSHIM_SEED", seed}, {"DETSHIM_MODE", "record"}})).out,
        recorded.out)
        << "seed " << seed;
    outputs.insert(recorded.out);

    for (const ProcessLog& log : read_log(scratch.log())) {
      EXPECT_EQ(log.records.at(0)["mode"], "record");
      EXPECT_EQ(log.records.at(0)["seed"], seed);
      EXPECT_EQ(log.records.at(0)["seed_from"], "drawn");
    }
  }
  EXPECT_EQ(outputs.size(), 2u) << "each run draws another seed";
}

TEST_P(Mode, RecordPrintsTheSeedThatReproducesTheRun) {
  expect_that_the_recorded_seed_reproduces({snippet_folder + GetParam(), "plain"});
}

TEST_P(Mode, RecordSharesOneSeedWithChildren) {
  const std::string snippet = snippet_folder + GetParam();
  expect_that_the_recorded_seed_reproduces(
      {"sh", "-c", snippet + " plain; " + snippet + " fork; " + snippet + " exec"});
}

TEST(Record, PrintsTheSeedWhenNoLogCanBeWritten) {
  const TemporaryFolder scratch;
  const Result recorded =
      run({snippet_folder + "getrandom", "plain"},
          under_shim(scratch, {{"DETSHIM_QUIET", "0"}, {"DETSHIM_LOG", "/dev/null/log"}}));
  EXPECT_EQ(recorded.status, 0);
  EXPECT_EQ(drawn("getrandom", {{"DETSHIM_SEED", seed_in(recorded.err)}}), recorded.out);
}

TEST(Record, IsSilentWhenQuiet) {
  const TemporaryFolder scratch;
  EXPECT_EQ(run({snippet_folder + "getrandom", "plain"}, under_shim(scratch)).err, "");
}

TEST(SeedPolicy, CountsEachReadingOfAClockAsNew) {
  const Environment fixed = {{"DETSHIM_SEED", "42"}};
  const std::vector<std::string> values = reseeded({"now", "now", "now"}, fixed);
  EXPECT_EQ(count_of_distinct(values), 3u);
  EXPECT_EQ(reseeded({"now", "now", "now"}, fixed), values);
  EXPECT_EQ(values[0], reseeded({"42"})[0]);
}

// A process id is the same all through its process, so it replays; and which number it is does not
// matter.
TEST(SeedPolicy, TakesAProcessIdForOneValueHoweverOftenItIsRead) {
  const std::vector<std::string> values = reseeded({"pid", "pid"}, {{"DETSHIM_SEED", "42"}});
  EXPECT_EQ(count_of_distinct(values), 1u);
  EXPECT_EQ(reseeded({"pid", "pid"}, {{"DETSHIM_SEED", "42"}}), values);
  EXPECT_EQ(values[0], reseeded({"42"})[0]);
}

// What still depends on a clock is said: a policy is no excuse for a false all-clear.
TEST(SeedPolicy, ThatLetsAClockDecideIsUnfixed) {
  const auto actions = [](const char* policy, const char* value) {
    const TemporaryFolder scratch;
    run({RESEED_PROGRAM, value},
        under_shim(scratch, {{"DETSHIM_SEED", "42"}, {"DETSHIM_SEED_POLICY", policy}}));
    std::string all;
    for (const ProcessLog& process : read_log(scratch.log()))
      for (const auto& call : process.calls("srand"))
        all += call["do"].get<std::string>();
    return all;
  };
  EXPECT_EQ(actions("keep", "now"), "nondeterministic");
  EXPECT_EQ(actions("fixed", "now"), "pin");
  EXPECT_EQ(actions("fixed", "7"), "pin");
  EXPECT_EQ(actions("vary", "7"), "pin");
  EXPECT_EQ(actions("vary", "now"), "pin");
}

TEST(SeedPolicy, FixedLeavesTheProgramsOwn) {
  const std::vector<std::string> own = reseeded({"7", "8", "7"});
  for (const char* mode : {"enforce", "strict", "record", "observe"})
    for (const char* seed : {"42", "43"})
      EXPECT_EQ(reseeded({"7", "8", "7"}, {{"DETSHIM_SEED", seed}, {"DETSHIM_MODE", mode}}), own)
          << mode;
  EXPECT_NE(reseeded({"now"}, {{"DETSHIM_SEED", "42"}}),
            reseeded({"now"}, {{"DETSHIM_SEED", "43"}}));
}

TEST(SeedPolicy, VaryMapsTheProgramsOwnByTheirValue) {
  const Environment vary = {{"DETSHIM_SEED", "42"}, {"DETSHIM_SEED_POLICY", "vary"}};
  const auto with = [&vary](const Environment& more) {
    Environment all = vary;
    for (const auto& [name, value] : more)
      all[name] = value;
    return all;
  };
  const std::vector<std::string> values = reseeded({"7", "8", "7"}, vary);
  EXPECT_EQ(values[0], values[2]);
  EXPECT_NE(values[0], values[1]);
  EXPECT_EQ(reseeded({"8", "7"}, vary), (std::vector{values[1], values[0]}))
      << "the order is of no account";
  EXPECT_NE(values[0], reseeded({"7"})[0]) << "not the program's own seed";
  EXPECT_NE(reseeded({"7"}, with({{"DETSHIM_SEED", "43"}}))[0], values[0]);
  EXPECT_EQ(reseeded({"7", "8", "7"}, with({{"RANK", "3"}})), values)
      << "equal values on all ranks stay equal";
}

TEST(SeedPolicy, KeepLeavesTheProgramsSeedAlone) {
  EXPECT_EQ(reseeded({"7", "8", "7"}, {{"DETSHIM_SEED", "42"}, {"DETSHIM_SEED_POLICY", "keep"}}),
            reseeded({"7", "8", "7"}));
}

TEST(Disable, TakesALibraryAHookOrASetting) {
  const std::string expected = drawn("getrandom", {{"DETSHIM_SEED", "42"}});
  for (const char* names : {"libc", "getrandom", "rand,getrandom", " rand , getrandom "})
    EXPECT_NE(drawn("getrandom", {{"DETSHIM_SEED", "42"}, {"DETSHIM_DISABLE", names}}), expected)
        << names;
  for (const char* names : {"srand,rand", "libstdcxx", "env:CUBLAS_WORKSPACE_CONFIG"})
    EXPECT_EQ(drawn("getrandom", {{"DETSHIM_SEED", "42"}, {"DETSHIM_DISABLE", names}}), expected)
        << names;
}

struct Wrong {
  std::string name, value, accepted;
};
void PrintTo(const Wrong& wrong, std::ostream* stream) {
  *stream << wrong.name << "=\"" << wrong.value.substr(0, 40) << '"';
}

class WrongOption : public testing::TestWithParam<Wrong> {};

TEST_P(WrongOption, StopsTheProgramWithOneLine) {
  const auto& [name, value, accepted] = GetParam();
  for (const std::string& program : {std::string{"/bin/true"}, snippet_folder + "getrandom"}) {
    const TemporaryFolder scratch;
    const Result result = run({program, "plain"}, under_shim(scratch, {{name, value}}));
    EXPECT_EQ(result.status, 2) << program;
    EXPECT_EQ(result.out, "") << program;
    const std::vector<std::string> said = lines(result.err);
    ASSERT_EQ(said.size(), 1u) << program << ":\n" << result.err;
    EXPECT_EQ(result.err.back(), '\n');
    EXPECT_NE(said[0].find(name), std::string::npos) << said[0];
    EXPECT_NE(said[0].find(value.substr(0, 80)), std::string::npos) << said[0];
    EXPECT_NE(said[0].find(accepted), std::string::npos) << said[0];
    EXPECT_FALSE(std::filesystem::exists(scratch.log()));
  }
}

std::vector<Wrong> wrong_options() {
  std::vector<Wrong> wrong;
  for (const char* value : {"", "-1", "+42", " 42", "42 ", "4 2", "4.2", "0x", "x2a", "0x2g", "2a",
                            "seed", "18446744073709551616", "0x10000000000000000"})
    wrong.push_back({"DETSHIM_SEED", value, "0 to 2^64-1"});
  for (const char* value : {"", "ENFORCE", "enforced", "on"})
    wrong.push_back({"DETSHIM_MODE", value, "enforce, record, observe, strict or off"});
  for (const char* value : {"", "fix", "order", "fixed,keep"})
    wrong.push_back({"DETSHIM_SEED_POLICY", value, "fixed, keep or vary"});
  for (const char* value : {"", "2", "yes", "true", "01"})
    wrong.push_back({"DETSHIM_QUIET", value, "0 or 1"});
  for (const char* value :
       {"no_such_hook", "rand,no_such_hook", "rand srand", "env:NO_SUCH_VARIABLE", "env:"})
    wrong.push_back({"DETSHIM_DISABLE", value, "libraries, hooks"});
  for (const std::string& value : {std::string{}, std::string(5000, 'x')})
    wrong.push_back({"DETSHIM_LOG", value, "folder"});
  for (const char* name : {"DETSHIM_SEDE", "DETSHIM_", "DETSHIM_seed", "DETSHIM_SEED_"})
    wrong.push_back({name, "42", "DETSHIM_SEED, DETSHIM_MODE"});
  return wrong;
}

INSTANTIATE_TEST_SUITE_P(Every, WrongOption, testing::ValuesIn(wrong_options()),
                         [](const auto& tested) {
                           return tested.param.name + "_" + std::to_string(tested.index);
                         });

TEST(WrongOption, IsFoundBehindGoodOnesAndInEveryMode) {
  for (const char* mode : {"enforce", "record", "observe", "strict", "off"}) {
    const TemporaryFolder scratch;
    const Environment environment = {{"DETSHIM_MODE", mode}, {"DETSHIM_SEED", "forty-two"}};
    EXPECT_EQ(run({"/bin/true"}, under_shim(scratch, environment)).status, 2) << mode;
  }
}

TEST(Seed, IsDecimalOrHexadecimalUpTo64Bits) {
  const std::string expected = drawn("getrandom", {{"DETSHIM_SEED", "42"}});
  for (const char* seed : {"0x2a", "0X2A", "0x000000000000000002a", "00042"})
    EXPECT_EQ(drawn("getrandom", {{"DETSHIM_SEED", seed}}), expected) << seed;
  const std::string largest = drawn("getrandom", {{"DETSHIM_SEED", "18446744073709551615"}});
  EXPECT_EQ(drawn("getrandom", {{"DETSHIM_SEED", "0xffffffffffffffff"}}), largest);
  const std::string zero = drawn("getrandom", {{"DETSHIM_SEED", "0"}});
  EXPECT_EQ(drawn("getrandom", {{"DETSHIM_SEED", "0"}}), zero);
  EXPECT_EQ(count_of_distinct(
                {expected, largest, zero, drawn("getrandom", {{"DETSHIM_SEED", "4294967296"}})}),
            4u)
      << "all 64 bits count";
}

} // namespace
