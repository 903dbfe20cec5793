// Seeds in 196 ways by six routes, each at a call site of its own (programs/seed_ways.cpp): one
// `detshim verify` teaches which of them change, and later runs are equal. What a program fixes
// stays as it is.
#include "evidence/learned_seeds.h"
#include "log_reader/log.h"
#include "run.h"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

class NamedSeeds : public testing::Test {
protected:
  Result detshim(Words words, const Words& program) const {
    words.insert(words.begin(), DETSHIM_COMMAND);
    words.insert(words.end(), {"--library", DETSHIM_LIBRARY, "--"});
    words.insert(words.end(), program.begin(), program.end());
    return run(words, {}, scratch_.path());
  }
  Result verify(const Words& program, Words more = {}) const {
    more.insert(more.begin(), {"verify", "--seed", "42", "-n", "2", "--ignore", "stderr"});
    return detshim(more, program);
  }
  Result run_once(const Words& program, const char* seed = "42") const {
    return detshim({"run", "--quiet", "--seed", seed}, program);
  }
  Json verdict() const {
    return Json::parse(run({DETSHIM_COMMAND, "log", "--json"}, {}, scratch_.path()).out, nullptr,
                       false);
  }
  Json learned() const {
    std::ifstream file(scratch_.path() / "detshim-evidence.json");
    return Json::parse(file, nullptr, false)["learned_seeds"];
  }
  /// A source of programs/, under the name by which the user knows it.
  void copy_program(const std::string& source, const char* name = "seed.cpp") const {
    std::filesystem::copy_file(std::filesystem::path(PROGRAMS_FOLDER) / source,
                               scratch_.path() / name);
  }
  const TemporaryFolder scratch_;
};

/// A log of one process that passed seeds at one place, each by a thread.
class LogOfSeeds {
public:
  using Seeds = std::vector<std::pair<std::string, std::string>>; ///< with their threads
  explicit LogOfSeeds(const Seeds& seeds) {
    std::filesystem::create_directory(scratch_.log());
    std::ofstream file(scratch_.log() / "0-0-4711.jsonl");
    file << R"({"t":"start","v":1,"detshim":"0.1.0","run":"20261121T003512-4711","pid":4711,)"
         << R"("rank":0,"path":"0","program":"/bin/train","args":["./train"],"mode":"enforce",)"
         << R"("policy":"fixed","seed":"42","seed_from":"DETSHIM_SEED","layout":"fixed","env":[]})"
         << '\n';
    int number = 0;
    for (const auto& [seed, thread] : seeds)
      file << R"({"t":"call","n":)" << ++number << R"(,"thread":")" << thread
           << R"(","lib":"libc","fn":"srand","do":"pin","requested":")" << seed
           << R"(","effective":")" << seed
           << R"(","why":"unexplained_seed","at":"/bin/train+0x10"})" << '\n';
    file << R"({"t":"end","counts":{}})" << '\n';
  }

  detshim::Log read() const { return detshim::read_log(scratch_.log().string()); }

private:
  TemporaryFolder scratch_;
};

/// What is fixed must not be taken for what changes: it would be replaced from then on.
TEST(SeedsOfTwoLogs, AreNotLearnedWhereARunOnlyHasMoreOrDealsThemOtherwise) {
  const LogOfSeeds one(LogOfSeeds::Seeds{{"70001", "0"}}), other(LogOfSeeds::Seeds{{"70009", "0"}});
  EXPECT_EQ(detshim::learn_seeds(one.read(), other.read()).size(), 1U);
  const LogOfSeeds more(LogOfSeeds::Seeds{{"70001", "0"}, {"70002", "0"}});
  EXPECT_TRUE(detshim::learn_seeds(one.read(), more.read()).empty());
  EXPECT_TRUE(detshim::learn_seeds(more.read(), one.read()).empty());
  const LogOfSeeds dealt(LogOfSeeds::Seeds{{"70001", "0.1"}, {"70002", "0.2"}, {"70003", "0.1"}});
  const LogOfSeeds otherwise(
      LogOfSeeds::Seeds{{"70001", "0.2"}, {"70002", "0.2"}, {"70004", "0.1"}});
  EXPECT_TRUE(detshim::learn_seeds(dealt.read(), otherwise.read()).empty());
  const LogOfSeeds alike(LogOfSeeds::Seeds{{"70001", "0.1"}, {"70002", "0.2"}, {"70004", "0.1"}});
  EXPECT_EQ(detshim::learn_seeds(dealt.read(), alike.read()).size(), 1U);
}

