// Scripts that hand a clock to a generator of the interpreter's own, which no hook sees: the verdict names
// them, and not those that merely read a clock.
#include "log_files.h"
#include "run.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <ctime>
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
  std::string script; ///< what the file of that name holds
  bool seeds;         ///< from a clock
};

std::ostream& operator<<(std::ostream& out, const Script& script) { return out << script.name; }

/// The reasons of the kind clock_seed in the log of a command.
Texts clock_seeds(const TemporaryFolder& scratch) {
  const auto document =
      nlohmann::json::parse(run({DETSHIM_COMMAND, "log", "--json", "--no-scan", scratch.log().string()}).out);
  Texts found;
  for (const auto& reason : document["reasons"])
    if (reason["kind"] == "clock_seed") found.push_back(reason["text"]);
  return found;
}

class ScriptSeeds : public testing::TestWithParam<Script> {};

TEST_P(ScriptSeeds, AreNamed) {
  const Script& tested = GetParam();
  if (find_program(tested.command.front()).empty()) GTEST_SKIP() << "no " << tested.command.front();
  std::string printed[2];
  for (std::string& text : printed) {
    const TemporaryFolder scratch;
    if (!tested.script.empty()) std::ofstream(scratch.path() / "script") << tested.script;
    // A draw beside it, so that there is a log whatever the interpreter does.
    Texts command = {"sh", "-c", "head -c 4 /dev/urandom >/dev/null; \"$@\"", "sh"};
    command.insert(command.end(), tested.command.begin(), tested.command.end());
    const Result result = run(command, under_shim(scratch, {{"DETSHIM_SEED", "1"}}), scratch.path());
    ASSERT_EQ(result.status, 0) << result.err;
    text = result.out;
    EXPECT_EQ(clock_seeds(scratch).size(), tested.seeds ? 1U : 0U);
  }
  // What it is named for.
  EXPECT_EQ(printed[0] != printed[1], tested.seeds) << printed[0];
}

