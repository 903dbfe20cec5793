// DETSHIM_FINGERPRINT=host on real programs, and `detshim log diff` on what it left.
#include "compared.h"
#include "log_files.h"
#include "run.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

const Environment host{{"DETSHIM_SEED", "42"}, {"DETSHIM_FINGERPRINT", "host"}};

Environment operator+(Environment a, const Environment& b) {
  for (const auto& [name, value] : b)
    a[name] = value;
  return a;
}

struct Printed {
  Result result;
  std::vector<json> prints;
};

Printed printed(const Words& arguments, const Environment& environment = host) {
  const TemporaryFolder scratch;
  Words command{PRINTS_PROGRAM};
  command.insert(command.end(), arguments.begin(), arguments.end());
  Printed printed;
  printed.result = run(command, under_shim(scratch, environment));
  EXPECT_EQ(printed.result.status, 0) << printed.result.err;
  if (!std::filesystem::exists(scratch.log()))
    return printed;
  for (const ProcessLog& log : read_log(scratch.log()))
    for (const json& record : log.records)
      if (record["t"] == "digest")
        printed.prints.push_back(record);
  return printed;
}

struct WayOut {
  const char* name;
  const char* to;
};
std::ostream& operator<<(std::ostream& out, const WayOut& way) { return out << way.name; }

class WaysOut : public testing::TestWithParam<WayOut> {};

INSTANTIATE_TEST_SUITE_P(
    Prints, WaysOut,
    testing::Values(WayOut{"write", "stdout"}, WayOut{"pwrite", "file"}, WayOut{"pwrite64", "file"},
                    WayOut{"writev", "stdout"}, WayOut{"pwritev", "file"},
                    WayOut{"pwritev64", "file"}, WayOut{"pwritev2", "file"},
                    WayOut{"pwritev64v2", "file"}, WayOut{"fwrite", "stdout"},
                    WayOut{"fwrite_unlocked", "file"}, WayOut{"fputs", "stdout"},
                    WayOut{"fputs_unlocked", "stderr"}, WayOut{"puts", "stdout"},
                    WayOut{"printf", "stdout"}, WayOut{"fprintf", "stderr"},
                    WayOut{"__printf_chk", "stdout"}, WayOut{"__fprintf_chk", "file"},
                    WayOut{"vprintf", "stdout"}, WayOut{"vfprintf", "stdout"},
                    WayOut{"__vprintf_chk", "stdout"}, WayOut{"__vfprintf_chk", "stdout"}),
    [](const auto& way) {
      return std::string(way.param.name);
    });

TEST_P(WaysOut, IsHashed) {
  const auto [name, to] = GetParam();
  const Result native = run({PRINTS_PROGRAM, "text", name}, {});
  const Printed once = printed({"text", name});
  EXPECT_EQ(once.result.out, native.out);
  EXPECT_EQ(once.result.err, native.err);
  ASSERT_EQ(once.prints.size(), 1u);
  const json& print = once.prints[0];
  EXPECT_EQ(print["fn"], name);
  EXPECT_EQ(print["to"], to);
  EXPECT_GE(std::stoul(print["bytes"].get<std::string>()), 4u);
  EXPECT_EQ(print["at"].get<std::string>().find(PRINTS_PROGRAM "+0x"), 0u) << print;
  EXPECT_EQ(printed({"text", name}).prints, once.prints);

  const Printed other = printed({"test", name});
  ASSERT_EQ(other.prints.size(), 1u);
  EXPECT_EQ(other.prints[0]["bytes"], print["bytes"]);
  EXPECT_NE(other.prints[0]["digest"], print["digest"]);

  EXPECT_TRUE(printed({"text", name}, {{"DETSHIM_SEED", "42"}}).prints.empty());
  EXPECT_TRUE(
      printed({"text", name}, host + Environment{{"DETSHIM_FINGERPRINT", "off"}}).prints.empty());
  EXPECT_TRUE(
      printed({"text", name}, host + Environment{{"DETSHIM_DISABLE", name}}).prints.empty());
  EXPECT_EQ(printed({"text", name}, host + Environment{{"DETSHIM_MODE", "observe"}}).prints.size(),
            1u);
  EXPECT_TRUE(printed({"text", name}, host + Environment{{"DETSHIM_MODE", "off"}}).prints.empty());
}

