// What others may do to a log, and what a log may do to others: files that are not ours, files that
// are cut short, texts that a terminal would obey, processes that cannot write.
#include "log_files.h"
#include "run.h"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;

const Environment seed{{"DETSHIM_SEED", "42"}};
const Environment loud{{"DETSHIM_SEED", "42"}, {"DETSHIM_QUIET", "0"}};

std::string content(const fs::path& file) {
  std::ifstream stream{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{stream}, {}};
}

uint64_t counted(const ProcessLog& process, const std::string& function) {
  uint64_t sum = 0;
  for (const auto& call : process.calls(function))
    sum += process.count(call);
  return sum;
}

nlohmann::json read_by_command(const TemporaryFolder& scratch) {
  const Result result =
      run({DETSHIM_COMMAND, "log", "--json", "--no-scan", scratch.log().string()});
  const nlohmann::json document = nlohmann::json::parse(result.out, nullptr, false);
  EXPECT_TRUE(document.is_object()) << result.out << result.err;
  return document;
}

/// How many reasons of that kind the verdict has.
size_t reasons(const nlohmann::json& document, const std::string& kind) {
  size_t count = 0;
  for (const auto& reason : document.at("reasons"))
    count += reason.at("kind") == kind ? 1 : 0;
  return count;
}

bool is_root() { return geteuid() == 0 && !find_program("setpriv").empty(); }

// ------------------------------------------------------------------ files that are not ours

/// Lays `what` (a shell command with $FILE and $VICTIM) where the log's file will be, in a folder
/// that everybody may write in, and runs a program there that draws. The process id is known only
/// inside.
void expect_left_alone(const std::string& what, const std::string& ending) {
  const TemporaryFolder scratch;
  const fs::path victim = scratch.path() / "victim";
  std::ofstream{victim} << "precious";
  fs::permissions(victim, fs::perms::owner_read | fs::perms::owner_write);
  fs::create_directory(scratch.log());
  fs::permissions(scratch.log(), fs::perms::all);
  Environment environment = under_shim(scratch, loud);
  environment["PRELOAD"] = environment["LD_PRELOAD"];
  environment.erase("LD_PRELOAD");
  environment["LOG"] = scratch.log();
  environment["VICTIM"] = victim;
  environment["PROGRAM"] = COUNTED_PROGRAM;
  const std::string script =
      "FILE=$LOG/0-0-$$." + ending + "; " + what + " && LD_PRELOAD=$PRELOAD exec \"$PROGRAM\"";
  const Result result = run({"sh", "-c", script}, environment);
  EXPECT_EQ(result.status, 0) << what << result.err;
  EXPECT_EQ(result.out, "done\n") << what;
  EXPECT_EQ(content(victim), "precious") << what << " " << ending;

  const fs::path others = scratch.path() / "others";
  fs::create_directory(others);
  for (const auto& entry : fs::directory_iterator{scratch.log()}) {
    const std::string name = entry.path().filename();
    if (name.find("-1.") == std::string::npos && name.ends_with(ending)) {
      if (entry.is_regular_file() && !entry.is_symlink()) {
        EXPECT_TRUE(content(entry).empty() || content(entry) == "precious")
            << what << " " << ending;
      }
      fs::rename(entry.path(), others / name);
    }
  }
  EXPECT_FALSE(fs::is_empty(others)) << "nothing was in the way";
  const std::vector<ProcessLog> logs = read_log(scratch.log());
  ASSERT_EQ(logs.size(), 1u) << what << " " << ending;
  EXPECT_EQ(counted(logs[0], "rand"), 300000u) << what << " " << ending;
  EXPECT_EQ(closing_counts(result.err), (ClosingCounts{303000, 1})) << result.err;
}

class FileInTheWay : public testing::TestWithParam<const char*> {};

TEST_P(FileInTheWay, IsLeftAloneAndAnotherNameTaken) {
  expect_left_alone(": >\"$FILE\" && chmod 666 \"$FILE\"", GetParam());
  expect_left_alone("ln \"$VICTIM\" \"$FILE\"", GetParam());
  expect_left_alone("ln -s \"$VICTIM\" \"$FILE\"", GetParam());
  expect_left_alone("cp -p \"$VICTIM\" \"$FILE\"", GetParam());
  expect_left_alone("mkfifo -m 600 \"$FILE\"", GetParam());
  expect_left_alone("mkdir \"$FILE\"", GetParam());
  if (is_root()) {
    expect_left_alone(": >\"$FILE\" && chmod 600 \"$FILE\" && chown 65534 \"$FILE\"", GetParam());
  }
}
INSTANTIATE_TEST_SUITE_P(All, FileInTheWay, testing::Values("jsonl", "counts"),
                         [](const auto& tested) {
                           return std::string{tested.param};
                         });