INSTANTIATE_TEST_SUITE_P(
    All, ScriptSeeds,
    testing::Values(
        Script{"python_option",
               {"python3", "script"},
               "import argparse, time, random\np = argparse.ArgumentParser()\n"
               "p.add_argument('--seed', type=int, default=time.time_ns())\n"
               "random.seed(p.parse_args([]).seed)\nprint(random.random())\n",
               true},
        Script{"python_dict",
               {"python3", "script"},
               "import time, random\nc = {'lr': .1,\n  'seed': time.time_ns()}\n"
               "random.seed(c['seed'])\nprint(random.random())\n",
               true},
        Script{"python_typed",
               {"python3", "script"},
               "import time, random\nclass C:\n  seed: int = time.time_ns()\n"
               "random.seed(C.seed)\nprint(random.random())\n",
               true},
        Script{"python_elapsed",
               {"python3", "script"},
               "import argparse, sys, time, random\np = argparse.ArgumentParser()\n"
               "p.add_argument('--seed', type=int, default=42)\n"
               "c = {'seed': 42, 'started': time.time()}\nstart = time.time()\n"
               "random.seed(p.parse_args([]).seed)\nprint(random.random())\n"
               "print('seed', time.time() - start, file=sys.stderr)\n",
               false},
        Script{"python_default_argument",
               {"python3", "script"},
               "import argparse, random, sys, time\n"
               "def set_seed(seed=None):\n"
               "    if seed is None:\n"
               "        seed = int(time.time() * 1e6)\n"
               "    random.seed(seed)\n"
               "set_seed()\n"
               "print(random.random())\n",
               true},
        Script{"python_returned",
               {"python3", "script"},
               "import argparse, random, sys, time\n"
               "def now():\n"
               "    return int(time.time() * 1e6)\n"
               "random.seed(now())\n"
               "print(random.random())\n",
               true},
        Script{"python_returned_by_a_method",
               {"python3", "script"},
               "import argparse, random, sys, time\n"
               "class Clock:\n"
               "    def read(self):\n"
               "        return time.time_ns()\n"
               "random.seed(Clock().read())\n"
               "print(random.random())\n",
               true},
        Script{"python_handed_over",
               {"python3", "script"},
               "import argparse, random, sys, time\n"
               "def run(x): random.seed(x)\n"
               "run(time.time_ns())\n"
               "print(random.random())\n",
               true},
        Script{"python_handed_to_a_seed",
               {"python3", "script"},
               "import argparse, random, sys, time\n"
               "def main(seed):\n"
               "    random.seed(seed)\n"
               "main(int(time.time() * 1e6))\n"
               "print(random.random())\n",
               true},
        Script{"python_handed_to_a_constructor",
               {"python3", "script"},
               "import argparse, random, sys, time\n"
               "class Run:\n"
               "    def __init__(self, number): self.number = number\n"
               "r = Run(time.time_ns())\n"
               "random.seed(r.number)\n"
               "print(random.random())\n",
               true},
        Script{"python_by_three_names",
               {"python3", "script"},
               "import argparse, random, sys, time\n"
               "now = time.time()\n"
               "stamp = int(now * 1e6)\n"
               "number = stamp % 2**32\n"
               "random.seed(number)\n"
               "print(random.random())\n",
               true},
        Script{"python_in_a_formatted_text",
               {"python3", "script"},
               "import argparse, random, sys, time\n"
               "random.seed(f\"{time.time()}\")\n"
               "print(random.random())\n",
               true},
        Script{"python_by_a_walrus",
               {"python3", "script"},
               "import argparse, random, sys, time\n"
               "if (s := int(time.time() * 1e6)):\n"
               "    random.seed(s)\n"
               "print(random.random())\n",
               true},
        Script{"python_by_an_attribute",
               {"python3", "script"},
               "import argparse, random, sys, time\n"
               "class T: pass\n"
               "t = T()\n"
               "t.begun = time.time_ns()\n"
               "random.seed(t.begun)\n"
               "print(random.random())\n",
               true},
        Script{"python_by_a_key",
               {"python3", "script"},
               "import argparse, random, sys, time\n"
               "c = {\"lr\": 1, \"begun\": time.time_ns()}\n"
               "random.seed(c[\"begun\"])\n"
               "print(random.random())\n",
               true},
        Script{"python_by_a_loop",
               {"python3", "script"},
               "import argparse, random, sys, time\n"
               "times = [time.time_ns() + i for i in range(3)]\n"
               "for t in times:\n"
               "    random.seed(t)\n"
               "print(random.random())\n",
               true},
        Script{"python_by_setdefault",
               {"python3", "script"},
               "import argparse, random, sys, time\n"
               "c = {}\n"
               "c.setdefault(\"seed\", time.time_ns())\n"
               "random.seed(c[\"seed\"])\n"
               "print(random.random())\n",
               true},
        Script{"python_in_one_line",
               {"python3", "script"},
               "import random, time\nclass T:\n    def __init__(self): self.begun = time.time_ns()\n"
               "random.seed(T().begun)\nprint(random.random())\n",
               true},
        Script{"python_not_a_neighbour",
               {"python3", "script"},
               "import argparse, random, sys, time\n"
               "c = dict(seed=42, begun=time.time())\n"
               "random.seed(c[\"seed\"])\n"
               "print(random.random())\n",
               false},
        Script{"python_not_a_neighbours_attribute",
               {"python3", "script"},
               "import argparse, random, sys, time\n"
               "class T: pass\n"
               "t = T()\n"
               "t.seed = 42\n"
               "t.begun = time.time()\n"
               "random.seed(t.seed)\n"
               "print(random.random())\n",
               false},
        Script{"python_not_what_was_made_beside",
               {"python3", "script"},
               "import argparse, random, sys, time\n"
               "def load(name): return argparse.Namespace(seed=42)\n"
               "c = load(f\"run {time.time()}\")\n"
               "random.seed(c.seed)\n"
               "print(random.random())\n",
               false},
        Script{"python_not_in_a_text",
               {"python3", "script"},
               "import argparse, random, sys, time\n"
               "print(f\"seed at {time.time()}\", file=sys.stderr)\n"
               "random.seed(42)\n"
               "print(random.random())\n",
               false},
        Script{"python_not_a_duration",
               {"python3", "script"},
               "import argparse, random, sys, time\n"
               "begun = time.time()\n"
               "random.seed(42)\n"
               "spent = time.time() - begun\n"
               "print(\"seed\", spent, file=sys.stderr)\n"
               "print(random.random())\n",
               false},
        Script{"perl", {"perl", "-MTime::HiRes=time", "-e", "srand(1e6 * time % 1e9); print rand"}, "", true},
        Script{"perl_by_name",
               {"perl", "script"},
               "use Time::HiRes 'gettimeofday';\nmy ($s, $u) = gettimeofday; # a seed\n"
               "my $seed = $$ * 1000 +\n  $u;\nsrand $seed;\nprint rand;\n",
               true},
        Script{
            "perl_timed", {"perl", "-e", "srand(42); my $t = time; print rand; warn time - $t"}, "", false},
        Script{"ruby", {"ruby", "-e", "srand(Time.now.nsec); print rand"}, "", true},
        Script{"ruby_new", {"ruby", "-e", "now = Time.now.nsec; print Random.new(now).rand"}, "", true},
        Script{
            "ruby_timed", {"ruby", "-e", "srand(7); t = Time.now; print rand; warn Time.now - t"}, "", false},
        Script{"php", {"php", "-r", "mt_srand(hrtime(true)); echo mt_rand();"}, "", true},
        Script{"php_timed", {"php", "-r", "mt_srand(3); $t = hrtime(true); echo mt_rand();"}, "", false},
        Script{"R",
               {"Rscript", "script"},
               "seconds <- 0\nset.seed(as.integer((1e6 * as.numeric(Sys.time())) %% 1e9))\ncat(runif(1))\n",
               true},
        Script{"R_timed", {"Rscript", "-e", "set.seed(7); t <- Sys.time(); cat(runif(1))"}, "", false},
        Script{"octave", {"octave-cli", "--eval", "rand('seed', 1e6 * time()); disp(rand())"}, "", true},
        Script{
            "octave_timed", {"octave-cli", "--eval", "t = time(); rand('seed', 7); disp(rand())"}, "", false},
        Script{
            "tcl", {"tclsh", "script"}, "expr {srand([clock microseconds])}\nputs [expr {rand()}]\n", true},
        Script{"tcl_timed",
               {"tclsh", "script"},
               "set t [clock microseconds]\nexpr {srand(7)}\nputs [expr {rand()}]\n",
               false},
        Script{"swipl",
               {"swipl", "-g",
                "get_time(T), N is integer(T*1000000), set_random(seed(N)), random(X), print(X)", "-t",
                "halt"},
               "",
               true},
        Script{
            "luajit", {"luajit", "-e", "math.randomseed(os.clock() * 1e9) print(math.random())"}, "", true},
        Script{"luajit_timed",
               {"luajit", "-e", "math.randomseed(7) local t = os.clock() print(math.random())"},
               "",
               false},
        Script{
            "bash", {"bash", "-c", ": $SRANDOM; RANDOM=$(date +%N | sed s/^0*//); echo $RANDOM"}, "", true},
        Script{"bash_timed",
               {"bash", "-c", ": $SRANDOM; RANDOM=7; echo \"seed at $(date)\" >&2; echo $RANDOM"},
               "",
               false},
        Script{"python_command",
               {"python3", "-c", "import random, time; random.seed(time.time()); print(random.random())"},
               "",
               true},
        Script{"python_lines",
               {"python3", "script"},
               "import random, time\nrandom.seed(\n    time.perf_counter_ns())\nprint(random.random())\n",
               true},
        Script{"python_after_many_readings",
               {"python3", "script"},
               "import random, time\nfor i in range(3000): time.perf_counter()\n"
               "random.seed(time.time())\nprint(random.random())\n",
               true},
        Script{
            "python_timed",
            {"python3", "-c",
             "import random, time; t = time.time(); random.seed(3); print(random.random()); time.time() - t"},
            "",
            false}),
    [](const auto& tested) { return std::string(tested.param.name); });