/// A seed that one place passed, and what became of it.
struct PassedSeed {
  const char* place;
  const char* requested;
  const char* effective;
  const char* why;
};

/// A log of one process that passed these.
detshim::Log log_of(const std::filesystem::path& folder, const std::vector<PassedSeed>& seeds) {
  std::filesystem::create_directory(folder);
  std::ofstream file(folder / "0-0-4711.jsonl");
  file << R"({"t":"start","v":1,"detshim":"0.1.0","run":"20261121T003512-4711","pid":4711,)"
       << R"("rank":0,"path":"0","program":"/bin/train","args":["./train"],"mode":"enforce",)"
       << R"("policy":"fixed","seed":"42","seed_from":"DETSHIM_SEED","env":[]})" << '\n';
  int number = 0;
  for (const PassedSeed& seed : seeds)
    file << R"({"t":"call","n":)" << ++number
         << R"(,"thread":"0","lib":"libc","fn":"srand","do":"pin","requested":")" << seed.requested
         << R"(","effective":")" << seed.effective << R"(","why":")" << seed.why
         << R"(","at":"/bin/)" << seed.place << "\"}\n";
  file << R"({"t":"end","counts":{}})" << std::endl;
  return detshim::read_log(folder.string());
}

/// What two runs teach: the entries for the library.
Words entries_of(const std::vector<PassedSeed>& one, const std::vector<PassedSeed>& other) {
  const TemporaryFolder folder;
  Words entries;
  for (const detshim::LearnedSeeds& learned : detshim::learn_seeds(
           log_of(folder.path() / "one", one), log_of(folder.path() / "other", other)))
    entries.push_back(learned.entry);
  return entries;
}

