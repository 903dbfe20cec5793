// The processes of one run: each draws its own values, the same ones in every run.
#include "run.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace {

// `getrandom` prints eight lines, and no two of all processes may be equal.
const std::string snippet = SNIPPET_FOLDER "/getrandom";

std::vector<std::string> drawn(const std::vector<std::string>& command) {
  const TemporaryFolder scratch;
  const Result result = run(command, under_shim(scratch, {{"DETSHIM_SEED", "42"}}));
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "");
  return lines(result.out);
}

struct Case {
  std::string name;
  std::vector<std::string> command;
  size_t processes;
};
void PrintTo(const Case& tested, std::ostream* stream) { *stream << tested.name; }

class Children : public testing::TestWithParam<Case> {};

TEST_P(Children, DrawTheirOwnValuesAndTheSameInEveryRun) {
  const auto& [name, command, processes] = GetParam();
  if (find_program(command[0]).empty())
    GTEST_SKIP() << command[0] << " is not installed here";
  const std::vector<std::string> values = drawn(command);
  EXPECT_EQ(values.size(), 8 * processes);
  EXPECT_EQ(std::set<std::string>(values.begin(), values.end()).size(), values.size())
      << "a value comes twice";
  EXPECT_EQ(drawn(command), values);
}

const std::string plain = snippet + " plain", forked = snippet + " fork";

INSTANTIATE_TEST_SUITE_P(
    All, Children,
    testing::Values(
        Case{"sh", {"sh", "-c", plain + "; " + plain + "; " + forked + "; " + plain}, 4},
        Case{"bash", {"bash", "-c", plain + "; " + plain + "; " + forked + "; " + plain}, 4},
        Case{"exec", {"sh", "-c", plain + "; exec " + plain}, 2},
        Case{"nested",
             {"sh", "-c", "sh -c '" + plain + "; " + plain + "'; (" + plain + "; " + plain + ")"},
             4},
        Case{"substituted",
             {"bash", "-c", "echo \"$(" + plain + ")\"; echo \"$(" + plain + ")\""},
             2},
        Case{"pipeline", {"bash", "-c", plain + " | cat; " + plain + " | (cat; " + plain + ")"}, 3},
        Case{"background",
             {"bash", "-c", plain + " & wait; " + plain + " & wait; (" + plain + ") & wait"},
             3},
        Case{"forks", {"python3", "-c", contents(PROGRAMS "forks_that_draw.py")}, 5},
        Case{"multiprocessing", {"python3", "-c", contents(PROGRAMS "pools_of_each_way.py")}, 6},
        Case{"python",
             {"python3", "-c", contents(PROGRAMS "starts_a_program_by_each_way.py"), snippet},
             4},
        Case{"perl",
             {"perl", "-e", "system('" + snippet + "', 'plain') for 1..2; print `" + plain + "`"},
             3}),
    [](const auto& tested) {
      return tested.param.name;
    });

TEST(Wrapper, IsTransparent) {
  const std::vector<std::string> values = drawn({snippet, "plain"});
  EXPECT_EQ(drawn({"env", snippet, "plain"}), values);
  EXPECT_EQ(drawn({"env", "env", snippet, "plain"}), values);
  EXPECT_EQ(drawn({"sh", "-c", "exec " + plain}), values);
  EXPECT_EQ(drawn({"sh", "-c", plain + "; true"}), values);
  EXPECT_EQ(drawn({"bash", "-c", plain + "; true"}), values);
  EXPECT_EQ(drawn({"bash", "-c", "(" + plain + "); true"}), values);
}

// However the training program is started, and whatever was asked before, it is process 0.
struct Start {
  std::string name;
  std::vector<std::string> command;
};
void PrintTo(const Start& tested, std::ostream* stream) { *stream << tested.name; }

class Starts : public testing::TestWithParam<Start> {};

TEST_P(Starts, AreOneRun) {
  const auto& [name, command] = GetParam();
  if (find_program(command[0]).empty())
    GTEST_SKIP() << command[0] << " is not installed here";
  EXPECT_EQ(drawn(command), drawn({snippet, "plain"}));
}