// Its text is gone: that it reads a clock is all that is known.
TEST(ClockSeeds, OfAScriptFromAPipeMayBe) {
  const auto seeds_of = [](const std::string& script) {
    const TemporaryFolder scratch;
    std::ofstream(scratch.path() / "script") << script;
    EXPECT_EQ(
        run({"sh", "-c", "python3 - <script"}, under_shim(scratch, {{"DETSHIM_SEED", "1"}}), scratch.path())
            .status,
        0);
    return clock_seeds(scratch);
  };
  EXPECT_EQ(seeds_of("import os, random, time\nos.urandom(1)\nrandom.seed(time.time())\n"),
            Texts{"<stdin>:3 reads a clock, perhaps to seed: a program from a pipe"});
  EXPECT_EQ(seeds_of("import os, random\nos.urandom(1)\nrandom.seed(3)\n"), Texts{});
}

// The log may be asked for from anywhere, and lie anywhere.
TEST(ClockSeeds, OfAScriptBelowItsProcesssFolderAreNamed) {
  const TemporaryFolder scratch;
  const std::filesystem::path folder = scratch.path() / "sources" / "deep";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "train.pl") << "srand(time());\nprint rand();\n";
  ASSERT_EQ(run({"perl", "train.pl"}, under_shim(scratch, {{"DETSHIM_SEED", "1"}}), folder).status, 0);
  EXPECT_EQ(clock_seeds(scratch), Texts{"train.pl:1 seems to seed from a clock or an id: srand(time())"});
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
  EXPECT_EQ(clock_seeds(scratch),
            Texts{"train.py:3 seems to seed from a clock or an id: random.seed(clock_of_mine.read())"});
}

