// Records of a Python process name the user's own line, for each line, whichever thread holds the
// interpreter's lock meanwhile.
#include "log_files.h"
#include "run.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

/// "random.py seed" of "/usr/lib/python3.11/random.py:163 seed"
std::string library_frame(const std::string& frame) {
  const std::string file = frame.substr(frame.rfind('/') + 1);
  return file.substr(0, file.find(':')) + file.substr(file.find(' '));
}

class PythonPlaces : public testing::TestWithParam<const char*> {
protected:
  void SetUp() override {
    const Result found = run({GetParam(), "-c", "import sys; print(sys.executable)"});
    if (found.status != 0)
      GTEST_SKIP() << "no " << GetParam();
    python_ = lines(found.out).front();
  }

  /// Runs the script as t.py; its records' places: "t.py:3 f" for the user's frame, with "
  /// random.py seed" for the frame that it called.
  Lines places(const std::string& script) {
    EXPECT_FALSE(script.empty());
    std::ofstream(scratch_.path() / "t.py") << script;
    const Result result =
        run({python_, "t.py"},
            under_shim(scratch_, {{"DETSHIM_SEED", "1"},
                                  {"PYTHONPATH", (scratch_.path() / "site-packages").string()}}),
            scratch_.path());
    EXPECT_EQ(result.status, 0) << result.err;
    Lines found;
    for (const ProcessLog& process : read_log(scratch_.log()))
      for (const auto& record : process.records) {
        if (record["t"] != "call" || !record.contains("py"))
          continue;
        calls_ += 1;
        if (!record.contains("user"))
          continue;
        const std::size_t user = record["user"];
        const std::string frame = record["py"][user];
        found.push_back(frame.substr(frame.rfind('/') + 1) +
                        (user == 0 ? "" : " " + library_frame(record["py"][user - 1])));
      }
    return found;
  }

  const TemporaryFolder scratch_;
  std::string python_; // the interpreter itself, not a script that chooses one
  std::size_t calls_ = 0;
};

TEST_P(PythonPlaces, EveryLineThatDrawsHasARecord) {
  EXPECT_EQ(places(contents(FRAMEWORKS_FOLDER "/python_lines_that_draw.py")),
            (Lines{"t.py:1 <module> random.py <module>", "t.py:4 f", "t.py:6 <module>",
                   "t.py:8 <module> random.py seed", "t.py:9 <module> uuid.py uuid4",
                   "t.py:10 g uuid.py uuid4"}));
}

// ctypes gives the lock up for each call; most of PyTorch does.
TEST_P(PythonPlaces, AreFoundWithoutTheInterpretersLock) {
  EXPECT_EQ(places(contents(FRAMEWORKS_FOLDER "/python_draws_without_the_lock.py")),
            (Lines{"t.py:3 draw", "t.py:6 numbers", "t.py:8 <lambda>", "t.py:9 <lambda>",
                   "t.py:10 <lambda>", "t.py:11 <lambda>"}));
}

TEST_P(PythonPlaces, OfAPackageThatDrawsAtImportIsTheUsersImport) {
  fs::create_directories(scratch_.path() / "site-packages/framework");
  std::ofstream(scratch_.path() / "site-packages/framework/__init__.py") << "from . import inner\n";
  std::ofstream(scratch_.path() / "site-packages/framework/inner.py")
      << "import os\nos.urandom(4)\n";
  EXPECT_EQ(places("import framework\n"), (Lines{"t.py:1 <module> __init__.py <module>"}));
}

TEST_P(PythonPlaces, OfAProgramThatIsNotCoveredIsTheLineThatLedToIt) {
  std::ofstream(scratch_.path() / "s.c") << "void _start(void) { *(volatile int*)0 = 0; }\n";
  ASSERT_EQ(run({"cc", "-static", "-nostdlib", "-o", "s", "s.c"}, {}, scratch_.path()).status, 0);
  EXPECT_EQ(places(contents(PROGRAMS "runs_a_program_of_its_own.py")),
            (Lines{"t.py:2 look subprocess.py run"}));
}

TEST_P(PythonPlaces, AreBounded) {
  EXPECT_LE(places(contents(PROGRAMS "draws_in_many_lines.py")).size(), 201U);
  EXPECT_GT(calls_, 100U);
}

TEST_P(PythonPlaces, OfNumpysSeedsIsTheUsersLine) {
  if (run({python_, "-c", "import numpy"}).status != 0)
    GTEST_SKIP() << "no numpy";
  const Lines found = places(contents(PROGRAMS "seeds_of_numpy.py"));
  for (const char* place :
       {"t.py:2 <module> random.py getrandbits", "t.py:3 <module> random.py getrandbits"})
    EXPECT_TRUE(std::ranges::count(found, place)) << place;
}

/// The lines that the reasons about clocks name.
Lines clocks_of(const nlohmann::json& document) {
  Lines found;
  for (const auto& reason : document["reasons"])
    if (reason["kind"] == "clock")
      for (const auto& line : reason["names"])
        found.push_back(line);
  return found;
}

// What Python makes of a seed no hook sees: such a script draws other numbers in each run.
TEST_P(PythonPlaces, ThatReadAClockAreNamed) {
  const auto lines = [&](const std::string& name) {
    fs::remove_all(scratch_.log());
    places(section(PROGRAMS "readings_of_clocks_and_ids.py", name));
    const auto document = nlohmann::json::parse(
        run({DETSHIM_COMMAND, "log", "--json", "--no-scan", scratch_.log().string()}).out);
    return clocks_of(document);
  };
  EXPECT_EQ(lines("seed"), Lines{"t.py:2"});
  EXPECT_EQ(lines("indented"), Lines{"t.py:3"});
  EXPECT_EQ(lines("name"), Lines{"t.py:2"});
  EXPECT_EQ(lines("datetime"), Lines{"t.py:3"});
  EXPECT_EQ(lines("another_name"), Lines{"t.py:3"});
  EXPECT_EQ(lines("shown"), Lines{});
  EXPECT_EQ(lines("waited_for"), (Lines{"t.py:2", "t.py:3"}));
}