const std::string helpers = "x=$(date); y=$(ls / | sort | head -1); /bin/true; ";
// ksh goes on when the last program of a pipeline has ended.
const std::string lasting =
    "dash -c 'i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done' | /bin/true; ";
const std::string shim = "for i in 1 2 3; do w=$(basename /a/b); done; (/bin/echo a; /bin/true) "
                         ">/dev/null; exec \"$@\"";

INSTANTIATE_TEST_SUITE_P(
    All, Starts,
    testing::Values(
        Start{"env", {"env", "A=1", snippet, "plain"}},
        Start{"nice", {"nice", "-n1", snippet, "plain"}},
        Start{"timeout", {"timeout", "100", snippet, "plain"}},
        Start{"nohup", {"nohup", snippet, "plain"}},
        Start{"setsid", {"setsid", "-w", snippet, "plain"}},
        Start{"stdbuf", {"stdbuf", "-oL", snippet, "plain"}},
        Start{"taskset", {"taskset", "-c", "0", snippet, "plain"}},
        Start{"find", {"find", "/", "-maxdepth", "0", "-exec", snippet, "plain", ";"}},
        Start{"xargs", {"bash", "-c", "xargs -n1 " + snippet + " <<<plain"}},
        Start{"dash", {"dash", "-c", helpers + plain + "; true"}},
        Start{"bash", {"bash", "-c", helpers + plain + "; true"}},
        Start{"zsh", {"zsh", "-c", helpers + plain + "; true"}},
        Start{"ksh", {"ksh93", "-c", helpers + plain + "; true"}},
        Start{"ksh_early_end", {"ksh93", "-c", lasting + plain + "; true"}},
        Start{"mksh", {"mksh", "-c", helpers + plain + "; true"}},
        Start{"busybox", {"busybox", "sh", "-c", helpers + plain + "; true"}},
        Start{"fish", {"fish", "-c", "set x (date); " + plain + "; true"}},
        Start{"dash_exec", {"dash", "-c", helpers + "exec " + plain}},
        Start{"bash_exec", {"bash", "-c", helpers + "exec " + plain}},
        Start{"zsh_exec", {"zsh", "-c", helpers + "exec " + plain}},
        Start{"substituted", {"bash", "-c", helpers + "z=$(" + plain + "); echo \"$z\""}},
        Start{"piped", {"bash", "-c", helpers + plain + " | cat"}},
        Start{"shims",
              {"bash", "-c",
               "v=$(date); exec bash -c '" + shim + "' shim dash -c '" + shim + "' shim " + plain}},
        Start{"make", {"bash", "-c", "make -f - <<<'all: ; @x=$$(date); " + plain + "'"}},
        Start{"python",
              {"/usr/bin/python3", "-c",
               "import os, sys; os.system('true'); os.system('date >/dev/null'); "
               "os.execv(sys.argv[1], sys.argv[1:])",
               snippet, "plain"}}),
    [](const auto& tested) {
      return tested.param.name;
    });

TEST(Script, KeepsItsProgramsApartWhateverItAsksBetween) {
  for (const std::string between : {"", "x=$(date); ", "/bin/true; /bin/true; "}) {
    const std::vector<std::string> both =
        drawn({"bash", "-c", plain + "; " + between + plain + "; " + between + plain});
    EXPECT_EQ(both.size(), 24u);
    EXPECT_EQ(std::set<std::string>(both.begin(), both.end()).size(), both.size());
    EXPECT_EQ(both, drawn({"bash", "-c", plain + "; " + plain + "; " + plain})) << between;
  }
}

// While its shell runs, system() ignores SIGINT and SIGQUIT and holds SIGCHLD back; then all is as
// before.
TEST(System, LeavesTheSignalsAsTheyWere) {
  const std::string program = contents(PROGRAMS "signals_of_system.py");
  const TemporaryFolder scratch;
  const Result native = run({"python3", "-S", "-c", program});
  EXPECT_EQ(lines(native.out), (std::vector<std::string>{"got 2", "got 3", "held back: []"}));
  EXPECT_EQ(
      run({"python3", "-S", "-c", program}, under_shim(scratch, {{"DETSHIM_SEED", "42"}})).out,
      native.out);
}

