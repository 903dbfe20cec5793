// `detshim run` sets what must be set before a program starts.
#include "log_files.h"
#include "run.h"

#include <gtest/gtest.h>

#include <fstream>

#include <sched.h>

namespace {

using Arguments = std::vector<std::string>;

const Arguments pointers = {POINTERS_PROGRAM};
const Arguments objects = {
    "/usr/bin/python3", "-c",
    "s = {type('T%d' % i, (), {})() for i in range(40)}; print([type(x).__name__ for x in s])"};

std::string under_run(const Arguments& options, const Arguments& command,
                      const Environment& more = {}) {
  const TemporaryFolder scratch;
  Arguments all = {"--seed", "42", "--quiet"};
  all.insert(all.end(), options.begin(), options.end());
  const Result result = run(detshim_run(scratch, all, command), more);
  EXPECT_EQ(result.status, 0) << result.err;
  return result.out;
}

/// Whether several runs print anything different: one order may come twice by chance.
template <typename Run>
bool differs(Run run_once) {
  const std::string first = run_once();
  for (int i = 0; i < 8; ++i)
    if (run_once() != first)
      return true;
  return false;
}

TEST(Run, MakesTheOrderOfAddressesRepeat) {
  if (run({"setarch", "-R", "true"}).status != 0)
    GTEST_SKIP() << "the kernel refuses a fixed layout";
  for (const Arguments& command : {pointers, objects})
    EXPECT_FALSE(differs([&] {
      return under_run({}, command);
    }));
  // The order of Python's objects is often the same under a random layout too: that of the pointers
  // is not.
  EXPECT_TRUE(differs([&] {
    return run(pointers).out;
  })) << "the order is not random here";
  EXPECT_TRUE(differs([&] {
    return under_run({"--keep-aslr"}, pointers);
  }));
}

// A variable that is never set holds what earlier calls left on the stack: clocks, process ids and
// names of our own logs would be among that, and the guard of libc's frames is, which the kernel
// draws.
TEST(Run, LeavesNothingOnTheStackThatDiffers) {
  if (run({"setarch", "-R", "true"}).status != 0)
    GTEST_SKIP() << "the kernel refuses a fixed layout";
  const auto one_of_four = [](const auto& run_once) {
    const std::string first = run_once();
    EXPECT_EQ(first.size(), 17u) << first;
    for (int i = 0; i < 3; ++i)
      if (run_once() != first)
        return false;
    return true;
  };
  for (const char* const call :
       {"rand", "srand", "drand48", "getrandom", "getenv", "snprintf", "open", "device", "many"})
    for (const bool in_thread : {false, true}) {
      Arguments command = {DEAD_FRAMES_PROGRAM, call};
      if (in_thread)
        command.push_back("thread");
      EXPECT_TRUE(one_of_four([&] {
        return under_run({}, command);
      })) << call
          << in_thread;
      EXPECT_TRUE(one_of_four([&] {
        const TemporaryFolder scratch;
        Arguments bare = {"setarch", "-R"};
        bare.insert(bare.end(), command.begin(), command.end());
        return run(bare, under_shim(scratch, {{"DETSHIM_SEED", "42"}})).out;
      })) << call
          << in_thread;
    }
#if defined(__x86_64__)
  EXPECT_FALSE(one_of_four([] {
    return run({"setarch", "-R", DEAD_FRAMES_PROGRAM, "snprintf"}).out;
  })) << "the guard does not differ here";
#endif
}

// A drawn seed, given again in either way, gives the run again.
TEST(Run, IsReplayedByTheSeedThatItDrew) {
  const Arguments draw = {"/usr/bin/python3", "-c",
                          "import os, random; print(random.random(), hash('x'), os.urandom(4))"};
  const TemporaryFolder scratch;
  const Result drawn = run(detshim_run(scratch, {"--mode", "record"}, draw));
  const std::string start = "Using seed: ";
  ASSERT_EQ(drawn.err.compare(0, start.size(), start), 0) << drawn.err;
  const std::string seed = drawn.err.substr(start.size(), drawn.err.find(';') - start.size());
  const TemporaryFolder other;
  EXPECT_EQ(run(draw, under_shim(other, {{"DETSHIM_SEED", seed}})).out, drawn.out);
  EXPECT_EQ(run(detshim_run(scratch, {"--seed", seed}, draw)).out, drawn.out);
  EXPECT_NE(under_run({}, draw), drawn.out);
}

TEST(Run, SetsVariablesThatAreReadAtLoading) {
  const Arguments show = {"sh", "-c", "echo $OMP_DYNAMIC $PYTHONHASHSEED ${OMP_NUM_THREADS:+set}"};
  EXPECT_EQ(under_run({}, show), "FALSE 42 set\n");
  EXPECT_EQ(under_run({}, show, {{"OMP_DYNAMIC", "TRUE"}, {"PYTHONHASHSEED", "7"}}),
            "FALSE 7 set\n");
  EXPECT_EQ(under_run({"--mode", "observe"}, show), "\n");
}

/// The first processor that this test may run on.
std::string one_processor() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) != 0)
    return {};
  for (int i = 0; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &set))
      return std::to_string(i);
  return {};
}