// docs/VERDICT.md: what a line prints of a clock is no result. tests/shown_times has the rules.
TEST_P(PythonPlaces, ThatOnlyShowTimesAreNoReason) {
  const auto judged = [&] {
    return nlohmann::json::parse(
        run({DETSHIM_COMMAND, "log", "--json", "--no-scan", scratch_.log().string()}).out);
  };
  const auto clocks = [](const nlohmann::json& document) {
    return std::ranges::count(document["reasons"], "clock", [](const auto& reason) {
      return reason["kind"].template get<std::string>();
    });
  };
  places(contents(PROGRAMS "shows_times.py"));
  const nlohmann::json first = judged();
  EXPECT_EQ(first["shown_times"], (Lines{"t.py:3", "t.py:4", "t.py:6"}));
  EXPECT_EQ(clocks(first), 0);
  // Another file than the one that ran.
  fs::last_write_time(scratch_.path() / "t.py", fs::file_time_type::clock::now());
  EXPECT_EQ(judged()["shown_times"], Lines{});
  EXPECT_EQ(clocks(judged()), 1);
}

// A program of the run may read them, and make a result of them.
TEST_P(PythonPlaces, ThatShowTimesToAnotherProgramAreAReason) {
  places(contents(PROGRAMS "shows_times.py")); // leaves the script
  const auto shown_by = [&](const std::string& script) {
    fs::remove_all(scratch_.log());
    EXPECT_EQ(run({"/bin/sh", "-c", script, python_}, under_shim(scratch_, {{"DETSHIM_SEED", "1"}}),
                  scratch_.path())
                  .status,
              0);
    return nlohmann::json::parse(
               run({DETSHIM_COMMAND, "log", "--json", "--no-scan", scratch_.log().string()})
                   .out)["shown_times"]
        .size();
  };
  EXPECT_EQ(shown_by("$0 t.py; true"), 3U);
  EXPECT_EQ(shown_by("$0 t.py | cat; true"), 0U);
  EXPECT_EQ(shown_by("x=$($0 t.py); true"), 0U);
}

// A thread that waits for the interpreter's lock reads a clock for that, whatever line it is at.
TEST_P(PythonPlaces, OfThreadsThatWaitForTheLockReadNoClock) {
  if (run({python_, "-c", "import numpy"}).status != 0)
    GTEST_SKIP() << "no numpy";
  places(contents(PROGRAMS "threads_of_numpy.py"));
  for (const ProcessLog& process : read_log(scratch_.log()))
    for (const auto& record : process.records)
      EXPECT_NE(record["t"], "clock") << record;
}

// As in a script that reads no clock.
TEST_P(PythonPlaces, OfPackagesThatSeedAreNoReasonWhereAllClocksAreShown) {
  fs::create_directories(scratch_.path() / "site-packages");
  std::ofstream(scratch_.path() / "site-packages" / "model.py")
      << contents(PROGRAMS "modules/model.py");
  const auto kinds = [&](const std::string& name) {
    fs::remove_all(scratch_.log());
    places(section(PROGRAMS "seeds_of_a_package.py", name));
    const auto document = nlohmann::json::parse(
        run({DETSHIM_COMMAND, "log", "--json", "--no-scan", scratch_.log().string()}).out);
    Lines found;
    for (const auto& reason : document["reasons"])
      found.push_back(reason["kind"]);
    std::erase(found, "not_decoded");
    return found;
  };
  EXPECT_EQ(kinds("clock_shown"), Lines{});
  EXPECT_EQ(kinds("clock_used"), (Lines{"clock", "unexplained_seed"}));
  EXPECT_EQ(kinds("seed_of_the_user"), (Lines{"unexplained_seed"}));
}

// A clock that is handed over is called by code that knows nothing of it.
TEST_P(PythonPlaces, OfAClockThatIsHandedOverAreTheUsers) {
  fs::create_directories(scratch_.path() / "site-packages");
  std::ofstream(scratch_.path() / "site-packages" / "pack.py")
      << contents(PROGRAMS "modules/pack.py");
  const auto clocks = [&](const std::string& name) {
    fs::remove_all(scratch_.log());
    places(section(PROGRAMS "clocks_handed_over.py", name));
    const auto document = nlohmann::json::parse(
        run({DETSHIM_COMMAND, "log", "--json", "--no-scan", scratch_.log().string()}).out);
    return clocks_of(document);
  };
  EXPECT_EQ(clocks("function"), Lines{"t.py:2"});
  EXPECT_EQ(clocks("default_factory"), Lines{"t.py:6"});
  EXPECT_EQ(clocks("code"), Lines{"t.py:2"});
  EXPECT_EQ(clocks("package"), Lines{}) << "a package's own matter";
}

// The distribution's, and others that are there.
INSTANTIATE_TEST_SUITE_P(All, PythonPlaces,
                         testing::Values("/usr/bin/python3", "python3.9", "python3.10",
                                         "python3.12", "python3.13", "python3.14"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::erase_if(name, [](char letter) {
                             return std::isalnum(static_cast<unsigned char>(letter)) == 0;
                           });
                           return name;
                         });

} // namespace