// The closing line counts no file that another user has laid there, nor reads on in one without an
// end.
TEST(ClosingLine, CountsOwnFilesAlone) {
  const auto closing_line = [](const char* mode) {
    const TemporaryFolder scratch;
    const std::string draw = std::string{COUNTED_PROGRAM} + " >/dev/null; ";
    const std::string copy = "for f in \"$L\"/*.counts; do cp \"$f\" \"$L\"/copy.counts; chmod " +
                             std::string{mode} + " \"$L\"/copy.counts; done; ";
    Environment environment = under_shim(scratch, loud);
    environment["L"] = scratch.log();
    return run({"sh", "-c", draw + copy + "mkfifo -m 600 \"$L\"/pipe.counts"}, environment).err;
  };
  EXPECT_EQ(closing_counts(closing_line("600")), (ClosingCounts{606000, 2}));
  EXPECT_EQ(closing_counts(closing_line("622")), (ClosingCounts{303000, 1}));
}

// A program that turns into another without our knowing goes on in its own files.
TEST(LogFile, OfAnEarlierProgramOfTheProcessIsGoneOnWith) {
  const TemporaryFolder scratch;
  const Environment observe{{"DETSHIM_MODE", "observe"}};
  const std::string twice = contents(PROGRAMS "turns_into_itself.py");
  EXPECT_EQ(run({"/usr/bin/python3", "-c", twice}, under_shim(scratch, observe)).status, 0);
  size_t programs = 0;
  for (const ProcessLog& log : read_log(scratch.log()))
    for (const auto& record : log.records)
      programs += record["t"] == "start" ? 1 : 0;
  EXPECT_EQ(programs, 2u);
}

// ------------------------------------------------------------------ files that are cut short

class CutShort : public testing::TestWithParam<Arguments> {};

TEST_P(CutShort, DoesNotKillTheProgram) {
  const TemporaryFolder scratch;
  Arguments command = GetParam();
  command.push_back(scratch.log().string());
  const Result result = run(command, under_shim(scratch, seed));
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "1010\n");
  const std::vector<ProcessLog> logs = read_log(scratch.log());
  ASSERT_EQ(logs.size(), 1u);
  EXPECT_EQ(counted(logs[0], "getrandom"), 1010u)
      << "and what was counted is whole again at the end";
}

INSTANTIATE_TEST_SUITE_P(All, CutShort,
                         testing::Values(Arguments{CUT_COUNTS_PROGRAM},
                                         Arguments{DETSHIM_COMMAND, "run", "--library",
                                                   DETSHIM_LIBRARY, "--quiet", "--",
                                                   CUT_COUNTS_PROGRAM}),
                         [](const auto& tested) {
                           return tested.param.size() == 1 ? "Preloaded" : "Run";
                         });

TEST(CutShort, AndKilledItIsRead) {
  const TemporaryFolder scratch;
  const Result result =
      run({CUT_COUNTS_PROGRAM, scratch.log().string(), "kill"}, under_shim(scratch, seed));
  EXPECT_EQ(result.status, 128 + 9);
  const nlohmann::json document = read_by_command(scratch);
  EXPECT_EQ(document.at("verdict"), "unverified");
}

// ------------------------------------------------------------------ texts that a terminal would
// obey

bool is_harmless(const std::string& text) {
  for (const unsigned char c : text)
    if ((c < 0x20 && c != '\n') || c == 0x7f || c == 0x9b)
      return false;
  return true;
}

const std::string evil = "a\x1b[31mb\nc\rd\x7f\xc2\x9b"
                         "e\x9b"
                         "f\xe2\x80\xae"
                         "g";

TEST(StandardError, GetsNoControlCharacters) {
  const TemporaryFolder scratch;
  const fs::path program = scratch.path() / evil;
  fs::copy_file(STATIC_PROGRAM, program);
  Environment environment = loud;
  environment["DETSHIM_LOG"] = scratch.path() / ("log" + evil);
  environment["PROGRAM"] = program;
  const Result result = run({"perl", "-e", "srand(1); system { $ENV{PROGRAM} } $ENV{PROGRAM}"},
                            under_shim(scratch, environment));
  EXPECT_TRUE(is_harmless(result.err)) << result.err;
  const std::vector<std::string> said = lines(result.err);
  ASSERT_EQ(said.size(), 2u) << result.err;
  const std::string shown = "a\\x1b[31mb\\x0ac\\x0dd\\x7f\\u009be\\x9bf\\u202eg";
  EXPECT_NE(said[0].find("/" + shown + " "), std::string::npos) << said[0];
  EXPECT_NE(said[1].find("log" + shown), std::string::npos) << said[1];
}

TEST(StandardError, GetsNoControlCharactersWhereTheLogCannotBeWritten) {
  const TemporaryFolder scratch;
  std::ofstream{scratch.path() / evil} << "in the way";
  Environment environment = loud;
  environment["DETSHIM_LOG"] = scratch.path() / evil;
  const Result result = run({COUNTED_PROGRAM}, under_shim(scratch, environment));
  EXPECT_NE(result.err.find("cannot write the log"), std::string::npos) << result.err;
  EXPECT_TRUE(is_harmless(result.err)) << result.err;
  EXPECT_EQ(lines(result.err).size(), 1u) << result.err;
}

// ------------------------------------------------------------------ processes that cannot write