TEST(SeedsOfTwoLogs, AreLearnedByWhatChangedAndWhy) {
  constexpr const char *mine = "own_value", *guess = "address_seed", *order = "ordered_seed",
                       *clock = "clock_seed", *cut = "values_not_written";
  const struct {
    std::vector<PassedSeed> one, other;
    Words entries;
  } cases[] = {
      {{{"a+0x1", "71", "7", mine}}, {{"a+0x1", "72", "8", mine}}, {"a+0x1"}},
      {{{"a+0x1", "71", "7", mine}}, {{"a+0x1", "71", "7", mine}}, {}},
      {{{"a+0x1", "71", "7", mine}}, {{"b+0x1", "72", "8", mine}}, {}},
      // What was replaced alike changes nothing, unless the library has only guessed why.
      {{{"a+0x1", "71", "7", clock}}, {{"a+0x1", "72", "7", clock}}, {}},
      {{{"a+0x1", "71", "7", guess}}, {{"a+0x1", "72", "7", clock}}, {"a+0x1"}},
      {{{"a+0x1", "71", "7", clock}}, {{"a+0x1", "72", "7", guess}}, {"a+0x1"}},
      {{{"a+0x1", "71", "7", order}}, {{"a+0x1", "72", "7", clock}}, {"a+0x1 order"}},
      {{{"a+0x1", "71", "7", clock}}, {{"a+0x1", "72", "7", order}}, {"a+0x1 order"}},
      // Other reasons are none of a seed that may change.
      {{{"a+0x1", "71", "7", "so"}}, {{"a+0x1", "72", "8", "so"}}, {}},
      // What was taken for what may change, and did not.
      {{{"a+0x1", "71", "7", order}}, {{"a+0x1", "71", "7", order}}, {"a+0x1 same 71"}},
      {{{"a+0x1", "71", "7", order}}, {{"a+0x1", "71", "7", clock}}, {}},
      {{{"a+0x1", "71", "7", clock}}, {{"a+0x1", "71", "7", order}}, {}},
      // One of two values changed.
      {{{"a+0x1", "71", "7", mine}, {"a+0x1", "70", "6", mine}},
       {{"a+0x1", "72", "8", mine}, {"a+0x1", "70", "6", mine}},
       {"a+0x1 70"}},
      // Of more values than a log holds, only where none came again.
      {{{"a+0x1", "71", "7", mine}, {"a+0x1", "70", "6", mine}},
       {{"a+0x1", "72", "8", mine}, {"a+0x1", "70", "6", mine}, {"a+0x1", "", "", cut}},
       {}},
      {{{"a+0x1", "71", "7", mine}, {"a+0x1", "70", "6", mine}, {"a+0x1", "", "", cut}},
       {{"a+0x1", "72", "8", mine}, {"a+0x1", "70", "6", mine}},
       {}},
      {{{"a+0x1", "71", "7", mine}},
       {{"a+0x1", "72", "8", mine}, {"a+0x1", "73", "8", cut}},
       {"a+0x1"}},
      // Two that pass one value belong together, in both runs.
      {{{"a+0x1", "71", "7", mine}, {"b+0x1", "71", "7", mine}},
       {{"a+0x1", "72", "8", mine}, {"b+0x1", "72", "8", mine}},
       {"a+0x1 =a+0x1", "b+0x1 =a+0x1"}},
      {{{"a+0x1", "71", "7", mine}, {"b+0x1", "71", "7", mine}},
       {{"a+0x1", "72", "8", mine}, {"b+0x1", "73", "9", mine}},
       {"a+0x1", "b+0x1"}},
      {{{"a+0x1", "71", "7", mine}, {"b+0x1", "70", "6", mine}},
       {{"a+0x1", "72", "8", mine}, {"b+0x1", "72", "8", mine}},
       {"a+0x1", "b+0x1"}},
      // One that is known already is told from what it passes with another.
      {{{"a+0x1", "71", "7", "learned_seed"}, {"b+0x1", "71", "7", mine}},
       {{"a+0x1", "72", "7", "learned_seed"}, {"b+0x1", "72", "8", mine}},
       {"b+0x1 =a+0x1"}},
      {{{"a+0x1", "71", "7", clock}, {"b+0x1", "71", "7", mine}},
       {{"a+0x1", "72", "7", clock}, {"b+0x1", "72", "8", mine}},
       {"b+0x1"}},
  };
  for (std::size_t i = 0; i < std::size(cases); ++i)
    EXPECT_EQ(entries_of(cases[i].one, cases[i].other), cases[i].entries) << i;
  // No name of a call site has what a document cannot hold.
  EXPECT_EQ(entries_of({{R"(a\"+0x1)", "71", "7", mine}}, {{R"(a\"+0x1)", "72", "8", mine}}),
            Words());
}

/// Another seed is another run; of more than a log holds nothing is known.
TEST(SeedsOfTwoLogs, ArePartsOfTheirRunsState) {
  const TemporaryFolder folder;
  int number = 0;
  const auto parts = [&](const std::vector<PassedSeed>& seeds) {
    detshim::ProgramState state;
    detshim::add_seeds(log_of(folder.path() / std::to_string(++number), seeds), state);
    return state.parts;
  };
  const auto one = parts({{"a+0x1", "71", "7", "own_value"}});
  EXPECT_EQ(one.size(), 1U);
  EXPECT_EQ(one, parts({{"a+0x1", "72", "7", "own_value"}}));
  EXPECT_NE(one, parts({{"a+0x1", "71", "8", "own_value"}}));
  EXPECT_EQ(parts({{"a+0x1", "71", "7", "own_value"}, {"a+0x1", "", "", "values_not_written"}}),
            parts({{"a+0x1", "71", "8", "own_value"}, {"a+0x1", "", "", "values_not_written"}}));
}

class LearnedSeeds : public NamedSeeds, public testing::WithParamInterface<const char*> {
protected:
  void SetUp() override {
    if (!std::filesystem::exists(GetParam()))
      GTEST_SKIP() << "its library is not there to build " << GetParam();
  }
};