// Nothing has made a log by then: -S leaves out what an installation may draw when it starts.
TEST(ClockSeeds, BeforeTheFirstDrawAreNamed) {
  const TemporaryFolder scratch;
  std::ofstream(scratch.path() / "train.py")
      << "import time\nseed = time.time_ns()\nprint(seed)\nimport os\nos.urandom(1)\n";
  const Texts command = {"python3", "-S", (scratch.path() / "train.py").string()};
  ASSERT_EQ(run(command, under_shim(scratch, {{"DETSHIM_SEED", "1"}})).status, 0);
  EXPECT_EQ(clock_seeds(scratch),
            Texts{"train.py:2 seems to seed from a clock or an id: seed = time.time_ns()"});
}

// As of a notebook's cell, which was in no file when it ran: that it reads a clock is all that is known.
TEST(ClockSeeds, OfTextThatIsGoneOrChangedMayBe) {
  const auto seeds_of = [](const Texts& command, const std::string& script, const auto& change) {
    const TemporaryFolder scratch;
    const std::filesystem::path file = scratch.path() / command.back();
    std::ofstream(file) << script;
    EXPECT_EQ(run(command, under_shim(scratch, {{"DETSHIM_SEED", "1"}}), scratch.path()).status, 0);
    change(file);
    return clock_seeds(scratch);
  };
  const auto keep = [](const std::filesystem::path&) {};
  const auto remove = [](const std::filesystem::path& file) { std::filesystem::remove(file); };
  const auto replace = [](const std::filesystem::path& file) {
    std::ofstream(file) << "\n\n";
    std::filesystem::last_write_time(file, std::filesystem::last_write_time(file) + std::chrono::hours(1));
  };
  const std::string timed = "import os, time\nos.urandom(1)\nstarted = time.time()\nagain = time.time()\n";
  const Texts python = {"python3", "t.py"};
  EXPECT_EQ(seeds_of(python, timed, keep), Texts{});
  EXPECT_EQ(seeds_of(python, timed, remove),
            Texts{"t.py:3 reads a clock, perhaps to seed: text gone or changed"});
  EXPECT_EQ(seeds_of(python, timed, replace),
            Texts{"t.py:3 reads a clock, perhaps to seed: text gone or changed"});
  EXPECT_EQ(seeds_of(python, "import os\nos.urandom(1)\n", remove), Texts{});
  EXPECT_EQ(seeds_of({"perl", "t.pl"}, "srand(7); print rand();", keep), Texts{});
  EXPECT_EQ(seeds_of({"perl", "t.pl"}, "srand(7); print rand();", remove),
            Texts{"t.pl may read a clock, perhaps to seed: text gone or changed"});
  // What comes after a program's text are its data.
  EXPECT_EQ(seeds_of({"perl", "-ne", "print rand()", "data.txt"}, "1\n", remove), Texts{});
}

