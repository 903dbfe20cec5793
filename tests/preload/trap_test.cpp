// `detshim run --trap-syscalls`: programs that no preload reaches draw repeatable numbers; everything else is
// as it is without.
#include "log_files.h"
#include "run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include <sys/mount.h>
#include <unistd.h>

namespace {

using Arguments = std::vector<std::string>;

Result under_run(const Arguments& options, const Arguments& command, const Environment& more = {}) {
  const TemporaryFolder scratch;
  return run(detshim_run(scratch, options, command), more);
}

Result trapped(const Arguments& command, const std::string& seed = "42", const Environment& more = {}) {
  return under_run({"--trap-syscalls", "--quiet", "--seed", seed}, command, more);
}

Result preloaded_only(const Arguments& command) {
  return under_run({"--quiet", "--seed", "42", "--allow-uncovered"}, command);
}

std::string not_possible() {
  const Result result = trapped({"true"});
  return result.status == 126 ? result.err : std::string();
}

class TrapTest : public testing::Test {
protected:
  void SetUp() override {
    static const std::string reason = not_possible();
    if (!reason.empty()) GTEST_SKIP() << reason;
  }
};

// ------------------------------------------------------------------ what is pinned

class TrappedDraw : public testing::WithParamInterface<const char*>, public TrapTest {};

TEST_P(TrappedDraw, Repeats) {
  const Arguments command = {TRAPPED_PROGRAM, GetParam()};
  const Result first = trapped(command);
  EXPECT_EQ(first.status, 0) << first.out << first.err;
  EXPECT_EQ(trapped(command), first);
  EXPECT_NE(trapped(command, "43").out, first.out);
  if (command[1] != "forked") { // those are named by the program's name too
    EXPECT_EQ(trapped({TRAPPED_PIE_PROGRAM, GetParam()}).out, first.out);
  }
  EXPECT_NE(run(command).out, run(command).out);
  EXPECT_NE(preloaded_only(command).out, preloaded_only(command).out);
}

INSTANTIATE_TEST_SUITE_P(All, TrappedDraw,
                         testing::Values("getrandom", "nonblock", "large", "getentropy", "arc4random",
                                         "urandom", "random", "path", "openat2", "large_device", "forked",
                                         "signals"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST_F(TrapTest, NothingIsDrawnTwice) {
  const Arguments command = {TRAPPED_PROGRAM, "getrandom", "getrandom", "getentropy", "urandom",
                             "urandom",       "random",    "forked",    "getrandom"};
  const std::vector<std::string> drawn = lines(trapped(command).out);
  std::set<std::string> beginnings;
  for (const std::string& line : drawn) beginnings.insert(line.substr(0, 16));
  EXPECT_EQ(drawn.size(), 10u);
  EXPECT_EQ(beginnings.size(), drawn.size());
}

TEST_F(TrapTest, GoRepeats) {
  for (const std::string program : {GO_PROGRAM, GO_PROGRAM "_libc"}) {
    if (access(program.c_str(), X_OK) != 0) GTEST_SKIP() << "no Go compiler when this was built";
    const Result first = trapped({program});
    EXPECT_EQ(first.status, 0) << first.err;
    EXPECT_NE(first.out.find(" 3200 "), std::string::npos) << first.out;
    EXPECT_EQ(trapped({program}), first);
    EXPECT_NE(trapped({program}, "43").out, first.out);
    EXPECT_NE(preloaded_only({program}).out, preloaded_only({program}).out);
  }
}

const std::string python_draws =
    "/usr/bin/python3 -c 'import os, random; print(random.random(), os.urandom(4))'";

TEST_F(TrapTest, ATreeOfBothKindsRepeats) {
  const Arguments script = {"sh", "-c",
                            python_draws +
                                "; " TRAPPED_PROGRAM " getrandom; " TRAPPED_PROGRAM
                                " getrandom; (" TRAPPED_PROGRAM " urandom); " +
                                python_draws +
                                "; echo $(" TRAPPED_PROGRAM " getrandom); env -i " TRAPPED_PROGRAM
                                " getrandom; exec " TRAPPED_PROGRAM " getrandom"};
  const Result first = trapped(script);
  EXPECT_EQ(first.status, 0) << first.err;
  EXPECT_EQ(trapped(script), first);
  const std::vector<std::string> drawn = lines(first.out);
  EXPECT_EQ(drawn.size(), 8u);
  EXPECT_EQ(std::set<std::string>(drawn.begin(), drawn.end()).size(), drawn.size()) << first.out;
  EXPECT_NE(trapped(script, "43").out, first.out);
  EXPECT_NE(preloaded_only(script).out, preloaded_only(script).out);
}

TEST_F(TrapTest, EightProgramsAtOnceRepeat) {
  const Arguments script = {
      "sh", "-c",
      "folder=$(mktemp -d) || exit; cd $folder; for i in 1 2 3 4 5 6 7 8; do " TRAPPED_PROGRAM
      " getrandom threads urandom > $i & done; wait; cat 1 2 3 4 5 6 7 8; rm -r $folder"};
  const Result first = trapped(script);
  EXPECT_EQ(lines(first.out).size(), 24u) << first.err;
  EXPECT_EQ(trapped(script).out, first.out);
}

// Every static program draws as it starts: the ends of a pipe that a static shell makes must not race for a
// name.
TEST_F(TrapTest, ChildrenOfAStaticShellRepeat) {
  const std::string shell = find_program("busybox");
  if (shell.empty() || preloaded_only({shell, "od", "-An", "-N8", "/dev/urandom"}) ==
                           preloaded_only({shell, "od", "-An", "-N8", "/dev/urandom"}))
    GTEST_SKIP() << "no static busybox";
  const std::string draw = shell + " head -c 20 /dev/urandom | " + shell + " md5sum; ";
  const Arguments script = {shell, "sh", "-c",
                            draw + draw + shell + " dd if=/dev/urandom bs=1M count=3 2>/dev/null | " + shell +
                                " md5sum; f=$(mktemp) || exit; " TRAPPED_PROGRAM
                                " getrandom $f | cat; rm $f; " +
                                shell + " od -An -tx1 -N8 < /dev/urandom"};
  const Result first = trapped(script);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(trapped(script).out, first.out);
  const std::vector<std::string> drawn = lines(first.out);
  EXPECT_GE(drawn.size(), 5u) << first.err;
  EXPECT_EQ(std::set<std::string>(drawn.begin(), drawn.end()).size(), drawn.size()) << first.out;
}

TEST_F(TrapTest, RanksDiffer) {
  const Arguments command = {TRAPPED_PROGRAM, "getrandom"};
  const std::string first = trapped(command, "42", {{"RANK", "0"}}).out;
  const std::string second = trapped(command, "42", {{"RANK", "1"}}).out;
  EXPECT_NE(first, second);
  EXPECT_EQ(trapped(command, "42", {{"RANK", "1"}}).out, second);
}

TEST_F(TrapTest, ADrawnSeedIsSaidOnceAndReplays) {
  for (const Arguments& command : {Arguments{TRAPPED_PROGRAM, "getrandom"},
                                   Arguments{"sh", "-c", python_draws + "; " TRAPPED_PROGRAM " getrandom"}}) {
    const Result drawn = under_run({"--trap-syscalls"}, command);
    const std::string start = "Using seed: ";
    ASSERT_EQ(drawn.err.compare(0, start.size(), start), 0) << drawn.err;
    EXPECT_EQ(drawn.err.find(start, 1), std::string::npos) << drawn.err;
    EXPECT_EQ(trapped(command, drawn.err.substr(start.size(), drawn.err.find(';') - start.size())).out,
              drawn.out);
    EXPECT_NE(under_run({"--trap-syscalls"}, command).out, drawn.out);
  }
}

// ------------------------------------------------------------------ what is left alone

TEST_F(TrapTest, CoveredProgramsDrawWhatTheyDrawWithout) {
  for (const std::string& script :
       {python_draws, "head -c 8 /dev/urandom | od -An -tx1; exec " + python_draws,
        "sh -c \"" + python_draws + "\""}) {
    const Arguments command = {"sh", "-c", script};
    EXPECT_EQ(trapped(command).out, preloaded_only(command).out) << script;
    EXPECT_FALSE(trapped(command).out.empty());
  }
}

TEST_F(TrapTest, KeysStayRandom) {
  const Arguments python = {"/usr/bin/python3", "-c", "import ssl; print(ssl.RAND_bytes(16).hex())"};
  for (const Arguments& command : {Arguments{"openssl", "rand", "-hex", "16"}, python}) {
    if (find_program(command[0]).empty()) continue;
    const Result first = trapped(command);
    if (first.status != 0) continue;
    EXPECT_FALSE(first.out.empty());
    EXPECT_NE(trapped(command).out, first.out);
  }
  // The loader as the program: it has no loader itself, yet it preloads.
  const std::string loader = "/lib64/ld-linux-x86-64.so.2";
  if (access(loader.c_str(), X_OK) != 0 || find_program("openssl").empty()) return;
  const Arguments by_loader = {loader, find_program("openssl"), "rand", "-hex", "16"};
  EXPECT_NE(trapped(by_loader).out, trapped(by_loader).out);
}

// A supervisor with more rights writes where its own run's log is, whatever another user's process says.
TEST_F(TrapTest, AnotherUsersProcessIsAnsweredAndNotBelieved) {
  if (geteuid() != 0 || find_program("setpriv").empty()) GTEST_SKIP() << "needs root and setpriv";
  const TemporaryFolder scratch;
  const std::filesystem::path copy = scratch.path() / "copy", elsewhere = scratch.path() / "elsewhere";
  std::filesystem::copy_file(TRAPPED_PROGRAM, copy);
  std::filesystem::permissions(scratch.path(), std::filesystem::perms::all);
  const Arguments command = {
      "setpriv",     "--reuid=65534", "--clear-groups", "env", "DETSHIM_LOG=" + elsewhere.string(),
      copy.string(), "getrandom"};
  const Result first = trapped(command);
  EXPECT_EQ(first.status, 0) << first.err;
  EXPECT_EQ(trapped(command), first);
  EXPECT_FALSE(std::filesystem::exists(elsewhere));
}

TEST_F(TrapTest, NamedProgramsStayRandom) {
  const Arguments command = {TRAPPED_PROGRAM, "getrandom"};
  const Environment keep{{"DETSHIM_KEEP_ENTROPY", "other,trapped_"}};
  EXPECT_NE(trapped(command, "42", keep).out, trapped(command, "42", keep).out);
  const Arguments emptied = {"env", "-i", TRAPPED_PROGRAM, "getrandom"};
  EXPECT_NE(trapped(emptied, "42", keep).out, trapped(emptied, "42", keep).out);
  EXPECT_EQ(trapped(emptied).out, trapped(emptied).out);
  const Environment other{{"DETSHIM_KEEP_ENTROPY", "other"}};
  EXPECT_EQ(trapped(command, "42", other).out, trapped(command).out);
  const Arguments off = {"env", "DETSHIM_MODE=off", TRAPPED_PROGRAM, "getrandom"};
  EXPECT_NE(trapped(off).out, trapped(off).out);
}

TEST_F(TrapTest, WhatTheKernelRefusesIsRefusedInTheSameWay) {
  const Arguments command = {TRAPPED_PROGRAM, "errors", "flags", "wait"};
  EXPECT_EQ(trapped(command), run(command));
  EXPECT_EQ(trapped({TRAPPED_PROGRAM, "droppable"}).out, "refused\n");
}

// ------------------------------------------------------------------ the program is the process that was
// started

TEST_F(TrapTest, TheStatusIsThePrograms) {
  EXPECT_EQ(trapped({TRAPPED_PROGRAM, "getrandom", "status"}).status, 7);
  EXPECT_EQ(trapped({TRAPPED_PROGRAM, "getrandom", "term"}).status, 128 + SIGTERM);
  EXPECT_EQ(trapped({TRAPPED_PROGRAM, "getrandom", "suicide"}).status, 128 + SIGKILL);
  EXPECT_EQ(trapped({"no_such_program"}).status, 127);
  EXPECT_EQ(trapped({"/"}).status, 126);
}

// A terminal's signals go to the whole group.
TEST_F(TrapTest, SignalsOfTheGroupDoNotEndTheSupervisor) {
  const TemporaryFolder scratch;
  Arguments command = detshim_run(
      scratch, {"--trap-syscalls", "--quiet", "--seed", "42"},
      {"sh", "-c",
       "trap '' INT TERM HUP; kill -INT 0; kill -TERM 0; kill -HUP 0; " TRAPPED_PROGRAM " getrandom"});
  command.insert(command.begin(), {"setsid", "--wait"});
  const Result result = run(command);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(lines(result.out).size(), 1u);
}

// The daemon lives on without the shell's pipe, and so must the supervisor.
TEST_F(TrapTest, ADaemonIsAnsweredAndNobodyWaitsForIt) {
  const auto drawn = [] {
    const TemporaryFolder scratch;
    int tell[2], result[2];
    if (pipe(tell) != 0 || pipe(result) != 0) return std::string("no pipe");
    std::string command;
    for (const std::string& word :
         detshim_run(scratch, {"--trap-syscalls", "--quiet", "--seed", "42"},
                     {TRAPPED_PROGRAM, "daemon", std::to_string(tell[0]), std::to_string(result[1])}))
      command += " " + word;
    EXPECT_EQ(run({"sh", "-c", "x=$(" + command + "); echo ended"}).out, "ended\n");
    close(tell[0]), close(result[1]);
    char text[64];
    EXPECT_EQ(write(tell[1], "x", 1), 1);
    const ssize_t length = read(result[0], text, sizeof text);
    close(tell[1]), close(result[0]);
    return std::string(text, length > 0 ? static_cast<size_t>(length) : 0);
  };
  const std::string first = drawn();
  EXPECT_EQ(first.size(), 16u);
  EXPECT_EQ(drawn(), first);
}

TEST_F(TrapTest, StandardStreamsMayBeClosed) {
  const TemporaryFolder scratch;
  const std::string drawn = trapped({TRAPPED_PROGRAM, "getrandom"}).out;
  for (const char* closed : {"0<&- 2>&-", "0<&-", "2>&-"}) {
    std::string command;
    for (const std::string& word :
         detshim_run(scratch, {"--trap-syscalls", "--seed", "42"}, {TRAPPED_PROGRAM, "getrandom"}))
      command += "'" + word + "' ";
    const Result result = run({"sh", "-c", "exec " + command + closed});
    EXPECT_EQ(result.status, 0) << closed;
    EXPECT_EQ(result.out, drawn) << closed;
  }
}

TEST_F(TrapTest, AFullDiskIsSaid) {
  const TemporaryFolder scratch;
  std::filesystem::create_directory(scratch.log());
  if (mount("none", scratch.log().c_str(), "tmpfs", 0, "size=4k") != 0)
    GTEST_SKIP() << "no file system can be mounted here";
  const Result result =
      run(detshim_run(scratch, {"--trap-syscalls", "--seed", "42"}, {TRAPPED_PROGRAM, "getrandom"}));
  umount(scratch.log().c_str());
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.err.find("cannot write the log"), std::string::npos) << result.err;
}

/// Runs a program whose supervisor has been killed.
Result without_supervisor(const std::string& then) {
  const TemporaryFolder scratch;
  const std::string mark = "TRAP_TEST_MARK=" + scratch.path().string();
  const Arguments script = {"sh", "-c",
                            "for p in /proc/[0-9]*; do grep -qs detshim-trap $p/comm && grep -qs " + mark +
                                " $p/environ && kill -KILL ${p#/proc/}; done; " + then};
  return trapped(script, "42", {{"TRAP_TEST_MARK", scratch.path().string()}});
}

TEST_F(TrapTest, WithoutItsSupervisorAProgramIsToldSo) {
  const Result result = without_supervisor("exec " TRAPPED_PROGRAM " getrandom");
  EXPECT_EQ(result.out, "getrandom: Function not implemented\n");
  EXPECT_EQ(result.status, 1);
}

// An open costs less than to be asked about it: the shell, which has the library in it, looks itself at what
// it opens.
TEST_F(TrapTest, OpensOfACoveredProgramAskNobody) {
  const Result result = without_supervisor("read name </proc/self/comm; echo $name");
  EXPECT_EQ(result.out, "sh\n") << result.err;
  EXPECT_EQ(trapped({"sh", "-c", "echo $(</dev/urandom head -c 8 | od -An -tx1)"}),
            trapped({"sh", "-c", "echo $(</dev/urandom head -c 8 | od -An -tx1)"}));
}

// ------------------------------------------------------------------ what is refused

TEST_F(TrapTest, AKernelThatRefusesIsSaidBeforeTheProgramStarts) {
  const TemporaryFolder scratch;
  const Arguments inner =
      detshim_run(scratch, {"--trap-syscalls"}, {"sh", "-c", "echo started; echo started >&2"});
  const Result result = trapped(inner);
  EXPECT_EQ(result.status, 126);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(lines(result.err).size(), 1u) << result.err;
  EXPECT_EQ(result.err.find("detshim: --trap-syscalls is not possible here: "), 0u) << result.err;
}

TEST_F(TrapTest, ModesThatDoNotPinAreRefused) {
  for (const char* mode : {"observe", "off"}) {
    const Result result = under_run({"--trap-syscalls", "--mode", mode}, {"echo", "started"});
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(lines(result.err).size(), 1u) << result.err;
  }
}

// ------------------------------------------------------------------ the log

TEST_F(TrapTest, TheLogSaysWhatWasPinned) {
  const TemporaryFolder scratch;
  const Result result =
      run(detshim_run(scratch, {"--trap-syscalls", "--seed", "42"},
                      {"sh", "-c", TRAPPED_PROGRAM " getrandom getrandom urandom threads suicide; true"}));
  EXPECT_EQ(result.err.find("not covered"), std::string::npos) << result.err;
  uint64_t draws = 0, opens = 0;
  for (const ProcessLog& process : read_log(scratch.log())) {
    if (process.records.at(0)["program"] != TRAPPED_PROGRAM) continue;
    EXPECT_EQ(process.records.at(0)["seed"], "42");
    EXPECT_EQ(process.records.at(0)["mode"], "enforce");
    EXPECT_EQ(process.records.at(0)["path"], "0");
    for (const auto& call : process.calls()) {
      EXPECT_EQ(call["lib"], "kernel");
      EXPECT_EQ(call["do"], "pin");
      EXPECT_EQ(call["at"].get<std::string>().find(TRAPPED_PROGRAM "+0x"), 0u) << call;
      (call["fn"] == "getrandom" ? draws : opens) += process.count(call);
    }
  }
  EXPECT_EQ(opens, 1u);
  EXPECT_GE(draws * 33, 1602u * 32)
      << "the last numbers come with the end record, a moment after the process's end";
  Result check = run({DETSHIM_COMMAND, "log", "--check", "--no-scan", scratch.log().string()});
  EXPECT_EQ(check.status, 3) << check.out;
  EXPECT_NE(check.out.find("kernel"), std::string::npos) << check.out;
  EXPECT_NE(check.out.find("\nverdict: unverified"), std::string::npos) << check.out;
  EXPECT_NE(check.out.find("trapped - libdetshim.so is not in"), std::string::npos) << check.out;
  // Its system calls were answered. What no supervisor sees, in a static libstdc++, is still named.
  check = run({DETSHIM_COMMAND, "log", "--check", "--all", scratch.log().string()});
  EXPECT_EQ(check.out.find("raw getrandom"), std::string::npos) << check.out;
#if defined(__x86_64__)
  EXPECT_EQ(check.status, 3) << check.out;
  EXPECT_NE(check.out.find("rdrand in " TRAPPED_PROGRAM), std::string::npos) << check.out;
#endif
}

/// Rank and path of every process that ran `program` in that script.
std::multiset<std::string> names(const std::string& script, const std::string& program) {
  const TemporaryFolder scratch;
  std::string text = script;
  for (size_t at; (at = text.find("PROGRAM")) != std::string::npos;) text.replace(at, 7, program);
  run(detshim_run(scratch, {"--trap-syscalls", "--quiet", "--seed", "42"}, {"sh", "-c", text}));
  std::multiset<std::string> found;
  for (const ProcessLog& process : read_log(scratch.log()))
    for (const auto& record : process.records)
      if (record["t"] == "start" && record["program"] == program)
        found.insert(record["rank"].dump() + " " + record["path"].get<std::string>() + " " +
                     record["seed"].get<std::string>());
  return found;
}

// The supervisor names processes from outside by the rules by which the library names them from inside.
TEST_F(TrapTest, NamesAreTheLibrarysOwn) {
  const std::string python = "/usr/bin/python3 -c 'import os, subprocess; os.urandom(4); ";
  const std::vector<std::string> scripts = {
      "PROGRAM",
      "PROGRAM; PROGRAM; exec PROGRAM",
      "RANK=3 PROGRAM; DETSHIM_SEED=7 PROGRAM; RANK=0 PROGRAM; true",
      "head -c 4 /dev/urandom | od; (PROGRAM; PROGRAM); env PROGRAM; true",
      python + R"(subprocess.run(["PROGRAM"]); os.system("PROGRAM"); os.execv("PROGRAM", ["x"])')",
      python + R"([os.waitpid(os.posix_spawn("PROGRAM", ["x"], os.environ), 0) for i in range(2)]')"};
  for (const std::string& script : scripts) {
    const std::multiset<std::string> inside = names(script, COUNTED_PROGRAM);
    EXPECT_FALSE(inside.empty());
    EXPECT_EQ(names(script, STATIC_PROGRAM), inside) << script;
  }
}

// The library in the parent does not call it uncovered.
TEST_F(TrapTest, TheParentsLogSaysThatTheSupervisorAnswers) {
  const TemporaryFolder scratch;
  run(detshim_run(scratch, {"--trap-syscalls", "--seed", "42"},
                  {"/usr/bin/python3", "-c",
                   "import os, subprocess; os.urandom(4); subprocess.run(['" TRAPPED_PROGRAM
                   "', 'getrandom'])"}));
  bool is_said = false;
  for (const ProcessLog& process : read_log(scratch.log()))
    for (const auto& call : process.calls())
      if (call.value("program", "") == TRAPPED_PROGRAM) {
        EXPECT_EQ(call["do"], "observe");
        is_said |= call["why"].get<std::string>().find("supervisor") != std::string::npos;
      }
  EXPECT_TRUE(is_said);
}

// A task that a batch system starts elsewhere has the run's variable, and not its filter.
TEST_F(TrapTest, WhereTheFilterIsNotAStaticProgramIsUncovered) {
  const TemporaryFolder scratch;
  const Result inside = run(detshim_run(scratch, {"--trap-syscalls", "--seed", "42"}, {"env"}));
  Environment environment;
  for (const std::string& line : lines(inside.out))
    for (const std::string name : {"LD_PRELOAD", "DETSHIM_RUN"})
      if (line.starts_with(name + "=")) environment[name] = line.substr(name.size() + 1);
  ASSERT_EQ(environment.size(), 2u) << inside.out << inside.err;
  const Result outside = run({"sh", "-c", TRAPPED_PROGRAM " getrandom; true"}, environment);
  EXPECT_NE(outside.err.find("not covered"), std::string::npos) << outside.err;
}

// What cannot be answered is still said.
TEST_F(TrapTest, WithoutTheFlagAStaticProgramIsUncovered) {
  EXPECT_NE(
      under_run({"--seed", "42"}, {"sh", "-c", TRAPPED_PROGRAM " getrandom; true"}).err.find("not covered"),
      std::string::npos);
}

} // namespace
