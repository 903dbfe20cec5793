// Scripts that hand a clock to a generator of the interpreter's own. Where no hook sees that, the
// run is never covered; where the language has lines that are seen, the one that read the clock is
// named.
#include "log_files.h"
#include "run.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <ostream>
#include <string>
#include <vector>

namespace {

using Texts = std::vector<std::string>;

struct Script {
  std::string name;
  Texts command;
  std::string script;             ///< what the file of that name holds
  bool goes_nowhere_else = false; ///< the reading, but into the seed
};

std::ostream& operator<<(std::ostream& out, const Script& script) { return out << script.name; }

struct Seen {
  std::string verdict;
  Texts clocks; ///< the lines that the reasons of that kind name
};

Seen seen_in(const TemporaryFolder& scratch) {
  const auto document =
      nlohmann::json::parse(run({DETSHIM_COMMAND, "log", "--json", scratch.log().string()}).out);
  Seen seen{document["verdict"], {}};
  for (const auto& reason : document["reasons"])
    if (reason["kind"] == "clock")
      for (const auto& line : reason["names"])
        seen.clocks.push_back(line);
  return seen;
}

class ScriptSeeds : public testing::TestWithParam<Script> {};

/// What it prints, and what the log says of it.
std::string printed_by(const Script& tested, Seen& seen) {
  const TemporaryFolder scratch;
  if (!tested.script.empty())
    std::ofstream(scratch.path() / "script") << tested.script;
  Texts command = {DETSHIM_COMMAND, "run", "--library", DETSHIM_LIBRARY, "--"};
  command.insert(command.end(), tested.command.begin(), tested.command.end());
  const Result result = run(
      command, under_shim(scratch, {{"DETSHIM_SEED", "1"}, {"LD_PRELOAD", ""}}), scratch.path());
  EXPECT_EQ(result.status, 0) << result.err;
  seen = seen_in(scratch);
  if (tested.command.front() == "python3") {
    EXPECT_EQ(seen.clocks.size(), tested.goes_nowhere_else ? 0U : 1U) << "the line that reads";
  }
  return result.out;
}

TEST_P(ScriptSeeds, AreNeverCovered) {
  if (find_program(GetParam().command.front()).empty())
    GTEST_SKIP() << "no " << GetParam().command.front();
  Seen first, second;
  EXPECT_NE(printed_by(GetParam(), first), printed_by(GetParam(), second));
  EXPECT_EQ(first.verdict, "unverified");
  EXPECT_EQ(second.verdict, "unverified");
}

INSTANTIATE_TEST_SUITE_P(
    All, ScriptSeeds,
    testing::Values(
        Script{"perl",
               {"perl", "-MTime::HiRes=time", "-e", "srand(1e6 * time % 1e9); print rand"},
               ""},
        Script{"perl_by_name", {"perl", "script"}, contents(PROGRAMS "clock_to_seed.pl")},
        Script{"ruby", {"ruby", "-e", "srand(Time.now.nsec); print rand"}, ""},
        Script{"ruby_new", {"ruby", "-e", "now = Time.now.nsec; print Random.new(now).rand"}, ""},
        Script{"php", {"php", "-r", "mt_srand(hrtime(true)); echo mt_rand();"}, ""},
        Script{"R", {"Rscript", "script"}, contents(PROGRAMS "clock_to_seed.R")},
        Script{"octave", {"octave-cli", "--eval", "rand('seed', 1e6 * time()); disp(rand())"}, ""},
        Script{"tcl", {"tclsh", "script"}, contents(PROGRAMS "clock_to_seed.tcl")},
        Script{"swipl",
               {"swipl", "-g",
                "get_time(T), N is integer(T*1000000), set_random(seed(N)), random(X), print(X)",
                "-t", "halt"},
               ""},
        Script{"luajit",
               {"luajit", "-e", "math.randomseed(os.clock() * 1e9) print(math.random())"},
               ""},
        Script{"bash",
               {"bash", "-c", ": $SRANDOM; RANDOM=$(date +%N | sed s/^0*//); echo $RANDOM"},
               ""}),
    [](const auto& tested) {
      return tested.param.name;
    });

/// A section of `clock_to_seed.py`.
Script of_python(const std::string& name, bool goes_nowhere_else = false) {
  return {"python_" + name,
          {"python3", "script"},
          section(PROGRAMS "clock_to_seed.py", name),
          goes_nowhere_else};
}

// What Python's generators are passed is replaced, by whatever names it goes there.
class PythonScriptSeeds : public testing::TestWithParam<Script> {};

TEST_P(PythonScriptSeeds, Repeat) {
  Seen seen;
  EXPECT_EQ(printed_by(GetParam(), seen), printed_by(GetParam(), seen));
}

INSTANTIATE_TEST_SUITE_P(
    All, PythonScriptSeeds,
    testing::Values(of_python("in_a_formatted_text"), of_python("option"), of_python("dict"),
                    of_python("typed"), of_python("default_argument"), of_python("returned"),
                    of_python("returned_by_a_method"), of_python("handed_over"),
                    of_python("handed_to_a_seed"), of_python("handed_to_a_constructor"),
                    of_python("by_three_names"), of_python("by_a_walrus"),
                    of_python("by_an_attribute"), of_python("by_a_key"), of_python("by_a_loop"),
                    of_python("by_setdefault"), of_python("in_one_line"),
                    Script{
                        "python_command",
                        {"python3", "-c",
                         "import random, time; random.seed(time.time()); print(random.random())"},
                        "",
                        true},
                    of_python("lines", true), of_python("after_many_records"),
                    of_python("after_many_readings", true)),
    [](const auto& tested) {
      return tested.param.name;
    });

TEST(ClockSeeds, InAScriptFromAPipeAreNamed) {
  const TemporaryFolder scratch;
  std::ofstream(scratch.path() / "script") << contents(PROGRAMS "draw_and_reading.py");
  ASSERT_EQ(run({"sh", "-c", "python3 - <script"}, under_shim(scratch, {{"DETSHIM_SEED", "1"}}),
                scratch.path())
                .status,
            0);
  EXPECT_EQ(seen_in(scratch).clocks, Texts{"<stdin>:3"});
}

// The reading is in a module, its seed in the script.
TEST(ClockSeeds, OfAnotherFileAreNamed) {
  const TemporaryFolder scratch;
  std::ofstream(scratch.path() / "clock_of_mine.py") << contents(PROGRAMS "clock_of_mine.py");
  std::ofstream(scratch.path() / "train.py") << contents(PROGRAMS "seed_of_another_file.py");
  const Texts command = {"python3", (scratch.path() / "train.py").string()};
  ASSERT_EQ(run(command, under_shim(scratch, {{"DETSHIM_SEED", "1"}})).status, 0);
  EXPECT_EQ(seen_in(scratch).clocks, Texts{"clock_of_mine.py:3"});
}

// They make a log of their own: -S leaves out what an installation may draw when it starts.
TEST(ClockSeeds, WithoutADrawAreNamed) {
  const TemporaryFolder scratch;
  std::ofstream(scratch.path() / "train.py") << contents(PROGRAMS "reading_without_a_draw.py");
  const Texts command = {"python3", "-S", (scratch.path() / "train.py").string()};
  ASSERT_EQ(run(command, under_shim(scratch, {{"DETSHIM_SEED", "1"}})).status, 0);
  EXPECT_EQ(seen_in(scratch).clocks, Texts{"train.py:2"});
}

// The interpreter's own locks read a clock too, for whatever line takes one.
TEST(ClockSeeds, AreNotSeenWhereAFileIsOpened) {
  const TemporaryFolder scratch;
  std::ofstream(scratch.path() / "train.py") << contents(PROGRAMS "draw_and_open.py");
  const Texts command = {"/usr/bin/python3", "-S", (scratch.path() / "train.py").string()};
  ASSERT_EQ(run(command, under_shim(scratch, {{"DETSHIM_SEED", "1"}})).status, 0);
  EXPECT_EQ(seen_in(scratch).clocks, Texts{});
}

/// A program `engine_NAME.cpp`.
struct Source {
  std::string name;
  std::string line; ///< that reads the clock
};

std::ostream& operator<<(std::ostream& out, const Source& source) { return out << source.name; }

class CxxSeeds : public testing::TestWithParam<Source> {};

// What an engine of C++'s is made of no hook sees: the line says it, whatever it was compiled to.
TEST_P(CxxSeeds, AreNamed) {
  const Source& tested = GetParam();
  const TemporaryFolder scratch;
  std::ofstream(scratch.path() / "t.cpp") << contents(PROGRAMS "engine_" + tested.name + ".cpp");
  for (const char* level : {"-O0", "-O2"}) {
    ASSERT_EQ(run({"c++", "-g", level, "-o", "t", "t.cpp"}, {}, scratch.path()).status, 0);
    std::string printed[2];
    for (std::string& text : printed) {
      std::filesystem::remove_all(scratch.log());
      const Result result =
          run({"./t"}, under_shim(scratch, {{"DETSHIM_SEED", "1"}}), scratch.path());
      ASSERT_EQ(result.status, 0) << result.err;
      text = result.out;
      EXPECT_EQ(seen_in(scratch).clocks, Texts{tested.line}) << level;
    }
    EXPECT_NE(printed[0], printed[1]);
  }
}

INSTANTIATE_TEST_SUITE_P(All, CxxSeeds,
                         testing::Values(Source{"made", "t.cpp:8"}, Source{"by_names", "t.cpp:8"},
                                         Source{"seeded", "t.cpp:9"}),
                         [](const auto& tested) {
                           return tested.param.name;
                         });

// A number that a script or a child made of a clock is the program's own for all that the program
// shows. Under a bare preload too, who made it is named.
class HandedOver : public testing::TestWithParam<Script> {};

TEST_P(HandedOver, IsNeverCovered) {
  const TemporaryFolder scratch;
  std::ofstream(scratch.path() / "program.cpp") << contents(PROGRAMS "seed_handed_over.cpp");
  std::ofstream(scratch.path() / "asks.cpp") << contents(PROGRAMS "seed_of_a_child.cpp");
  for (const std::string program : {"program", "asks"})
    ASSERT_EQ(run({"c++", "-o", program, program + ".cpp"}, {}, scratch.path()).status, 0);
  std::ofstream(scratch.path() / "script") << GetParam().script;
  const auto started = [&](const Environment& environment) {
    return run(GetParam().command, environment, scratch.path());
  };
  EXPECT_NE(started({}).out, started({}).out);
  const Environment bare = under_shim(scratch, {{"DETSHIM_SEED", "1"}});
  ASSERT_EQ(started(bare).status, 0);
  EXPECT_EQ(seen_in(scratch).verdict, "unverified");
}

INSTANTIATE_TEST_SUITE_P(
    All, HandedOver,
    testing::Values(
        Script{"popen", {"./asks"}, ""},
        Script{"argument", {"bash", "script"}, "./program $(date +1%N)\n"},
        Script{"id", {"sh", "script"}, "SEED=$$ ./program\n"},
        Script{"environment", {"bash", "script"}, "SEED=${EPOCHREALTIME#*.} ./program\n"},
        Script{"file", {"sh", "script"}, "date +1%N >seed\n./program <seed\n"},
        Script{"pipe", {"bash", "script"}, "date +1%N | ./program\n"},
        Script{"status", {"bash", "script"}, "./program $SRANDOM$(date +%N)\n"},
        Script{"text", {"bash", "-c", "./program $$"}, ""},
        Script{"text_of_sh", {"sh", "-c", "SEED=$$ exec ./program"}, ""},
        Script{"file_of_system",
               {"bash", "-c", "./program $(cut -d' ' -f5 /proc/loadavg)"}, // the last process id
               ""}),
    [](const auto& tested) {
      return tested.param.name;
    });

} // namespace