TEST(Prints, OfAStreamOfCppAreNamedByItsCaller) {
  const Printed once = printed({"text", "cout"});
  ASSERT_FALSE(once.prints.empty());
  EXPECT_NE(once.prints[0].dump().find("prints_program+0x"), std::string::npos) << once.prints[0];
}

TEST(Prints, ManyOfOnePlaceShareRecords) {
  const Printed once = printed({"text", "many"});
  const Printed other = printed({"test", "many"});
  ASSERT_GT(once.prints.size(), 256u);
  EXPECT_LT(once.prints.size(), 500u);
  uint64_t next = 1;
  for (size_t i = 0; i < once.prints.size(); ++i) {
    EXPECT_EQ(once.prints[i]["first"], std::to_string(next)) << once.prints[i];
    next += std::stoul(once.prints[i]["digests"].get<std::string>());
    EXPECT_NE(once.prints[i]["digest"], other.prints[i]["digest"]);
  }
  EXPECT_EQ(next, 5001u);
}

TEST(Prints, OfAThreadBearItsName) {
  const Printed once = printed({"text", "puts", "thread"});
  ASSERT_EQ(once.prints.size(), 2u);
  EXPECT_EQ(once.prints[0]["thread"], "0");
  EXPECT_EQ(once.prints[1]["thread"], "0.1");
}

TEST(Prints, SayWhatWasDrawnBefore) {
  const Printed once = printed({"text", "draw", "puts", "draw", "draw", "fputs"});
  ASSERT_EQ(once.prints.size(), 2u);
  EXPECT_EQ(once.prints[0]["draws"], "1");
  EXPECT_EQ(once.prints[1]["draws"], "3");
  EXPECT_NE(once.prints[0]["drawn"], once.prints[1]["drawn"]);
  const Printed seeded = printed({"text", "draw", "puts", "draw", "draw", "fputs"},
                                 host + Environment{{"DETSHIM_SEED", "43"}});
  EXPECT_EQ(seeded.prints[1]["draws"], "3");
  EXPECT_NE(seeded.prints[1]["drawn"], once.prints[1]["drawn"]);
  EXPECT_EQ(seeded.prints[1]["digest"], once.prints[1]["digest"]);
}

TEST(Fingerprint, OfCallsIsOneOfTheHostToo) {
  EXPECT_EQ(
      printed({"text", "puts"}, host + Environment{{"DETSHIM_FINGERPRINT", "calls"}}).prints.size(),
      printed({"text", "puts"}).prints.size());
  EXPECT_FALSE(printed({"text", "puts"}).prints.empty());
}

TEST(Fingerprint, OfAnythingElseIsRefused) {
  const TemporaryFolder scratch;
  const Result result =
      run({PRINTS_PROGRAM, "text", "puts"},
          under_shim(scratch, host + Environment{{"DETSHIM_FINGERPRINT", "all"}}));
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_NE(result.err.find("DETSHIM_FINGERPRINT=\"all\" is not accepted"), std::string::npos)
      << result.err;
}

// ------------------------------------------------------------------ the first cause

/// The log of one run of that program.
Result logged(const TemporaryFolder& scratch, const Words& command,
              const Environment& environment = host) {
  const Result result = run(command, under_shim(scratch, environment));
  EXPECT_EQ(result.status, 0) << result.err;
  return result;
}

std::string line_of_the_sum() {
  std::ifstream source(RACING_SUM_SOURCE);
  int number = 1;
  for (std::string line; std::getline(source, line); ++number)
    if (line.find("the line of the sum") != std::string::npos)
      return "racing_sum.cpp:" + std::to_string(number);
  return "no such line";
}