/// By way and route, what was drawn, or passed.
std::map<std::string, std::string> rows_of(const std::string& text) {
  std::map<std::string, std::string> rows;
  for (const std::string& line : lines(text))
    rows[line.substr(0, line.rfind(' '))] = line.substr(line.rfind(' ') + 1);
  return rows;
}

/// Below 1000 `pid % 1000` is the process id itself, which the log says; whether it is must not
/// change.
void pass_small_process_ids() {
  std::ifstream file("/proc/sys/kernel/pid_max");
  pid_t most = 0;
  file >> most;
  for (int i = 0; i < 10'000; ++i) {
    const pid_t child = fork();
    if (child == 0)
      _exit(0);
    waitpid(child, nullptr, 0);
    if (child > 2000 && child < most - 4000)
      return;
  }
}

TEST_P(LearnedSeeds, AreTheSameInEachLaterRun) {
  pass_small_process_ids();
  const Words ways = {GetParam(), "ways"};
  const Result first = run_once(ways), second = run_once(ways);
  const std::size_t all = rows_of(first.out).size();
  ASSERT_GE(all, 196u) << first.err;
  EXPECT_NE(first.out, second.out);
  const Result verified = verify(ways);
  ASSERT_EQ(verified.status, 0) << verified.out;
  EXPECT_GT(learned().size(), all * 2 / 3);
  const Result one = run_once(ways), other = run_once(ways);
  const auto draws = rows_of(one.out), others = rows_of(other.out);
  for (const auto& [row, draw] : draws)
    EXPECT_EQ(others.at(row), draw) << row;
  EXPECT_NE(one.out, run_once(ways, "43").out);
  // What natively differs stays distinct.
  std::map<std::string, std::string> row_of_draw;
  const auto seeds = rows_of(one.err);
  for (const auto& [row, draw] : draws) {
    const std::string& first_row = row_of_draw.emplace(draw, row).first->second;
    EXPECT_EQ(seeds.at(first_row), seeds.at(row)) << row << " and " << first_row;
  }
}

TEST_P(LearnedSeeds, AreNoneOfAProgramThatFixesItsOwn) {
  const Words fixed = {GetParam(), "fixed"};
  const std::string before = run_once(fixed).out;
  EXPECT_EQ(rows_of(before).size(), 60u);
  EXPECT_EQ(verify(fixed).status, 0);
  for (const std::string entry : learned())
    EXPECT_NE(entry.find(" same "), std::string::npos) << entry;
  EXPECT_EQ(run_once(fixed).out, run(fixed).out) << "what proved constant is left as it is";
}

// Without a comparison: what is not told by an exact reading is a reason.
TEST_P(LearnedSeeds, AreNeverCoveredBefore) {
  constexpr int ways = 196, routes = 6, stride = 29;
  for (int row = 0; row < ways * routes; row += stride) {
    const Words one = {GetParam(), "ways", std::to_string(row / routes),
                       std::to_string(row % routes)};
    const std::string drawn = run_once(one).out;
    if (run_once(one).out == drawn)
      continue;
    EXPECT_EQ(verdict()["verdict"], "unverified") << one[2] << ' ' << one[3];
  }
}

INSTANTIATE_TEST_SUITE_P(Of, LearnedSeeds,
                         testing::Values(SEED_WAYS, SEED_WAYS_OF_CURAND, SEED_WAYS_OF_CUDNN),
                         [](const auto& tested) {
                           const std::string program = tested.param;
                           return program.substr(program.rfind('/') + 1);
                         });