// A thread may be cancelled while it waits for its shell.
TEST(System, LeavesTheSignalsOfACancelledCallAsTheyWere) {
  const TemporaryFolder scratch;
  std::ofstream(scratch.path() / "cancel.cpp") << contents(PROGRAMS "cancelled_system.cpp");
  ASSERT_EQ(run({"g++", "-o", "cancel", "cancel.cpp", "-pthread"}, {}, scratch.path()).status, 0);
  const Result result =
      run({"./cancel"}, under_shim(scratch, {{"DETSHIM_SEED", "42"}}), scratch.path());
  EXPECT_EQ(lines(result.out), (std::vector<std::string>{"cancelled", "as before", "as before"}));
}

// Whether a command in the background has ended when the next one begins is a race.
TEST(Script, WithCommandsInTheBackgroundHasNamesThatNoRaceDecides) {
  if (find_program("bash").empty())
    GTEST_SKIP() << "no bash";
  for (const std::string before : {"read x < <(echo a)", "true & :", "mapfile -t A < <(ls)"}) {
    std::set<std::vector<std::string>> runs;
    for (int run = 0; run < 8; ++run)
      runs.insert(drawn({"bash", "-c", before + "; " + plain + "; true"}));
    EXPECT_EQ(runs.size(), 1u) << before;
  }
}

// As in a container: the shell is process 1, and 10 to 19 begin with its number.
TEST(Script, KeepsItsProgramsApartAsTheFirstProcessOfANamespace) {
  const std::vector<std::string> in_namespace = {"unshare", "-pf", "--mount-proc"};
  std::vector<std::string> command = in_namespace;
  command.push_back("true");
  if (run(command).status != 0)
    GTEST_SKIP() << "no namespaces here";
  command = in_namespace;
  constexpr std::size_t programs = 22;
  for (const std::string word :
       {std::string("sh"), std::string("-c"),
        "for i in $(seq " + std::to_string(programs) + "); do " + plain + "; done; true"})
    command.push_back(word);
  const std::vector<std::string> values = drawn(command);
  EXPECT_EQ(values.size(), 8 * programs);
  EXPECT_EQ(std::set<std::string>(values.begin(), values.end()).size(), values.size());
  EXPECT_EQ(drawn(command), values);
}

/// The kinds of the verdict's reasons on a program of C, with what its macro stands for.
std::set<std::string> reasons_of(const std::string& program, const std::string& definition) {
  const TemporaryFolder scratch;
  const std::string source = PROGRAMS + program;
  const Result built =
      run({"gcc", "-w", "-D", definition, "-o", "program", source}, {}, scratch.path());
  EXPECT_EQ(built.status, 0) << built.err;
  EXPECT_EQ(
      run({"./program"}, under_shim(scratch, {{"DETSHIM_SEED", "42"}}), scratch.path()).status, 0);
  const auto document = nlohmann::json::parse(
      run({DETSHIM_COMMAND, "log", "--no-scan", "--json", scratch.log().string()}).out);
  std::set<std::string> kinds;
  for (const auto& reason : document["reasons"])
    kinds.insert(reason["kind"]);
  return kinds;
}

// A folder that is listed begins a log, and is no draw.
TEST(Wrapper, WithALogEndsUnderItsOtherName) {
  for (const std::string end :
       {"return system(\"true\")",
        "if (!fork()) { execlp(\"true\", \"true\", 0); _exit(1); } wait(0); return 0",
        "if (!vfork()) { execlp(\"true\", \"true\", 0); _exit(1); } wait(0); return 0",
        "quick_exit(0)"})
    EXPECT_FALSE(reasons_of("lists_and_ends.c", "END=" + end).contains("no_end")) << end;
}

// A child in its parent's memory is a thread but for its name.
TEST(Clone, InTheSameMemoryRacesLikeAThread) {
  EXPECT_TRUE(reasons_of("clone_that_draws.c", "FLAGS=CLONE_VM").contains("threads"));
  EXPECT_FALSE(reasons_of("clone_that_draws.c", "FLAGS=0").contains("threads"));
}

} // namespace