TEST(Fingerprint, NamesWhereARacingSumWasPrinted) {
  const TemporaryFolder a;
  const Result first = logged(a, {RACING_SUM_PROGRAM});
  for (int i = 0; i < 50; ++i) { // until the race comes out otherwise
    const TemporaryFolder b;
    if (logged(b, {RACING_SUM_PROGRAM}).out == first.out)
      continue;
    const Compared compared = compare(a.log(), b.log());
    EXPECT_EQ(compared.status, 1) << compared;
    const json cause = compared.first();
    ASSERT_FALSE(cause.is_null()) << compared;
    EXPECT_EQ(cause["record"]["kind"], "result");
    EXPECT_NE(cause["record"]["place"].get<std::string>().find(line_of_the_sum()),
              std::string::npos)
        << compared;
    EXPECT_EQ(cause["before"], 1) << compared;
    EXPECT_EQ(compared.differences("digests"), 1u)
        << compared; // not what came before, nor what came after
    EXPECT_EQ(cause["record"]["library"], "libc") << compared;

    return;
  }
  GTEST_SKIP() << "the race came out alike fifty times";
}

TEST(Fingerprint, OfTheMendedSumIsTheSame) {
  const TemporaryFolder a;
  logged(a, {RACING_SUM_PROGRAM, "mended"});
  for (int i = 0; i < 5; ++i) {
    const TemporaryFolder b;
    logged(b, {RACING_SUM_PROGRAM, "mended"});
    const Compared compared = compare(a.log(), b.log());
    EXPECT_EQ(compared.status, 0) << compared;
  }
}

TEST(Fingerprint, OfARankThatOnlyPrintsOtherwiseMakesAReceiver) {
  const auto ranks = [](const TemporaryFolder& scratch, const std::string& text) {
    const std::string program = PRINTS_PROGRAM;
    logged(scratch,
           {"sh", "-c",
            "for r in 0 1; do RANK=$r WORLD_SIZE=2 " + program +
                " - $([ $r = 1 ] && echo seed) puts; done"},
           host + Environment{{"PRINTS_TEXT", text}});
  };
  const TemporaryFolder a, b;
  ranks(a, "text");
  ranks(b, "best");
  const Compared compared = compare(a.log(), b.log());
  ASSERT_EQ(compared.status, 1) << compared;
  const json& first = compared.document["ranks"][0];
  EXPECT_EQ(first["rank"], 1) << compared;
  EXPECT_EQ(first["role"], "origin");
  EXPECT_EQ(first["causes"][0]["record"]["function"], "srand");
  EXPECT_EQ(compared.document["ranks"][1]["role"], "receiver");
  EXPECT_EQ(compared.document["ranks"][1]["causes"][0]["record"]["function"], "puts");
}

// What is printed says that something is in no record: what the logs are said to lack stands
// beside it.
TEST(Fingerprint, InVerifyStandsBesideTheVerdict) {
  const TemporaryFolder scratch;
  Environment environment{{"DETSHIM_FINGERPRINT", "host"}};
  for (int i = 0; i < 20; ++i) { // until the race comes out otherwise
    const Result result =
        run({"sh", "-c",
             "cd " + scratch.path().string() +
                 " && " DETSHIM_COMMAND " verify --json --library " DETSHIM_LIBRARY
                 " -- " RACING_SUM_PROGRAM},
            environment);
    if (result.status != 1)
      continue;
    const json cause = json::parse(result.out)["first_cause"];
    EXPECT_EQ(cause["cause"]["record"]["function"], "printf") << cause;
    EXPECT_NE(cause["place"].get<std::string>().find(line_of_the_sum()), std::string::npos)
        << cause;
    const std::string text = cause["text"];
    EXPECT_NE(text.find("racing_sum.cpp:", text.find(" threads: ")), std::string::npos) << cause;
    return;
  }
  GTEST_SKIP() << "the race came out alike twenty times";
}

TEST(Fingerprint, ThatDiffersForOtherDrawsIsNoCulprit) {
  const TemporaryFolder a, b;
  logged(a, {PRINTS_PROGRAM, "text", "draw", "puts"});
  logged(b, {PRINTS_PROGRAM, "text", "draw", "puts"}, host + Environment{{"DETSHIM_SEED", "43"}});
  const Compared compared = compare(a.log(), b.log());
  EXPECT_EQ(compared.first()["fact"]["subject"], "seed") << compared;
  const json& records = compared.document["sections"]["digests"]["records"];
  ASSERT_EQ(records.size(), 1u) << compared;
  EXPECT_NE(records[0]["kind"], "result") << compared; // the same text after other draws
}

} // namespace