// The user is told which lines they are, and the log why.
TEST_F(NamedSeeds, AreThoseOfTheirLines) {
  copy_program("seed_of_a_line.cpp");
  ASSERT_EQ(run({"g++", "-g", "-o", "seed", "seed.cpp"}, {}, scratch_.path()).status, 0);
  const std::string before = run_once({"./seed"}).out;
  const Json first = verdict();
  EXPECT_EQ(first["verdict"], "unverified");
  EXPECT_NE(first["reasons"].dump().find("seed.cpp:8"), std::string::npos) << first["reasons"];
  const Result verified = verify({"./seed"});
  EXPECT_EQ(verified.status, 0);
  EXPECT_EQ(learned().size(), 1u) << learned();
  EXPECT_NE(verified.out.find(": seed.cpp:8\n"), std::string::npos) << verified.out;
  const Result later = run_once({"./seed"});
  EXPECT_EQ(verdict()["verdict"], "verified");
  EXPECT_EQ(later.out, run_once({"./seed"}).out);
  EXPECT_EQ(later.out, before) << "the numbers of the first run, and srand(7) stays";
}

// What Python makes of a clock out of sight, too: hashes, negative and large numbers, small ones.
TEST_F(NamedSeeds, AreThoseOfPythonsLines) {
  if (run({"/usr/bin/python3", "-c", "import numpy"}).status != 0)
    GTEST_SKIP() << "no NumPy";
  copy_program("seeds_of_python.py", "train.py");
  const Words command = {"/usr/bin/python3", "train.py"};
  const auto rows_of_run = [&] {
    return lines(run_once(command).out);
  };
  const Words before = rows_of_run(), again = rows_of_run();
  ASSERT_EQ(before.size(), 12u);
  EXPECT_EQ((Words{before[5], before[6], before[7]}), (Words{"apart 3", "refused", "refused"}));
  bool is_named = false;
  const Json reasons = verdict()["reasons"];
  for (const Json& reason : reasons)
    for (const Json& line : reason["names"])
      is_named |= reason["kind"] == "unexplained_seed" && line == "train.py:10";
  EXPECT_TRUE(is_named) << reasons;
  for (std::size_t i = 0; i < before.size(); ++i)
    EXPECT_EQ(before[i] == again[i], i > 4) << before[i];
  const Result verified = verify(command);
  ASSERT_EQ(verified.status, 0) << verified.out;
  Words lines_that_seed;
  for (const Json& entry : learned())
    lines_that_seed.push_back(
        entry.get<std::string>().substr(0, entry.get<std::string>().find(' ')));
  EXPECT_EQ(lines_that_seed, (Words{"train.py:10", "train.py:12", "train.py:14", "train.py:16",
                                    "train.py:17", "train.py:19", "train.py:31"}));
  const Words later = rows_of_run();
  EXPECT_EQ(verdict()["verdict"], "verified") << verdict()["reasons"] << verdict()["evidence"];
  EXPECT_EQ(later.back(), "same 1") << "as natively";
  EXPECT_EQ(rows_of_run(), later);
  for (std::size_t i = 5; i < later.size(); ++i)
    EXPECT_EQ(later[i], before[i]) << "what is fixed stays";
}

// Threads and call sites that passed one value when runs were compared pass one later, and no
// others do.
TEST_F(NamedSeeds, AreOneWhereTheyWereOne) {
  copy_program("seeds_passed_twice.cpp");
  ASSERT_EQ(run({"g++", "-o", "seed", "seed.cpp", "-pthread"}, {}, scratch_.path()).status, 0);
  ASSERT_EQ(verify({"./seed"}).status, 0);
  const std::string drawn = run_once({"./seed"}).out;
  std::map<std::string, std::set<std::string>> draws;
  std::set<std::string> all;
  for (const std::string& line : lines(drawn)) {
    const std::string draw = line.substr(line.find(' ') + 1);
    draws[line.substr(0, line.find(' '))].insert(draw);
    all.insert(draw);
  }
  EXPECT_EQ(draws["again"],
            (std::set<std::string>{*draws["first"].begin(), *draws["other"].begin()}));
  EXPECT_EQ(draws["thread"].size(), 1u);
  EXPECT_EQ(all.size(), 3u) << drawn;
  EXPECT_EQ(run({"env", "LATER=1", DETSHIM_COMMAND, "run", "--quiet", "--seed", "42", "--library",
                 DETSHIM_LIBRARY, "--", "./seed"},
                {}, scratch_.path())
                .out,
            drawn);
}

