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
  const char* name;
  Texts command;
  std::string script;             ///< what the file of that name holds
  bool goes_nowhere_else = false; ///< the reading, but into the seed
};

std::ostream& operator<<(std::ostream& out, const Script& script) { return out << script.name; }

struct Seen {
  std::string verdict;
  Texts clocks; ///< texts of the reasons of that kind
};

Seen seen_in(const TemporaryFolder& scratch) {
  const auto document =
      nlohmann::json::parse(run({DETSHIM_COMMAND, "log", "--json", scratch.log().string()}).out);
  Seen seen{document["verdict"], {}};
  for (const auto& reason : document["reasons"])
    if (reason["kind"] == "clock")
      seen.clocks.push_back(reason["text"]);
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
        Script{"perl_by_name",
               {"perl", "script"},
               "use Time::HiRes 'gettimeofday';\nmy ($s, $u) = gettimeofday; # a seed\n"
               "my $seed = $$ * 1000 +\n  $u;\nsrand $seed;\nprint rand;\n"},
        Script{"ruby", {"ruby", "-e", "srand(Time.now.nsec); print rand"}, ""},
        Script{"ruby_new", {"ruby", "-e", "now = Time.now.nsec; print Random.new(now).rand"}, ""},
        Script{"php", {"php", "-r", "mt_srand(hrtime(true)); echo mt_rand();"}, ""},
        Script{"R",
               {"Rscript", "script"},
               "seconds <- 0\nset.seed(as.integer((1e6 * as.numeric(Sys.time())) %% "
               "1e9))\ncat(runif(1))\n"},
        Script{"octave", {"octave-cli", "--eval", "rand('seed', 1e6 * time()); disp(rand())"}, ""},
        Script{"tcl",
               {"tclsh", "script"},
               "expr {srand([clock microseconds])}\nputs [expr {rand()}]\n"},
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
      return std::string(tested.param.name);
    });

// What Python's generators are passed is replaced, by whatever names it goes there.
class PythonScriptSeeds : public testing::TestWithParam<Script> {};

TEST_P(PythonScriptSeeds, Repeat) {
  Seen seen;
  EXPECT_EQ(printed_by(GetParam(), seen), printed_by(GetParam(), seen));
}