// A shell that reads the clock for another program's seed may draw nothing itself, and has no log then.
TEST(ClockSeeds, AsArgumentsAreNamed) {
  const auto seeds_of = [](const Texts& arguments) {
    const TemporaryFolder scratch;
    Texts command = {"python3", "-c", "import os; os.urandom(1)"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    EXPECT_EQ(run(command, under_shim(scratch, {{"DETSHIM_SEED", "1"}}), scratch.path()).status, 0);
    return clock_seeds(scratch).size();
  };
  const std::string now = std::to_string(std::time(nullptr));
  EXPECT_EQ(seeds_of({"--seed", now}), 1U);
  EXPECT_EQ(seeds_of({"train.random_seed=" + now + "000000000"}), 1U);
  EXPECT_EQ(seeds_of({"--seed", "1234567890"}), 0U);
  EXPECT_EQ(seeds_of({"--seed", "4076543210"}), 0U); // in 2099
  EXPECT_EQ(seeds_of({"--seed", "42", "--started", now}), 0U);
}

struct Source {
  const char* name;
  std::string statements; ///< of main, which has an engine at the end
  std::string seed;       ///< the reason; empty if the clock seeds nothing
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
      const Result result = run({"./t"}, under_shim(scratch, {{"DETSHIM_SEED", "1"}}), scratch.path());
      ASSERT_EQ(result.status, 0) << result.err;
      text = result.out;
      EXPECT_EQ(clock_seeds(scratch), tested.seed.empty() ? Texts{} : Texts{tested.seed}) << level;
    }
    EXPECT_EQ(printed[0] != printed[1], !tested.seed.empty()) << printed[0];
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, CxxSeeds,
    testing::Values(
        Source{"made", "  std::mt19937 engine(getpid());\n",
               "t.cpp:8 seems to seed from a clock or an id: std::mt19937 engine(getpid())"},
        Source{"by_names",
               "  const auto now = std::chrono::steady_clock::now();\n"
               "  unsigned number = now.time_since_epoch().count();\n"
               "  std::default_random_engine engine(\n      number);\n",
               "t.cpp:10 seems to seed from a clock or an id: std::default_random_engine engine( number)"},
        Source{"seeded",
               "  std::mt19937_64 engine;\n"
               "  engine.seed(std::chrono::system_clock::now().time_since_epoch().count());\n",
               "t.cpp:9 seems to seed from a clock or an id: "
               "engine.seed(std::chrono::system_clock::now().time_since_epoch().count())"},
        // srand's seed gives way, and the times are only printed.
        Source{"replaced",
               "  unsigned seed = time(nullptr);\n  srand(seed);\n  std::mt19937 engine{42};\n"
               "  const auto start = std::chrono::steady_clock::now();\n"
               "  std::fprintf(stderr, \"%ld\", long((std::chrono::steady_clock::now() - start).count()));\n",
               ""}),
    [](const auto& tested) { return std::string(tested.param.name); });

} // namespace