// Two values that were equal in one of the compared runs are two.
TEST_F(NamedSeeds, ThatMetInOneRunAreTwo) {
  copy_program("seeds_that_met_once.cpp");
  ASSERT_EQ(run({"g++", "-o", "seed", "seed.cpp", "-pthread"}, {}, scratch_.path()).status, 0);
  const TemporaryFolder elsewhere;
  const std::string mark = (elsewhere.path() / "mark").string();
  verify({"./seed", mark});
  EXPECT_EQ(learned().size(), 2U);
  for (const std::string entry : learned())
    EXPECT_EQ(entry.find('='), std::string::npos) << entry;
  const std::string drawn = run_once({"./seed", mark}).out;
  std::filesystem::remove(mark);
  EXPECT_EQ(run_once({"./seed", mark}).out, drawn) << "whether they meet again or not";
}

TEST_F(NamedSeeds, AreThoseOfFilesWithBlanksInTheirNames) {
  std::ofstream(scratch_.path() / "my train.py")
      << contents(PROGRAMS_FOLDER "/one_seed_in_two_places.py");
  const Words command = {"/usr/bin/python3", "my train.py"};
  const Result verified = verify(command);
  ASSERT_EQ(verified.status, 0) << verified.out;
  EXPECT_NE(verified.out.find(": my train.py:3, my train.py:5\n"), std::string::npos)
      << verified.out;
  EXPECT_EQ(learned(), (Json{"my/train.py:3 =my/train.py:3", "my/train.py:5 =my/train.py:3"}));
  const Words drawn = lines(run_once(command).out);
  EXPECT_EQ(drawn, (Words{drawn.at(0), drawn.at(0)})) << "one seed in both places";
  EXPECT_EQ(lines(run_once(command).out), drawn);
}

// A part of a clock may be any number: one of the code, or near to one of the environment.
TEST_F(NamedSeeds, StayLearnedWhateverTheyLookLike) {
  copy_program("seed_like_other_numbers.cpp");
  ASSERT_EQ(run({"g++", "-O0", "-o", "seed", "seed.cpp"}, {}, scratch_.path()).status, 0);
  ASSERT_EQ(verify({"./seed"}).status, 0);
  const std::string drawn = run_once({"./seed"}).out;
  for (const char* number : {"PASSED_NUMBER=100", "PASSED_NUMBER=1000000"})
    EXPECT_EQ(run({"env", number, DETSHIM_COMMAND, "run", "--quiet", "--seed", "42", "--library",
                   DETSHIM_LIBRARY, "--", "./seed"},
                  {}, scratch_.path())
                  .out,
              drawn)
        << number;
}

// A seed that was not seen to change, and does, is another run than those that were compared.
TEST_F(NamedSeeds, OfALaterRunAreThoseOfTheComparedOnes) {
  copy_program("seed_of_nice.cpp");
  ASSERT_EQ(run({"g++", "-O0", "-o", "seed", "seed.cpp"}, {}, scratch_.path()).status, 0);
  ASSERT_EQ(verify({"./seed"}).status, 0);
  const std::string drawn = run_once({"./seed"}).out;
  EXPECT_EQ(verdict()["verdict"], "verified");
  const Result other = run({"nice", "-n", "5", DETSHIM_COMMAND, "run", "--quiet", "--seed", "42",
                            "--library", DETSHIM_LIBRARY, "--", "./seed"},
                           {}, scratch_.path());
  EXPECT_NE(other.out, drawn);
  EXPECT_EQ(verdict()["verdict"], "unverified");
}

// Several values that threads of one process share: which comes first is a race, and no order of
// calls tells.
TEST_F(NamedSeeds, ThatThreadsRaceForAreNotLearned) {
  copy_program("racing_seeds.cpp");
  ASSERT_EQ(run({"g++", "-O0", "-o", "seed", "seed.cpp", "-pthread"}, {}, scratch_.path()).status,
            0);
  EXPECT_EQ(verify({"./seed"}).status, 1) << "different: the seed is kept";
  run_once({"./seed"});
  EXPECT_EQ(verdict()["verdict"], "partial") << "whatever seed it passes";
}

} // namespace