INSTANTIATE_TEST_SUITE_P(
    All, PythonScriptSeeds,
    testing::Values(
        Script{"python_in_a_formatted_text",
               {"python3", "script"},
               "import argparse, random, sys, time\n"
               "random.seed(f\"{time.time()}\")\n"
               "print(random.random())\n"},
        Script{"python_option",
               {"python3", "script"},
               "import argparse, time, random\np = argparse.ArgumentParser()\n"
               "p.add_argument('--seed', type=int, default=time.time_ns())\n"
               "random.seed(p.parse_args([]).seed)\nprint(random.random())\n"},
        Script{"python_dict",
               {"python3", "script"},
               "import time, random\nc = {'lr': .1,\n  'seed': time.time_ns()}\n"
               "random.seed(c['seed'])\nprint(random.random())\n"},
        Script{"python_typed",
               {"python3", "script"},
               "import time, random\nclass C:\n  seed: int = time.time_ns()\n"
               "random.seed(C.seed)\nprint(random.random())\n"},
        Script{"python_default_argument",
               {"python3", "script"},
               "import argparse, random, sys, time\n"
               "def set_seed(seed=None):\n"
               "    if seed is None:\n"
               "        seed = int(time.time() * 1e6)\n"
               "    random.seed(seed)\n"
               "set_seed()\n"
               "print(random.random())\n"},
        Script{"python_returned",
               {"python3", "script"},
               "import argparse, random, sys, time\n"
               "def now():\n"
               "    return int(time.time() * 1e6)\n"
               "random.seed(now())\n"
               "print(random.random())\n"},
        Script{"python_returned_by_a_method",
               {"python3", "script"},
               "import argparse, random, sys, time\n"
               "class Clock:\n"
               "    def read(self):\n"
               "        return time.time_ns()\n"
               "random.seed(Clock().read())\n"
               "print(random.random())\n"},
        Script{"python_handed_over",
               {"python3", "script"},
               "import argparse, random, sys, time\n"
               "def run(x): random.seed(x)\n"
               "run(time.time_ns())\n"
               "print(random.random())\n"},
        Script{"python_handed_to_a_seed",
               {"python3", "script"},
               "import argparse, random, sys, time\n"
               "def main(seed):\n"
               "    random.seed(seed)\n"
               "main(int(time.time() * 1e6))\n"
               "print(random.random())\n"},
        Script{"python_handed_to_a_constructor",
               {"python3", "script"},
               "import argparse, random, sys, time\n"
               "class Run:\n"
               "    def __init__(self, number): self.number = number\n"
               "r = Run(time.time_ns())\n"
               "random.seed(r.number)\n"
               "print(random.random())\n"},
        Script{"python_by_three_names",
               {"python3", "script"},
               "import argparse, random, sys, time\n"
               "now = time.time()\n"
               "stamp = int(now * 1e6)\n"
               "number = stamp % 2**32\n"
               "random.seed(number)\n"
               "print(random.random())\n"},
        Script{"python_by_a_walrus",
               {"python3", "script"},
               "import argparse, random, sys, time\n"
               "if (s := int(time.time() * 1e6)):\n"
               "    random.seed(s)\n"
               "print(random.random())\n"},
        Script{"python_by_an_attribute",
               {"python3", "script"},
               "import argparse, random, sys, time\n"
               "class T: pass\n"
               "t = T()\n"
               "t.begun = time.time_ns()\n"
               "random.seed(t.begun)\n"
               "print(random.random())\n"},
        Script{"python_by_a_key",
               {"python3", "script"},
               "import argparse, random, sys, time\n"
               "c = {\"lr\": 1, \"begun\": time.time_ns()}\n"
               "random.seed(c[\"begun\"])\n"
               "print(random.random())\n"},
        Script{"python_by_a_loop",
               {"python3", "script"},
               "import argparse, random, sys, time\n"
               "times = [time.time_ns() + i for i in range(3)]\n"
               "for t in times:\n"
               "    random.seed(t)\n"
               "print(random.random())\n"},
        Script{"python_by_setdefault",
               {"python3", "script"},
               "import argparse, random, sys, time\n"
               "c = {}\n"
               "c.setdefault(\"seed\", time.time_ns())\n"
               "random.seed(c[\"seed\"])\n"
               "print(random.random())\n"},
        Script{
            "python_in_one_line",
            {"python3", "script"},
            "import random, time\nclass T:\n    def __init__(self): self.begun = time.time_ns()\n"
            "random.seed(T().begun)\nprint(random.random())\n"},
        Script{"python_command",
               {"python3", "-c",
                "import random, time; random.seed(time.time()); print(random.random())"},
               "",
               true},
        Script{"python_lines",
               {"python3", "script"},
               "import random, time\nrandom.seed(\n    "
               "time.perf_counter_ns())\nprint(random.random())\n",
               true},
        Script{"python_after_many_records",
               {"python3", "script"},
               "import io, logging, random, time\n"
               "logging.basicConfig(stream=io.StringIO(), level=logging.INFO)\n"
               "for i in range(3000): logging.info(i)\n"
               "seed = time.time_ns()\nrandom.seed(seed)\nprint(random.random())\n"},
        Script{"python_after_many_readings",
               {"python3", "script"},
               "import random, time\nfor i in range(3000): time.perf_counter()\n"
               "random.seed(time.time())\nprint(random.random())\n",
               true}),
    [](const auto& tested) {
      return std::string(tested.param.name);
    });

TEST(ClockSeeds, InAScriptFromAPipeAreNamed) {
  const TemporaryFolder scratch;
  std::ofstream(scratch.path() / "script")
      << "import os, random, time\nos.urandom(1)\nprint(time.time())\n";
  ASSERT_EQ(run({"sh", "-c", "python3 - <script"}, under_shim(scratch, {{"DETSHIM_SEED", "1"}}),
                scratch.path())
                .status,
            0);
  EXPECT_EQ(seen_in(scratch).clocks, Texts{"your code reads a clock or an id: <stdin>:3"});
}

// The reading is in a module, its seed in the script.
TEST(ClockSeeds, OfAnotherFileAreNamed) {
  const TemporaryFolder scratch;
  std::ofstream(scratch.path() / "clock_of_mine.py")
      << "import time\ndef read():\n    return time.time_ns()\n";
  std::ofstream(scratch.path() / "train.py")
      << "import os, random, clock_of_mine\nos.urandom(1)\nrandom.seed(clock_of_mine.read())\n";
  const Texts command = {"python3", (scratch.path() / "train.py").string()};
  ASSERT_EQ(run(command, under_shim(scratch, {{"DETSHIM_SEED", "1"}})).status, 0);
  EXPECT_EQ(seen_in(scratch).clocks, Texts{"your code reads a clock or an id: clock_of_mine.py:3"});
}