const std::string python = "/usr/bin/python3";

/// What the verdict says of a run of that command by root, in which a process draws as another
/// user.
class AnotherUser : public testing::TestWithParam<Arguments> {};

TEST_P(AnotherUser, LeavesATraceInTheLog) {
  if (!is_root())
    GTEST_SKIP() << "needs root and setpriv";
  const TemporaryFolder scratch;
  EXPECT_EQ(run(GetParam(), under_shim(scratch, seed), "/").status, 0);
  const nlohmann::json document = read_by_command(scratch);
  EXPECT_EQ(document.at("verdict"), "unverified") << document.at("reasons");
  EXPECT_GT(reasons(document, "no_log"), 0u) << document.at("reasons");
  EXPECT_EQ(reasons(document, "no_end"), 0u) << document.at("reasons");
}

const std::string draws_here = "head -c 4 /dev/urandom >/dev/null; ";
INSTANTIATE_TEST_SUITE_P(
    All, AnotherUser,
    testing::Values(
        Arguments{"sh", "-c",
                  draws_here + "setpriv --reuid=65534 --clear-groups od -N8 /dev/urandom"},
        Arguments{"sh", "-c",
                  "setpriv --reuid=65534 --clear-groups od -N8 /dev/urandom; " + draws_here},
        Arguments{python, "-c", section(PROGRAMS "draws_as_nobody.py", "started")},
        Arguments{"sh", "-c", draws_here + "chroot --userspec=65534 / od -N8 /dev/urandom"}),
    [](const auto& tested) {
      return "way" + std::to_string(tested.index);
    });

// What it forks writes where it had begun to.
TEST(AnotherUser, LogsWhatItForks) {
  if (!is_root())
    GTEST_SKIP() << "needs root";
  const TemporaryFolder scratch;
  const Arguments command = {python, "-c", section(PROGRAMS "draws_as_nobody.py", "forked")};
  EXPECT_EQ(run(command, under_shim(scratch, seed), "/").status, 0);
  uint64_t draws = 0;
  for (const ProcessLog& log : read_log(scratch.log()))
    draws += counted(log, "getrandom");
  EXPECT_EQ(draws, 2u);
  const nlohmann::json document = read_by_command(scratch);
  for (const char* kind : {"no_log", "no_end", "no_modules"})
    EXPECT_EQ(reasons(document, kind), 0u) << document.at("reasons");
}

// A process that gives up its user's rights and goes on by itself is in the log.
TEST(AnotherUser, IsRecordedWhereItGoesOnByItself) {
  if (!is_root())
    GTEST_SKIP() << "needs root and setpriv";
  const TemporaryFolder scratch;
  const Arguments command = {python, "-c", section(PROGRAMS "draws_as_nobody.py", "by_itself")};
  EXPECT_EQ(run(command, under_shim(scratch, seed), "/").status, 0);
  const nlohmann::json document = read_by_command(scratch);
  EXPECT_EQ(reasons(document, "no_log"), 0u) << document.at("reasons");
  uint64_t drawn = 0;
  for (const ProcessLog& log : read_log(scratch.log()))
    drawn += counted(log, {});
  EXPECT_GE(drawn, 100u);
}

/// Runs a command without root's rights.
Result run_as_nobody(const TemporaryFolder& scratch, Arguments command) {
  Environment environment = under_shim(scratch, seed);
  if (geteuid() == 0) {
    command.insert(command.begin(), {"setpriv", "--reuid=65534", "--clear-groups", "env",
                                     std::string{"LD_PRELOAD="} + DETSHIM_LIBRARY});
    environment.erase("LD_PRELOAD"); // setpriv is not a process of the run
  }
  return run(command, environment, scratch.path());
}

// The folder is there, and cannot be written in any more: the forked child writes in its parent's
// file, the program that is executed has none.
TEST(LostFolder, LeavesATraceInTheLog) {
  const TemporaryFolder scratch;
  fs::permissions(scratch.path(), fs::perms::all);
  const std::string script = contents(PROGRAMS "loses_its_log_folder.py");
  if (geteuid() == 0 && !is_root())
    GTEST_SKIP() << "needs setpriv";
  const Result result = run_as_nobody(scratch, {python, "-c", script, scratch.log().string()});
  EXPECT_EQ(result.status, 0) << result.err;
  const nlohmann::json document = read_by_command(scratch);
  EXPECT_EQ(document.at("verdict"), "unverified");
  EXPECT_EQ(reasons(document, "no_log"), 1u) << document.at("reasons");
  EXPECT_EQ(document.at("processes"), 2);
}

// Programs of the same user are none of this, whatever they draw.
TEST(ProcessesThatCanWrite, AreNotNamed) {
  const TemporaryFolder scratch;
  EXPECT_EQ(
      run({"sh", "-c", draws_here + "env true; (true); " + draws_here}, under_shim(scratch, seed))
          .status,
      0);
  EXPECT_EQ(read_by_command(scratch).at("reasons").size(), 1u) << "no_scan alone";
}

} // namespace