// As runtimes of OpenMP would: on all that the program may run on, and on no more.
TEST(Run, ChoosesAsManyThreadsAsAProgramMayRunOn) {
  if (find_program("taskset").empty() || find_program("nproc").empty())
    GTEST_SKIP() << "no taskset here";
  const Arguments bound = {"taskset", "-c", one_processor()};
  const std::string all = run({"nproc"}).out;
  if (all == "1\n")
    GTEST_SKIP() << "one processor";
  const auto in_front = [](Arguments front, const Arguments& command) {
    front.insert(front.end(), command.begin(), command.end());
    return front;
  };
  EXPECT_EQ(under_run({}, {"nproc"}), all);
  const TemporaryFolder scratch;
  EXPECT_EQ(run(in_front(bound, detshim_run(scratch, {"--quiet"}, {"nproc"}))).out, "1\n");
  EXPECT_EQ(under_run({}, in_front(bound, {"nproc"})), "1\n");
  const std::string shell =
      "taskset -c " + one_processor() + " sh -c 'nproc; echo $OMP_NUM_THREADS'; nproc";
  EXPECT_EQ(under_run({}, {"sh", "-c", shell}), "1\n1\n" + all);
  EXPECT_EQ(under_run({}, in_front(bound, {"nproc"}), {{"OMP_NUM_THREADS", "2"}}),
            "2\n"); // the user's
}

/// What is printed under a limit of the user's, through a pipe: a file would be under it as well.
std::string under_limit(const std::string& limit, const Arguments& command) {
  // Without descriptors that the test was started with.
  const std::string closed = "exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; ";
  Arguments all = {"/bin/sh", "-c",
                   closed + "(ulimit " + limit + " || exit; exec \"$@\") 2>&1 | cat", "sh"};
  all.insert(all.end(), command.begin(), command.end());
  return run(all).out;
}

TEST(Run, GoesOnUnderTheUsersLimits) {
  const Arguments echo = {"/bin/echo", "it ran"};
  for (const char* const limit : {"-f 0", "-s 64", "-s 100", "-n 8"}) {
    const TemporaryFolder scratch;
    const std::string out = under_limit(limit, detshim_run(scratch, {"--seed", "42"}, echo));
    EXPECT_NE(out.find("it ran\n"), std::string::npos) << limit << ": " << out;
  }
  const TemporaryFolder scratch;
  ASSERT_EQ(
      run(detshim_run(scratch, {"--seed", "42", "--quiet"}, {"od", "-An", "-N4", "/dev/urandom"}))
          .status,
      0);
  const Arguments log = {DETSHIM_COMMAND, "log", scratch.log().string()};
  EXPECT_EQ(under_limit("-s 100", log), under_limit("-s 8192", log));
  EXPECT_NE(under_limit("-s 100", log), "");
}

// The limit is what the user can put right, and what it kept from being read says nothing.
TEST(Run, NamesTheLimitUnderWhichItCannotGoOn) {
  const auto said_under = [](const std::string& limit) {
    const TemporaryFolder scratch;
    return under_limit(limit, detshim_run(scratch, {"--seed", "42"}, {"/bin/echo", "it ran"}));
  };
  // Of memory the command needs some for itself, how much depends on its libraries.
  constexpr int step = 2000; // KiB
  int memory = step;
  while (said_under("-v " + std::to_string(memory)).find("detshim: '") != 0 && memory < 100 * step)
    memory += step;
  for (const std::string& limit : {std::string("-n 4"), "-v " + std::to_string(memory)}) {
    const std::string out = said_under(limit);
    if (out == "it ran\n")
      continue; // a small library, or few others
    EXPECT_NE(out.find("`ulimit " + limit + "`"), std::string::npos) << out;
    EXPECT_EQ(lines(out).size(), 1u) << out;
  }
}

TEST(Run, LeavesTheThreadsToALauncherThatChoosesThem) {
  const TemporaryFolder scratch;
  const std::filesystem::path launcher = scratch.path() / "torchrun";
  std::ofstream(launcher) << "#!/bin/sh\necho ${OMP_NUM_THREADS:-unset}\n";
  std::filesystem::permissions(launcher, std::filesystem::perms::owner_all);
  EXPECT_EQ(under_run({}, {launcher}), "unset\n");
  EXPECT_EQ(under_run({}, {"sh", "-c", "echo ${OMP_NUM_THREADS:-unset}", "torch.distributed.run"}),
            "unset\n");
}

TEST(Run, SaysWhichLayoutAProcessHad) {
  if (run({"setarch", "-R", "true"}).status != 0)
    GTEST_SKIP() << "the kernel refuses a fixed layout";
  for (const bool keeps : {false, true}) {
    const TemporaryFolder scratch;
    Arguments options = {"--seed", "42", "--quiet"};
    if (keeps)
      options.push_back("--keep-aslr");
    ASSERT_EQ(run(detshim_run(scratch, options, {"od", "-An", "-N4", "/dev/urandom"})).status, 0);
    const char* const layout = keeps ? "random" : "fixed";
    EXPECT_EQ(read_log(scratch.log()).at(0).records.at(0)["layout"], layout);
    const auto summary =
        nlohmann::json::parse(run({DETSHIM_COMMAND, "log", "--json", scratch.log().string()}).out);
    EXPECT_EQ(summary["programs"][0]["layout"], layout) << summary["programs"];
  }
}

// The bytes that the kernel hands each process are pinned too.
TEST(AuxiliaryBytes, ArePinned) {
  const Arguments show = {
      "/usr/bin/python3", "-c",
      "import ctypes; c = ctypes.CDLL(None); c.getauxval.restype = ctypes.c_void_p;"
      "print(ctypes.string_at(c.getauxval(25), 16).hex())"};
  const auto shown = [&](const char* seed) {
    const TemporaryFolder scratch;
    return run(show, under_shim(scratch, {{"DETSHIM_SEED", seed}})).out;
  };
  EXPECT_NE(run(show).out, run(show).out);
  EXPECT_EQ(shown("42"), shown("42"));
  EXPECT_NE(shown("42"), shown("43"));
}

} // namespace