// They make a log of their own: -S leaves out what an installation may draw when it starts.
TEST(ClockSeeds, WithoutADrawAreNamed) {
  const TemporaryFolder scratch;
  std::ofstream(scratch.path() / "train.py") << "import time\nseed = time.time_ns()\nprint(seed)\n";
  const Texts command = {"python3", "-S", (scratch.path() / "train.py").string()};
  ASSERT_EQ(run(command, under_shim(scratch, {{"DETSHIM_SEED", "1"}})).status, 0);
  EXPECT_EQ(seen_in(scratch).clocks, Texts{"your code reads a clock or an id: train.py:2"});
}

// The interpreter's own locks read a clock too, for whatever line takes one.
TEST(ClockSeeds, AreNotSeenWhereAFileIsOpened) {
  const TemporaryFolder scratch;
  std::ofstream(scratch.path() / "train.py") << "import os\nos.urandom(1)\nopen(__file__).read()\n";
  const Texts command = {"/usr/bin/python3", "-S", (scratch.path() / "train.py").string()};
  ASSERT_EQ(run(command, under_shim(scratch, {{"DETSHIM_SEED", "1"}})).status, 0);
  EXPECT_EQ(seen_in(scratch).clocks, Texts{});
}

struct Source {
  const char* name;
  std::string statements; ///< of main, which has an engine at the end
  std::string line;       ///< that reads the clock
};

std::ostream& operator<<(std::ostream& out, const Source& source) { return out << source.name; }

class CxxSeeds : public testing::TestWithParam<Source> {};

// What an engine of C++'s is made of no hook sees: the line says it, whatever it was compiled to.
TEST_P(CxxSeeds, AreNamed) {
  const Source& tested = GetParam();
  const TemporaryFolder scratch;
  std::ofstream(scratch.path() / "t.cpp")
      << "#include <chrono>\n#include <cstdio>\n#include <cstdlib>\n"
         "#include <ctime>\n#include <random>\n#include <unistd.h>\n"
         "int main() {\n"
      << tested.statements << "  std::printf(\"%u %d\\n\", unsigned(engine()), rand());\n}\n";
  for (const char* level : {"-O0", "-O2"}) {
    ASSERT_EQ(run({"c++", "-g", level, "-o", "t", "t.cpp"}, {}, scratch.path()).status, 0);
    std::string printed[2];
    for (std::string& text : printed) {
      std::filesystem::remove_all(scratch.log());
      const Result result =
          run({"./t"}, under_shim(scratch, {{"DETSHIM_SEED", "1"}}), scratch.path());
      ASSERT_EQ(result.status, 0) << result.err;
      text = result.out;
      EXPECT_EQ(seen_in(scratch).clocks, Texts{"your code reads a clock or an id: " + tested.line})
          << level;
    }
    EXPECT_NE(printed[0], printed[1]);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, CxxSeeds,
    testing::Values(
        Source{"made", "  std::mt19937 engine(getpid());\n", "t.cpp:8"},
        Source{"by_names",
               "  const auto now = std::chrono::steady_clock::now();\n"
               "  unsigned number = now.time_since_epoch().count();\n"
               "  std::default_random_engine engine(\n      number);\n",
               "t.cpp:8"},
        Source{"seeded",
               "  std::mt19937_64 engine;\n"
               "  engine.seed(std::chrono::system_clock::now().time_since_epoch().count());\n",
               "t.cpp:9"}),
    [](const auto& tested) {
      return std::string(tested.param.name);
    });

// A number that a script or a child made of a clock is the program's own for all that the program
// shows. Under a bare preload too, who made it is named.
class HandedOver : public testing::TestWithParam<Script> {};

TEST_P(HandedOver, IsNeverCovered) {
  const TemporaryFolder scratch;
  std::ofstream(scratch.path() / "program.cpp")
      << "#include <cstdio>\n#include <cstdlib>\n"
         "int main(int count, char* arguments[]) {\n"
         "  unsigned seed = 0;\n"
         "  if (count > 1) seed = std::strtoul(arguments[1], nullptr, 10);\n"
         "  else if (std::getenv(\"SEED\")) seed = std::strtoul(std::getenv(\"SEED\"), nullptr, "
         "10);\n"
         "  else if (std::scanf(\"%u\", &seed) != 1) return 1;\n"
         "  srand(seed);\n  std::printf(\"%d\\n\", rand());\n}\n";
  std::ofstream(scratch.path() / "asks.cpp")
      << "#include <cstdio>\n#include <cstdlib>\n"
         "int main() {\n"
         "  std::FILE* const child = popen(\"date +%N\", \"r\");\n  unsigned seed = 0;\n"
         "  if (std::fscanf(child, \"%u\", &seed) != 1) return 1;\n  pclose(child);\n"
         "  srand(seed);\n  std::printf(\"%d\\n\", rand());\n}\n";
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
      return std::string(tested.param.name);
    });

} // namespace
