// A program that no preload reaches is named when it is executed, whoever executes it and how.
#include "log_files.h"
#include "run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include <sys/syscall.h>
#include <unistd.h>

namespace {

using Arguments = std::vector<std::string>;

const Environment loud{{"DETSHIM_SEED", "42"}, {"DETSHIM_QUIET", "0"}};

/// How often the log says that `program` is not reached.
uint64_t uncovered(const TemporaryFolder& scratch, const std::string& program) {
  uint64_t calls = 0;
  if (!std::filesystem::exists(scratch.log()))
    return 0;
  for (const ProcessLog& process : read_log(scratch.log()))
    for (const auto& call : process.calls())
      if (call["do"] == "uncovered" && call.value("program", "") == program)
        calls += process.count(call);
  return calls;
}

/// What the log says of programs that are not reached: the name of each, and why.
std::set<std::string> reasons(const TemporaryFolder& scratch) {
  std::set<std::string> found;
  if (!std::filesystem::exists(scratch.log()))
    return found;
  for (const ProcessLog& process : read_log(scratch.log()))
    for (const auto& call : process.calls())
      if (call["do"] == "uncovered")
        found.insert(std::filesystem::path(call.value("program", "")).filename().string() + ": " +
                     call["why"].get<std::string>());
  return found;
}
using Reasons = std::set<std::string>;

/// A reason's code, as the library prints it.
std::string said(std::string code) {
  std::ranges::replace(code, '_', ' ');
  return code;
}

class Escapes : public testing::TestWithParam<Arguments> {};

TEST_P(Escapes, AreSaidOnceAndCounted) {
  const TemporaryFolder scratch;
  const Result result = run(GetParam(), under_shim(scratch, loud));
  EXPECT_EQ(uncovered(scratch, STATIC_PROGRAM), 2u);
  const std::string line = "detshim: " STATIC_PROGRAM " is not reached: static program";
  const size_t first = result.err.find(line);
  ASSERT_NE(first, std::string::npos) << result.err;
  EXPECT_EQ(result.err.find(line, first + 1), std::string::npos) << result.err;
}

const std::string python = "/usr/bin/python3";
INSTANTIATE_TEST_SUITE_P(
    All, Escapes,
    testing::Values(
        Arguments{"perl", "-e", "system('" STATIC_PROGRAM "') for 1..2"},
        Arguments{python, "-c",
                  "import subprocess\nfor i in range(2): subprocess.run(['" STATIC_PROGRAM "'])"},
        Arguments{python, "-c",
                  "import os\nfor i in range(2): os.waitpid(os.posix_spawn('" STATIC_PROGRAM
                  "', ['x'], os.environ), 0)"}),
    [](const auto& tested) {
      return "way" + std::to_string(tested.index);
    });

// valgrind's tools are static and take the preloads into the program; another program in a folder
// of that name does not.
TEST(Escapes, InAFolderNamedValgrindAreSaid) {
  const TemporaryFolder scratch;
  const std::filesystem::path folder = scratch.path() / "valgrind";
  std::filesystem::create_directory(folder);
  std::filesystem::copy_file(STATIC_PROGRAM, folder / "program");
  run({"perl", "-e", "system('" + (folder / "program").string() + "')"}, under_shim(scratch, loud));
  EXPECT_EQ(uncovered(scratch, folder / "program"), 1u);
}

TEST(Escapes, DoNotConcernProgramsThatAreCovered) {
  const TemporaryFolder scratch;
  const Result result =
      run({"sh", "-c", "ls / >/dev/null; env true; bash -c true"}, under_shim(scratch, loud));
  EXPECT_EQ(result.err, "");
  EXPECT_FALSE(std::filesystem::exists(scratch.log()));
}

// A program that was told to leave detshim, or of which less is pinned than of the one that
// executes it.
TEST(Escapes, ByTheOptionsOfAChildAreSaid) {
  const std::string od = find_program("od");
  for (const char* setting : {"DETSHIM_MODE=observe", "DETSHIM_DISABLE=libc",
                              "DETSHIM_KEEP_ENTROPY=od", "LD_PRELOAD=libdetshim.so"}) {
    const TemporaryFolder scratch;
    run({"env", setting, od, "-N8", "/dev/urandom"}, under_shim(scratch, loud));
    EXPECT_EQ(uncovered(scratch, od), 1u) << setting;
  }
}

// The loader finds it by its name in LD_LIBRARY_PATH, in the child as well.
TEST(Escapes, DoNotConcernWhatTheLoaderFindsByItsName) {
  const std::string od = find_program("od");
  const std::filesystem::path library = DETSHIM_LIBRARY;
  for (const std::string& list :
       {library.filename().string(), library.filename().string() + ":/dev/null"}) {
    const TemporaryFolder scratch;
    Environment environment = under_shim(scratch, loud);
    environment["LD_PRELOAD"] = list; // the loader passes over what it cannot load
    environment["LD_LIBRARY_PATH"] = library.parent_path();
    run({"sh", "-c", od + " -N8 /dev/urandom; true"}, environment);
    EXPECT_EQ(uncovered(scratch, od), 0U) << list;
    EXPECT_FALSE(read_log(scratch.log()).empty()) << list;
  }
}

// With an environment that the program made, or took the library out of, each way of executing one.
TEST(Escapes, FromTheEnvironmentAreSaid) {
  const std::string od = find_program("od");
  const std::string text = "'" + od + "', ['od', '-N8', '/dev/urandom']";
  std::vector<Arguments> commands = {
      Arguments{"env", "-u", "LD_PRELOAD", od, "-N8", "/dev/urandom"},
      Arguments{"env", "-i", od, "-N8", "/dev/urandom"},
      Arguments{python, "-c", "import os; os.execve(" + text + ", {})"},
      Arguments{python, "-c", "import os; os.waitpid(os.posix_spawn(" + text + ", {'A': 'b'}), 0)"},
      Arguments{python, "-c", "import os; del os.environ['LD_PRELOAD']; os.execv(" + text + ")"},
      Arguments{python, "-c",
                "import os; del os.environ['LD_PRELOAD']; os.system('" + od +
                    " -N8 /dev/urandom')"},
  };
  for (const auto& [name, program] : sections(PROGRAMS "executes_without_the_library.py"))
    commands.push_back(
        {python, "-c", program, od, std::to_string(SYS_execve), std::to_string(SYS_execveat)});
  EXPECT_EQ(commands.size(), 12U);
  for (const Arguments& command : commands) {
    const TemporaryFolder scratch;
    const Result result = run(command, under_shim(scratch, loud));
    const Reasons found = reasons(scratch); // of od, of a shell that runs it, or of its descriptor
    ASSERT_EQ(found.size(), 1U) << testing::PrintToString(command);
    EXPECT_TRUE(found.begin()->ends_with(": not_preloaded")) << *found.begin();
    EXPECT_NE(result.err.find(said("not_preloaded")), std::string::npos) << result.err;
    const TemporaryFolder other;
    EXPECT_NE(run(command, under_shim(other, loud)).out, result.out)
        << testing::PrintToString(command) << ": it is covered";
  }
}

// It is static and draws, but only Python's search for libraries hangs on it: nearly every `import
// torch`.
TEST(Escapes, AreNoneWhereLibrariesAreLookedFor) {
  if (!std::filesystem::exists("/sbin/ldconfig"))
    GTEST_SKIP() << "no ldconfig";
  const TemporaryFolder scratch;
  const Result result =
      run({"sh", "-c", "head -c 4 /dev/urandom >/dev/null; /sbin/ldconfig -p >/dev/null"},
          under_shim(scratch, loud));
  EXPECT_EQ(reasons(scratch), Reasons{}) << result.err;
  EXPECT_EQ(lines(result.err).size(), 1U) << result.err;
  EXPECT_EQ(run({DETSHIM_COMMAND, "log", "--check", scratch.log().string()}).status, 0);
}

/// A shell of another user executes a setuid copy of od, which draws.
Result set_user_program(const Arguments& options) {
  const TemporaryFolder scratch;
  const std::filesystem::path copy = scratch.path() / "set_user";
  std::filesystem::copy_file(find_program("od"), copy);
  std::filesystem::permissions(copy, std::filesystem::perms::set_uid,
                               std::filesystem::perm_options::add);
  std::filesystem::permissions(scratch.path(), std::filesystem::perms::all);
  Arguments command = {"setpriv", "--reuid=65534", "--clear-groups"};
  command.insert(command.end(), options.begin(), options.end());
  for (const std::string& word :
       {std::string("sh"), std::string("-c"), copy.string() + " -N8 /dev/urandom; true"})
    command.push_back(word);
  return run(command, under_shim(scratch, loud));
}

/// What the log says of that program, which a shell executes.
std::set<std::string> reasons_of(const std::string& program) {
  const TemporaryFolder scratch;
  run({"sh", "-c", program + "; true"}, under_shim(scratch, loud));
  return reasons(scratch);
}

TEST(Escapes, ByAScriptsInterpreterAreSaid) {
  const TemporaryFolder scratch;
  const std::filesystem::path script = scratch.path() / "script";
  std::ofstream(script) << "#! " STATIC_PROGRAM " a\n";
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  EXPECT_EQ(reasons_of(script), Reasons{"script: static_program"});
}

TEST(Escapes, WithAnotherGroupsRightsAreSaid) {
  if (geteuid() != 0)
    GTEST_SKIP() << "needs root";
  const TemporaryFolder scratch;
  const std::filesystem::path copy = scratch.path() / "set_group";
  std::filesystem::copy_file(find_program("true"), copy);
  ASSERT_EQ(chown(copy.c_str(), 0, 65534), 0);
  std::filesystem::permissions(copy, std::filesystem::perms::set_gid,
                               std::filesystem::perm_options::add);
  EXPECT_EQ(reasons_of(copy), Reasons{"set_group: other_user"});
}

// The loader itself, started as a program, does preload.
TEST(Escapes, AreNoneWhereTheLoaderIsTheProgram) {
  const std::string loader = "/lib64/ld-linux-x86-64.so.2";
  if (!std::filesystem::exists(loader))
    GTEST_SKIP() << "another loader here";
  EXPECT_EQ(reasons_of(loader + " /bin/true"), Reasons{});
}

TEST(Escapes, WithAnotherUsersRightsAreSaid) {
  if (geteuid() != 0 || find_program("setpriv").empty())
    GTEST_SKIP() << "needs root and setpriv";
  const Result result = set_user_program({});
  EXPECT_NE(result.err.find(said("other_user")), std::string::npos) << result.err;
  EXPECT_NE(set_user_program({}).out, result.out);
  // Where it gets none, it is covered.
  const Result kept = set_user_program({"--no-new-privs"});
  EXPECT_EQ(kept.err.find(said("other_user")), std::string::npos) << kept.err;
  EXPECT_EQ(set_user_program({"--no-new-privs"}).out, kept.out);
}

// A process that ends by _exit closes its log too: dash does, and reports it as the first process.
TEST(ClosingLine, IsPrintedByAShellToo) {
  for (const char* shell : {"dash", "bash"}) {
    if (find_program(shell).empty())
      continue;
    const TemporaryFolder scratch;
    const Result result =
        run({shell, "-c", "head -c 4 /dev/urandom >/dev/null; true"}, under_shim(scratch, loud));
    EXPECT_EQ(closing_counts(result.err), (ClosingCounts{1, 1})) << shell << ": " << result.err;
    EXPECT_EQ(lines(result.err).size(), 1u) << result.err;
  }
}

} // namespace
