// Programs that start what is ready: which child comes next depends on which one ended first.
//
// Four jobs, two at a time: `after_a` is started when `a` has ended, `after_b` when `b` has. A fifo
// decides which of the two comes first: the job before the other one waits until the first has
// drawn.
#include "run.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>

#include <sys/stat.h>

namespace {

const std::string snippet = SNIPPET_FOLDER "/getrandom";

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A job's command: draws into a file of its name, and keeps the order that $FIRST names. `a` and
/// `b` meet first: make waits for all that it has started if one ends while it is still starting
/// others.
std::string job(const std::string& name) {
  const std::string draw = snippet + " plain >" + name;
  if (name.starts_with("after_"))
    return draw + "; [ after_$$FIRST != " + name + " ] || echo >gate";
  return (name == "a" ? ": >met; " : ": <met; ") + draw + "; [ $$FIRST = " + name +
         " ] || read line <gate";
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

std::string makefile() {
  std::string text = "all: after_a after_b\nafter_a: a\nafter_b: b\n";
  for (const char* name : {"a", "b", "after_a", "after_b"})
    text += std::string(".PHONY: ") + name + "\n" + name + ":\n\t@" + job(name) + "\n";
  return text;
}

std::string ninja_file() {
  std::string text = "rule job\n  command = $command\n";
  for (const char* name : {"a", "b", "after_a", "after_b"}) {
    const std::string full = name;
    text += "build " + full + ".done: job";
    if (full.starts_with("after_"))
      text += " " + full.substr(6) + ".done";
    text += "\n  command = " + job(full) + "; : >" + full + ".done\n";
  }
  return text;
}

std::string ctest_file() {
  std::string text;
  for (const std::string name : {"a", "b", "after_a", "after_b"}) {
    std::string command = job(name);
    replace_all(command, "$$", "$");
    text += "add_test(" + name + " sh -c [==[" + command + "]==])\n";
    if (name.starts_with("after_"))
      text += "set_tests_properties(" + name + " PROPERTIES DEPENDS " + name.substr(6) + ")\n";
  }
  return text;
}

struct Spawner {
  std::string name;
  std::string file;
  std::string (*text)();
  std::vector<std::string> command;
};
void PrintTo(const Spawner& tested, std::ostream* stream) { *stream << tested.name; }

/// What each job drew when the job after `first` came first.
std::map<std::string, std::string> drawn(const Spawner& spawner, const std::string& first,
                                         const Environment& more = {}) {
  const TemporaryFolder scratch;
  std::ofstream(scratch.path() / spawner.file) << spawner.text();
  for (const char* fifo : {"met", "gate"})
    EXPECT_EQ(mkfifo((scratch.path() / fifo).c_str(), 0600), 0);
  Environment environment = under_shim(scratch, {{"DETSHIM_SEED", "42"}, {"FIRST", first}});
  for (const auto& [name, value] : more)
    environment[name] = value;
  const Result result = run(spawner.command, environment, scratch.path());
  EXPECT_EQ(result.status, 0) << result.out << result.err;
  std::map<std::string, std::string> values;
  for (const char* name : {"a", "b", "after_a", "after_b"})
    values[name] = read_file(scratch.path() / name);
  return values;
}

class RacingChildren : public testing::TestWithParam<Spawner> {};

TEST_P(RacingChildren, DrawTheSameInWhicheverOrderTheyAreStarted) {
  if (find_program(GetParam().command[0]).empty())
    GTEST_SKIP() << GetParam().command[0] << " is not installed here";
  const auto values = drawn(GetParam(), "a");
  EXPECT_EQ(drawn(GetParam(), "b"), values);
  std::set<std::string> distinct;
  for (const auto& [name, value] : values)
    distinct.insert(value);
  EXPECT_EQ(distinct.size(), 4u) << "two jobs drew the same";
}

TEST_P(RacingChildren, DifferWithoutTheLibrary) {
  if (find_program(GetParam().command[0]).empty())
    GTEST_SKIP() << GetParam().command[0] << " is not installed here";
  EXPECT_NE(drawn(GetParam(), "a", {{"DETSHIM_MODE", "off"}}),
            drawn(GetParam(), "a", {{"DETSHIM_MODE", "off"}}));
}

INSTANTIATE_TEST_SUITE_P(
    All, RacingChildren,
    testing::Values(Spawner{"make", "Makefile", makefile, {"make", "-j2"}},
                    Spawner{"ninja", "build.ninja", ninja_file, {"ninja", "-j2"}},
                    Spawner{"ctest", "CTestTestfile.cmake", ctest_file, {"ctest", "-j2"}}),
    [](const auto& tested) {
      return tested.param.name;
    });

// What the spawner starts again and again, by the same command, is not one and the same process.
TEST(EqualCommands, DrawDistinctValues) {
  const TemporaryFolder scratch;
  std::ofstream(scratch.path() / "Makefile") << contents(PROGRAMS "equal_commands.mk");
  const auto values = [&] {
    const Result result = run({"make", "DRAW=" + snippet},
                              under_shim(scratch, {{"DETSHIM_SEED", "42"}}), scratch.path());
    EXPECT_EQ(result.status, 0) << result.err;
    return lines(result.out);
  };
  const std::vector<std::string> first = values();
  EXPECT_EQ(first.size(), 6 * 8u);
  EXPECT_EQ(std::set<std::string>(first.begin(), first.end()).size(), first.size());
  EXPECT_EQ(values(), first);
}

TEST(OneCommand, OfMakeDrawsWhatTheProgramDraws) {
  const TemporaryFolder scratch;
  std::ofstream(scratch.path() / "Makefile") << "train:\n\t@" << snippet << " plain\n";
  const Environment environment = under_shim(scratch, {{"DETSHIM_SEED", "42"}});
  EXPECT_EQ(run({"make", "train"}, environment, scratch.path()).out,
            run({snippet, "plain"}, environment).out);
}

} // namespace
