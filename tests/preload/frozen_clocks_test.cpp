// Clocks and ids that are read at a line that the user names follow from the seed; all others are
// real.
#include "log_files.h"
#include "run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <set>

namespace {

using Lines = std::vector<std::string>;

/// "frozen.cpp:12": of the line with that comment.
std::string line_of(const std::string& comment) {
  std::ifstream file(FROZEN_SOURCE);
  std::string text;
  for (int line = 1; std::getline(file, text); ++line)
    if (text.ends_with("// " + comment))
      return "frozen.cpp:" + std::to_string(line);
  ADD_FAILURE() << "no line with the comment " << comment;
  return "";
}

const Lines lines_that_seed = {line_of("seconds"), line_of("now"), line_of("microseconds"),
                               line_of("id")};

Result frozen(const Lines& places, const std::string& what, const TemporaryFolder& scratch,
              const Environment& more = {}, const std::string& seed = "42") {
  Lines arguments = {"--seed", seed, "--quiet"};
  for (const std::string& place : places) {
    arguments.emplace_back("--freeze");
    arguments.push_back(place);
  }
  return run(detshim_run(scratch, arguments, {FROZEN_PROGRAM, what}), more);
}

std::string drawn(const Lines& places, const std::string& seed = "42") {
  const TemporaryFolder scratch;
  const Result result = frozen(places, "draws", scratch, {}, seed);
  EXPECT_EQ(result.status, 0) << result.err;
  return result.out;
}

TEST(FrozenClocks, MakeWhatIsSeededFromThemTheSame) {
  const std::string draws = drawn(lines_that_seed);
  EXPECT_EQ(drawn(lines_that_seed), draws);
  EXPECT_NE(drawn(lines_that_seed, "43"), draws);
  EXPECT_NE(drawn({}), drawn({}));
  for (const std::string& line : {line_of("now"), line_of("microseconds"), line_of("id")}) {
    Lines others = lines_that_seed;
    std::erase(others, line);
    EXPECT_NE(drawn(others), drawn(others)) << line;
  }
  EXPECT_EQ(drawn({lines_that_seed[0] + "," + lines_that_seed[1], lines_that_seed[2],
                   lines_that_seed[3]}),
            draws);
}

TEST(FrozenClocks, LeaveNothingThatCanDiffer) {
  const TemporaryFolder scratch;
  frozen(lines_that_seed, "draws", scratch);
  const Result shown = run({DETSHIM_COMMAND, "log", "--check", scratch.log()});
  EXPECT_EQ(shown.status, 0) << shown.out;
  for (const ProcessLog& process : read_log(scratch.log()))
    for (const char* function : {"time", "clock_gettime", "gettimeofday", "getpid"}) {
      ASSERT_EQ(process.calls(function).size(), 1u) << function;
      EXPECT_EQ(process.calls(function)[0]["why"], "frozen_clock");
    }
}

// As `detshim log` names call sites without debug information.
TEST(FrozenClocks, AreNamedByOffsetsToo) {
  const TemporaryFolder scratch, again;
  frozen(lines_that_seed, "draws", scratch);
  std::string places;
  for (const ProcessLog& process : read_log(scratch.log()))
    for (const auto& call : process.calls()) {
      if (call["why"] != "frozen_clock")
        continue;
      const bool is_of_library = call["fn"] == "clock_gettime"; // libstdc++ reads for the program
      const std::string at = is_of_library ? call["frames"][0] : call["at"];
      places += (places.empty() ? "" : ",") + at.substr(at.rfind('/') + 1);
    }
  const auto draw = [&] {
    return run({FROZEN_PROGRAM, "draws"},
               under_shim(again, {{"DETSHIM_SEED", "42"}, {"DETSHIM_FREEZE", places}}))
        .out;
  };
  EXPECT_EQ(draw(), drawn(lines_that_seed)) << places;
}

TEST(FrozenClocks, AreEachThreadsAndEachRanksOwnAndNeverGoBack) {
  std::set<long long> all;
  for (const char* rank : {"0", "1", "2"}) {
    const TemporaryFolder scratch;
    const Lines readings =
        lines(frozen({line_of("in threads")}, "threads", scratch, {{"RANK", rank}}).out);
    ASSERT_EQ(readings.size(), 20u);
    long long last = 0;
    for (size_t i = 0; i < readings.size(); ++i) {
      const long long reading = std::stoll(readings[i]);
      if (i % 5 != 0)
        EXPECT_GT(reading, last);
      EXPECT_GT(reading, 1'577'836'800'000'000'000);
      EXPECT_LT(reading, 1'577'836'800'000'000'000 + 158'000'000'000'000'000);
      EXPECT_TRUE(all.insert(reading).second);
      last = reading;
    }
  }
}

TEST(FrozenClocks, AreRealElsewhere) {
  const TemporaryFolder scratch;
  const std::time_t before = std::time(nullptr);
  const Result result = frozen(lines_that_seed, "times", scratch);
  EXPECT_GE(std::stol(result.out), before);
  EXPECT_NE(result.err.find("nothing read a clock or an id at"), std::string::npos) << result.err;
  EXPECT_EQ(frozen({line_of("real")}, "times", scratch).err, "");
}

TEST(FrozenClocks, AreThoseThatALogNames) {
  const TemporaryFolder scratch, again;
  frozen({}, "draws", scratch);
  const auto draw = [&] {
    return run(detshim_run(again, {"--seed", "42", "--freeze-from", scratch.log()},
                           {FROZEN_PROGRAM, "draws"}));
  };
  EXPECT_EQ(draw().out, drawn(lines_that_seed));
  const Result result = run(
      detshim_run(scratch, {"--freeze-from", scratch.path() / "none"}, {FROZEN_PROGRAM, "draws"}));
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("--freeze-from"), std::string::npos) << result.err;
}

TEST(FrozenClocks, AreOfALineOfPythonOrOfAProgram) {
  const TemporaryFolder scratch;
  const std::filesystem::path script = scratch.path() / "draw.py";
  std::ofstream(script) << contents(PROGRAMS "seed_of_two_clocks.py");
  const auto draw = [&](const std::string& places, const std::string& seed = "42") {
    const TemporaryFolder log;
    return run({"python3", script},
               under_shim(log, {{"DETSHIM_SEED", seed}, {"DETSHIM_FREEZE", places}}))
        .out;
  };
  const std::string drawn = draw("draw.py:2");
  EXPECT_TRUE(drawn.ends_with(" True\n")) << drawn;
  EXPECT_EQ(draw("draw.py:2"), drawn);
  EXPECT_EQ(draw(script.string() + ":2"), drawn);
  EXPECT_NE(draw("draw.py:2", "43"), drawn);
  EXPECT_NE(draw(""), draw(""));
  if (!find_program("perl").empty()) {
    const auto perl = [&](const std::string& places) {
      const TemporaryFolder log;
      return run({"perl", "-MTime::HiRes=time", "-e", "srand(time * 1e6 % 1e9); print rand"},
                 under_shim(log, {{"DETSHIM_SEED", "42"}, {"DETSHIM_FREEZE", places}}))
          .out;
    };
    EXPECT_EQ(perl("perl"), perl("perl"));
    EXPECT_NE(perl("ruby"), perl("ruby"));
  }
}

} // namespace
