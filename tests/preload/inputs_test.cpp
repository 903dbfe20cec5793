// What the user's own code reads that no seed pins, and what runs at the same time, is in the log
// with its line.
#include "log_files.h"
#include "report/verdict_texts.h"
#include "run.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

using Words = std::vector<std::string>;

/// The texts of the reasons of that kind; of a program that left no log there are none.
Words texts_of(const nlohmann::json& document, const std::string& kind) {
  Words found;
  if (document.is_object())
    for (const auto& reason : document["reasons"])
      if (reason["kind"] == kind)
        found.push_back(reason["text"]);
  return found;
}

/// What `detshim log` says of the last run in the folder.
nlohmann::json document_of(const std::filesystem::path& folder) {
  const Result log = run({DETSHIM_COMMAND, "log", "--json"}, {}, folder);
  return nlohmann::json::parse(log.out, nullptr, false);
}

/// The texts of the reasons of that kind in the log of a command; it draws nothing.
Words reasons_of(const TemporaryFolder& scratch, const std::string& kind, const Words& command,
                 const std::string& disabled = "") {
  std::filesystem::remove_all(scratch.log());
  const Environment environment{{"DETSHIM_SEED", "42"}, {"DETSHIM_DISABLE", disabled}};
  const Result result = run(command, under_shim(scratch, environment), scratch.path());
  EXPECT_EQ(result.status, 0) << result.err;
  const Result log = run({DETSHIM_COMMAND, "log", "--json", "--no-scan", scratch.log().string()});
  return texts_of(nlohmann::json::parse(log.out, nullptr, false), kind);
}

/// What the verdict says where the user's code does that at these places.
Words said_of(detshim::Finding finding, const Words& places) {
  return {detshim::reason_text({.finding = finding, .names = places})};
}
Words of_clocks(const Words& places) { return said_of(detshim::Finding::clock_read, places); }
Words of_inputs(const Words& places) { return said_of(detshim::Finding::input_read, places); }
Words of_children(const Words& places) {
  return said_of(detshim::Finding::processes_started, places);
}

/// The functions that programs/inputs.cpp calls, a line each, in its order.
struct Input {
  const char* name;
  const char* what;
};
constexpr Input inputs[] = {
    {"stat", "file_time"},
    {"stat64", "file_time"},
    {"lstat", "file_time"},
    {"lstat64", "file_time"},
    {"fstatat", "file_time"},
    {"fstatat64", "file_time"},
    {"statx", "file_time"},
    {"connect", "network"},
    {"setitimer", "timer"},
    {"timer_settime", "timer"},
    {"alarm", "timer"},
    {"aio_read", "timer"},
    {"aio_read64", "timer"},
    {"aio_write", "timer"},
    {"aio_write64", "timer"},
    {"ualarm", "timer"},
    {"get_avphys_pages", "system"},
    {"fstat", "file_time"},
    {"fstat64", "file_time"},
    {"sysinfo", "system"},
    {"getloadavg", "system"},
    {"sched_getcpu", "system"},
    {"statvfs", "system"},
    {"statvfs64", "system"},
    {"sysconf", "system"},
    {"opendir", "system"},
    {"shmget", "name"},
    {"msgget", "name"},
    {"semget", "name"},
    {"mkstemp", "name"},
    {"mkstemp64", "name"},
    {"mkdtemp", "name"},
    {"mktemp", "name"},
    {"tmpnam", "name"},
    {"tempnam", "name"},
    {"fopen", "system"},
    {"open", "system"},
    {"accept", "network"},
    {"accept4", "network"},
    {"recvfrom", "network"},
    {"timerfd_settime", "timer"},
    {"poll", "timer"},
    {"__poll_chk", "timer"},
    {"epoll_wait", "timer"},
    {"select", "timer"},
};

TEST(Inputs, OfTheUsersCodeAreNamedWithTheirLine) {
  const TemporaryFolder scratch;
  const std::string source = PROGRAMS "inputs.cpp";
  const std::string reader = (scratch.path() / "reader").string();
  ASSERT_EQ(run({"g++", "-g", "-std=gnu++20", "-w", "-o", reader, source}).status, 0);
  constexpr int first_line = 45;
  int line = first_line;
  for (const Input& input : inputs) {
    const std::string place = "inputs.cpp:" + std::to_string(line) + " (" + input.what + ")";
    const Words command = {reader, std::to_string(line++)};
    EXPECT_EQ(reasons_of(scratch, "input", command), of_inputs({place})) << input.name;
    EXPECT_EQ(reasons_of(scratch, "input", command, input.name), Words{}) << input.name;
  }
  EXPECT_EQ(reasons_of(scratch, "input", {reader, "0"}), Words{});
  EXPECT_EQ(reasons_of(scratch, "input", {reader, "1"}), Words{}); // mere waiting
}

TEST(Inputs, OfClocksByOtherWaysAreNamedWithTheirLine) {
  const TemporaryFolder scratch;
  std::ofstream(scratch.path() / "reader.c") << contents(PROGRAMS "clocks_by_other_ways.c");
  ASSERT_EQ(run({"gcc", "-g", "-w", "-o", "reader", "reader.c"}, {}, scratch.path()).status, 0);
  EXPECT_EQ(reasons_of(scratch, "clock", {"./reader"}),
            of_clocks({"reader.c:14", "reader.c:15", "reader.c:16", "", ""}));
  // Those that --freeze cannot answer.
  EXPECT_EQ(reasons_of(scratch, "input", {"./reader"}),
            of_inputs({"reader.c:11 (system)", "reader.c:12 (system)", "reader.c:13 (name)", "", "",
                       ""}));
}

// What draws later has another name; the readings are this process's.
TEST(Inputs, OfAProcessThatHandsItsNameToItsFirstChildAreNamed) {
  const TemporaryFolder scratch;
  std::ofstream(scratch.path() / "reader.c") << contents(PROGRAMS "hands_its_name_over.c");
  ASSERT_EQ(run({"gcc", "-g", "-w", "-o", "reader", "reader.c"}, {}, scratch.path()).status, 0);
  EXPECT_EQ(reasons_of(scratch, "clock", {"./reader"}), of_clocks({"reader.c:4"}));
}

/// A library in the `lib` of an environment of Python's or conda's is nobody's own, wherever it
/// lies.
TEST(Inputs, OfLibrariesInAnEnvironmentAreNotTheUsers) {
  const TemporaryFolder scratch;
  const std::filesystem::path lib = scratch.path() / "env/lib";
  std::filesystem::create_directories(lib);
  std::ofstream(scratch.path() / "clock.c")
      << "#include <time.h>\nlong read_clock(void) { return time(0); }\n";
  std::ofstream(scratch.path() / "reader.c")
      << "long read_clock(void);\nint main(void) { return read_clock() < 7; }\n";
  const std::string library = lib / "libclock.so";
  ASSERT_EQ(
      run({"gcc", "-g", "-shared", "-fPIC", "-o", library, "clock.c"}, {}, scratch.path()).status,
      0);
  ASSERT_EQ(run({"gcc", "-g", "-o", "reader", "reader.c", library}, {}, scratch.path()).status, 0);
  EXPECT_EQ(reasons_of(scratch, "clock", {"./reader"}), of_clocks({"clock.c:2"}));
  std::ofstream(scratch.path() / "env/pyvenv.cfg") << "home = /usr/bin\n";
  EXPECT_EQ(reasons_of(scratch, "clock", {"./reader"}), Words{});
}

// A clock that a seed takes alone is pinned with it; one that goes elsewhere too is not.
TEST(Inputs, OfAClockForASeedAloneAreNone) {
  const TemporaryFolder scratch;
  std::ofstream(scratch.path() / "reader.c") << contents(PROGRAMS "clock_for_a_seed.c");
  const auto readings = [&](const std::string& draw) {
    std::vector<Words> found;
    for (const std::string level : {"-O0", "-O2"}) {
      const Result built =
          run({"gcc", "-g", "-w", level, "-D", "DRAW=" + draw, "-o", "reader", "reader.c"}, {},
              scratch.path());
      EXPECT_EQ(built.status, 0) << built.err;
      found.push_back(reasons_of(scratch, "clock", {"./reader"}));
    }
    return found;
  };
  const std::vector<Words> none(2), named(2, of_clocks({"reader.c:1"}));
  for (const char* draw : {"srand(time(NULL))", "srand48(time(NULL))", "srand(getpid())"})
    EXPECT_EQ(readings(draw), none) << draw;
  EXPECT_EQ(readings("srand(time(NULL) + 3)"), named) << "whether it changes is not known";
  const char* const between =
      "int seed = time(NULL); __asm__(\"nop\\nnop\\nnop\\nnop\"); srand(seed)";
  EXPECT_EQ(readings(between).back(), Words{}); // without optimization the seed is kept in memory
  for (const char* draw :
       {"srand(time(NULL) + 3 + puts(\"\"))", "srand(now = time(NULL)); printf(\"%ld\", now)",
        "srand(time(&now)); printf(\"%ld\", now)",
        "gettimeofday(&time_of_day, NULL); srand(time_of_day.tv_sec); printf(\"%ld\", "
        "time_of_day.tv_usec)"})
    EXPECT_EQ(readings(draw), named) << draw;
}

// "?" where the interpreter has no UTF-8 for it.
TEST(Inputs, OfAScriptWhoseNameIsNoUtf8AreNamed) {
  const TemporaryFolder scratch;
  std::ofstream(scratch.path() / "tr\xe9in.py") << "import time\nprint(time.time_ns())\n";
  EXPECT_EQ(reasons_of(scratch, "clock", {"/usr/bin/python3", "tr\xe9in.py"}), of_clocks({"?:2"}));
}

TEST(Inputs, OfPythonByOtherWaysAreNamedWithTheirLine) {
  const TemporaryFolder scratch;
  std::ofstream(scratch.path() / "train.py") << contents(PROGRAMS "clocks_by_other_ways.py");
  const Words command = {"python3", "train.py"};
  EXPECT_EQ(reasons_of(scratch, "clock", command),
            of_clocks({"train.py:2", "train.py:3", "train.py:4", "", ""}));
  EXPECT_EQ(reasons_of(scratch, "input", command),
            of_inputs({"train.py:6 (system)", "train.py:7 (system)"}));
}

// In which order they come, the time tells.
TEST(Inputs, OfTimersOfAsyncioAreNamedWithTheirLine) {
  const TemporaryFolder scratch;
  const auto inputs_of = [&](const std::string& timer) {
    std::ofstream(scratch.path() / "t.py") << section(PROGRAMS "timers_of_asyncio.py", timer);
    return reasons_of(scratch, "input", {"/usr/bin/python3", "t.py"});
  };
  for (const char* timer : {"sleep", "wait_for", "call_later"})
    EXPECT_EQ(inputs_of(timer), of_inputs({"t.py:4 (timer)"})) << timer;
  EXPECT_EQ(inputs_of("none"), Words{});
}

// SQLite reads the clock where a statement asks for it, and for nothing else.
TEST(Inputs, OfSqliteAreTheLinesThatAskIt) {
  const TemporaryFolder scratch;
  std::ofstream(scratch.path() / "t.py") << contents(PROGRAMS "asks_sqlite.py");
  const auto clocks_of = [&](const std::string& statement) {
    return reasons_of(scratch, "clock", {"/usr/bin/python3", "t.py", statement});
  };
  EXPECT_EQ(clocks_of("select strftime('%f', 'now')"), of_clocks({"t.py:3"}));
  EXPECT_EQ(clocks_of("select 1 + 1"), Words{});
}

// What Cython's code reads has no frame of Python's; what it calls back has one.
TEST(Inputs, OfAnExtensionAreNotTheLines) {
  const TemporaryFolder scratch;
  const std::filesystem::path packages = scratch.path() / "site-packages";
  std::filesystem::create_directory(packages);
  ASSERT_EQ(run({"gcc", "-g", "-w", "-shared", "-fPIC", "-o", packages / "extension.so",
                 PROGRAMS "extension_that_reads_a_clock.c"})
                .status,
            0);
  const auto clocks_of = [&](const std::string& call) {
    std::ofstream(scratch.path() / "t.py") << contents(PROGRAMS "calls_an_extension.py") + call;
    return reasons_of(scratch, "clock", {"/usr/bin/python3", "t.py"});
  };
  EXPECT_EQ(clocks_of("code.read_clock()\n"), Words{});
  EXPECT_EQ(clocks_of("code.call_back(lambda: time.time())\n"), of_clocks({"t.py:6"}));
  EXPECT_EQ(clocks_of("if time.time() < 9: pass\n"), of_clocks({"t.py:6"}));
  // pandas is asked for the time by its users alone, through its own Python too.
  std::filesystem::create_directory(packages / "pandas");
  std::filesystem::rename(packages / "extension.so", packages / "pandas" / "extension.so");
  std::ofstream(packages / "pandas" / "times.py") << contents(PROGRAMS "modules/pandas_times.py");
  std::ofstream(scratch.path() / "t.py") << contents(PROGRAMS "asks_pandas_for_the_time.py");
  EXPECT_EQ(reasons_of(scratch, "clock", {"/usr/bin/python3", "t.py"}), of_clocks({"t.py:4"}));
}

TEST(Inputs, OfTheProcessorByRseqAreNamed) {
  const TemporaryFolder scratch;
  std::ofstream(scratch.path() / "reader.c")
      << "extern const long __rseq_offset;\nint main(void) { return __rseq_offset == 1; }\n";
  if (run({"gcc", "-o", "reader", "reader.c"}, {}, scratch.path()).status != 0)
    GTEST_SKIP() << "glibc before 2.35";
  EXPECT_EQ(run({DETSHIM_COMMAND, "run", "--library", DETSHIM_LIBRARY, "--", "./reader"}, {},
                scratch.path())
                .status,
            0);
  EXPECT_EQ(texts_of(document_of(scratch.path()), "input"), of_inputs({"reader (processor)"}));
}

#ifdef __x86_64__
TEST(Inputs, OfInstructionsAreNamedWithTheirLine) {
  const TemporaryFolder scratch;
  std::ofstream(scratch.path() / "reader.c") << contents(PROGRAMS "instructions_that_read.c");
  ASSERT_EQ(run({"gcc", "-g", "-w", "-o", "reader", "reader.c"}, {}, scratch.path()).status, 0);
  ASSERT_EQ(run({DETSHIM_COMMAND, "run", "--library", DETSHIM_LIBRARY, "--", "./reader"}, {},
                scratch.path())
                .status,
            0);
  EXPECT_EQ(texts_of(document_of(scratch.path()), "input"),
            of_inputs({"reader.c:3 (clock)", "reader.c:4 (raw system call)"}));
}
#endif

TEST(Inputs, OfAProgramThatIsStartedAreNamedByIt) {
  const TemporaryFolder scratch;
  const auto log_of = [&](const std::string& program) {
    const std::string code =
        "import os, subprocess; os.urandom(1); subprocess.run('" + program + "'.split())";
    EXPECT_EQ(run({DETSHIM_COMMAND, "run", "--library", DETSHIM_LIBRARY, "--", "/usr/bin/python3",
                   "-S", "-c", code},
                  {}, scratch.path())
                  .status,
              0);
    return document_of(scratch.path());
  };
  EXPECT_EQ(texts_of(log_of("date"), "clock"), of_clocks({"program date"}));
  EXPECT_EQ(texts_of(log_of("cat /proc/uptime"), "input"), of_inputs({"program cat (system)"}));
  for (const char* program : {"git --version", "find -name x", "ls", "cp /etc/hostname x"})
    EXPECT_EQ(log_of(program)["verdict"], "covered") << program;
}

TEST(Inputs, OfPythonAreNamedWithTheirLine) {
  const TemporaryFolder scratch;
  const auto inputs_of = [&](const std::string& code) {
    std::ofstream(scratch.path() / "t.py") << "import os, socket\n" << code << '\n';
    return reasons_of(scratch, "input", {"/usr/bin/python3", "-S", "t.py"});
  };
  EXPECT_EQ(inputs_of("os.path.getmtime('/')"), of_inputs({"t.py:2 (file_time)"}));
  EXPECT_EQ(inputs_of("os.stat('/')"), of_inputs({"t.py:2 (file_time)"}));
  EXPECT_EQ(inputs_of("socket.socket().connect_ex(('127.0.0.1', 9))"),
            of_inputs({"t.py:2 (network)"}));
  EXPECT_EQ(inputs_of("s = socket.socket(); s.bind(('127.0.0.1', 0)); s.close()"),
            Words{});                                   // asks nobody
  EXPECT_EQ(inputs_of("socket.socketpair()"), Words{}); // of the process alone
  EXPECT_EQ(inputs_of("socket.socket(fileno=socket.socket().detach())"), Words{}); // has no port
  EXPECT_EQ(inputs_of("s = socket.socket(); s.bind(('127.0.0.1', 0)); s.getsockname()"),
            of_inputs({"t.py:2 (network)"})); // the kernel's choice
  EXPECT_EQ(inputs_of("open('/proc/self/stat')"), of_inputs({"t.py:2 (system)"}));
  EXPECT_EQ(inputs_of("if os.fork() == 0: os._exit(0)\nos.wait()"),
            of_inputs({"t.py:2 (name)"}));              // an id of the kernel's
  EXPECT_EQ(inputs_of("os.path.exists('/')"), Words{}); // who asks only that, reads no time
}

TEST(Inputs, OfAChildThatMayHaveEndedAreNamedWithTheirLine) {
  const TemporaryFolder scratch;
  const auto inputs_of = [&](const std::string& asked, const std::string& disabled = "") {
    std::ofstream(scratch.path() / "t.py") << section(PROGRAMS "polls_a_child.py", asked);
    return reasons_of(scratch, "input", {"/usr/bin/python3", "-S", "t.py"}, disabled);
  };
  EXPECT_EQ(inputs_of("that_may_have_ended"), of_inputs({"t.py:3 (timer)"}));
  EXPECT_EQ(inputs_of("that_may_have_ended", "waitpid"), Words{});
  EXPECT_EQ(inputs_of("until_it_has_ended"), Words{});
  EXPECT_EQ(inputs_of("that_has_ended"), Words{});
}

/// What Python's own library waits for, for a line of the user's.
TEST(Inputs, OfWaitsWithALimitAreNamedWithTheirLine) {
  const TemporaryFolder scratch;
  const auto inputs_of = [&](const std::string& asked, const std::string& disabled = "") {
    std::ofstream(scratch.path() / "t.py") << section(PROGRAMS "waits_with_a_limit.py", asked);
    return reasons_of(scratch, "input", {"/usr/bin/python3", "-S", "t.py"}, disabled);
  };
  for (const char* wait : {"connection_within", "connection_now", "queue_now"})
    EXPECT_EQ(inputs_of(wait), of_inputs({"t.py:5 (timer)"})) << wait;
  EXPECT_EQ(inputs_of("queue_within"), of_inputs({"t.py:5 (timer)"}));
  EXPECT_EQ(inputs_of("child_within"), of_inputs({"t.py:5 (timer)"}));
  for (const char* wait : {"connection_for_ever", "child_for_ever"})
    EXPECT_EQ(inputs_of(wait), Words{}) << wait;
  EXPECT_EQ(inputs_of("connection_now", "poll"), Words{});
}

// pathlib asks its own stat() whether there is a file.
TEST(Inputs, OfPathlibAreNamedWhereATimeIsRead) {
  const TemporaryFolder scratch;
  const auto inputs_of = [&](const std::string& asked) {
    std::ofstream(scratch.path() / "t.py") << section(PROGRAMS "asks_pathlib.py", asked);
    return reasons_of(scratch, "input", {"/usr/bin/python3", "-S", "t.py"});
  };
  EXPECT_EQ(inputs_of("time"), of_inputs({"t.py:2 (file_time)"}));
  EXPECT_EQ(inputs_of("existence"), Words{});
}

// PyTorch's DataLoader deals its tasks in a fixed order, and seeds its workers from a generator
// that is pinned or seeded; so it does behind what draws a bar of progress.
TEST(Inputs, OfPyTorchsDataLoaderAreNoneWhateverGoesThroughIt) {
  const TemporaryFolder scratch;
  const std::filesystem::path packages = scratch.path() / "lib/python3/site-packages";
  std::filesystem::create_directories(packages / "torch/utils/data");
  for (const char* folder : {"torch", "torch/utils", "torch/utils/data"})
    std::ofstream(packages / folder / "__init__.py") << "";
  std::ofstream(packages / "torch/utils/data/dataloader.py")
      << contents(PROGRAMS "modules/torch_dataloader.py");
  std::ofstream(packages / "bar.py") << "def bar(items):\n  for item in items: yield item\n";
  std::ofstream(scratch.path() / "train.py") << contents(PROGRAMS "trains_behind_a_bar.py");
  const auto named = [&](const std::string& kind) {
    return reasons_of(scratch, kind, {"/usr/bin/python3", "-S", "train.py"});
  };
  EXPECT_EQ(named("clock"), of_clocks({"train.py:5"}));
  EXPECT_EQ(named("processes"), Words{});
  EXPECT_EQ(named("unexplained_seed"), Words{});
}

// Nothing sees that the threads of a region share nothing.
TEST(Inputs, OfRegionsOfSeveralThreadsAreNamedWithTheirLine) {
  const TemporaryFolder scratch;
  std::ofstream(scratch.path() / "regions.c") << contents(PROGRAMS "regions.c");
  struct Case {
    const char* which;
    const char* lines[2]; ///< where it may be named, the last of gcc's too
    const char* hooks;
  };
  const Case cases[] = {
      {"a", {":9", ":10"}, "GOMP_parallel,__kmpc_for_static_init_4"},
      {"b", {":14", ":15"}, "GOMP_parallel_loop_nonmonotonic_dynamic,__kmpc_dispatch_init_4"},
      {"c", {":19", ":20"}, "GOMP_parallel,omp_set_lock"},
      {"d", {":23", ":24"}, "GOMP_parallel,__kmpc_critical"},
      {"e", {"", ""}, ""}};
  for (const std::string compiler : {"gcc", "clang-14"}) {
    const Result built =
        run({compiler, "-g", "-fopenmp", "-o", "regions", "regions.c"}, {}, scratch.path());
    if (compiler != "gcc" && built.status != 0)
      GTEST_SKIP() << "needs clang and libomp";
    ASSERT_EQ(built.status, 0) << built.err;
    for (const auto& [which, lines, hooks] : cases) {
      const auto threads = [&scratch, which = which](const std::string& disabled) {
        const Words found = reasons_of(scratch, "threads", {"./regions", which}, disabled);
        return found.empty() ? "" : found[0];
      };
      const std::string named = threads("");
      EXPECT_TRUE(named.ends_with(lines[0]) || named.ends_with(lines[1]))
          << compiler << which << named;
      EXPECT_EQ(named.empty(), *hooks == 0) << compiler << which;
      EXPECT_EQ(*hooks == 0 ? "" : threads(hooks), "") << compiler << which;
    }
  }
}

// `std::mt19937 engine(omp_get_wtime() * 1e9)` seeds out of sight.
TEST(Inputs, OfTheOpenMpRuntimesClockAreNamedWithTheirLine) {
  const TemporaryFolder scratch;
  std::ofstream(scratch.path() / "clock.c") << contents(PROGRAMS "clock_of_openmp.c");
  for (const std::string compiler : {"gcc", "clang-14"}) {
    const Result built =
        run({compiler, "-g", "-fopenmp", "-o", "clock", "clock.c"}, {}, scratch.path());
    if (compiler != "gcc" && built.status != 0)
      GTEST_SKIP() << "needs clang and libomp";
    ASSERT_EQ(built.status, 0) << built.err;
    EXPECT_NE(run({"./clock"}, {}, scratch.path()).out, run({"./clock"}, {}, scratch.path()).out);
    const Words named = reasons_of(scratch, "clock", {"./clock"});
    ASSERT_EQ(named.size(), 1u) << compiler;
    EXPECT_TRUE(named[0].find("clock.c:4") != std::string::npos) << named[0];
    EXPECT_EQ(reasons_of(scratch, "clock", {"./clock"}, "omp_get_wtime"), Words{}) << compiler;
  }
}

// A framework asks for thousands of files while it is imported.
TEST(Inputs, BehindThoseOfALargePackageAreNamed) {
  const TemporaryFolder scratch;
  std::filesystem::create_directories(scratch.path() / "lib/python3/site-packages");
  std::ofstream(scratch.path() / "lib/python3/site-packages/package.py")
      << "import os\nfor i in range(5000): os.path.getmtime('/')\n";
  std::ofstream(scratch.path() / "train.py") << contents(PROGRAMS "imports_and_asks.py");
  EXPECT_EQ(reasons_of(scratch, "input", {"/usr/bin/python3", "-S", "train.py"}),
            of_inputs({"train.py:4 (file_time)"}));
}

// What Python's library reads is a line's that calls it, and not one's that imports or calls a
// package that does.
TEST(Inputs, OfAPackageAreItsOwnMatter) {
  const TemporaryFolder scratch;
  std::filesystem::create_directories(scratch.path() / "lib/python3/site-packages");
  std::ofstream(scratch.path() / "lib/python3/site-packages/package.py")
      << contents(PROGRAMS "modules/reads_by_the_library.py");
  std::ofstream(scratch.path() / "own.py") << contents(PROGRAMS "reads_by_the_library.py");
  std::ofstream(scratch.path() / "calls.py") << contents(PROGRAMS "imports_what_reads.py");
  const Words own = {"/usr/bin/python3", "-S", "own.py"};
  EXPECT_EQ(reasons_of(scratch, "clock", own), of_clocks({"own.py:4"}));
  EXPECT_EQ(reasons_of(scratch, "input", own), of_inputs({"own.py:5 (file_time)"}));
  const Words calls = {"/usr/bin/python3", "-S", "calls.py"};
  EXPECT_EQ(reasons_of(scratch, "clock", calls), Words{});
  EXPECT_EQ(reasons_of(scratch, "input", calls), Words{});
}

TEST(Children, BesideEachOtherAreNamedWithTheLineThatMakesThem) {
  const TemporaryFolder scratch;
  const auto processes_of = [&](const std::string& way) {
    std::ofstream(scratch.path() / "t.py") << section(PROGRAMS "starts_children.py", way);
    return reasons_of(scratch, "processes", {"/usr/bin/python3", "-S", "t.py"});
  };
  EXPECT_EQ(processes_of("popen"), of_children({"t.py:2"}));
  EXPECT_EQ(processes_of("posix_spawn"), of_children({"t.py:2"}));
  EXPECT_EQ(processes_of("fork"), of_children({"t.py:3"}));
  EXPECT_EQ(processes_of("run"), Words{});
  // As asyncio does it: whether the thread has waited for the first one by then would be a race.
  EXPECT_EQ(processes_of("waited_for_in_a_thread"), of_children({"t.py:4"}));
  EXPECT_EQ(processes_of("fork_in_turn"), Words{});
}

// Whether the first one of a shell's children has ended by then is a race, and its script is read
// too. Its pipelines make no log of their own; `detshim run` makes one for what it starts.
TEST(Children, OfAShellAreNamed) {
  const TemporaryFolder scratch;
  const auto verdict_of = [&](const std::string& script) {
    EXPECT_EQ(run({DETSHIM_COMMAND, "run", "--quiet", "--seed", "1", "--library", DETSHIM_LIBRARY,
                   "--", "bash", "-c", script},
                  {}, scratch.path())
                  .status,
              0);
    return document_of(scratch.path());
  };
  const auto words_of = [](const char* word) {
    return Words{detshim::reason_text(
        {.finding = detshim::Finding::script_words, .file = "/usr/bin/bash", .names = {word}})};
  };
  EXPECT_EQ(texts_of(verdict_of("for i in 1 2; do /bin/echo $i & done; wait"), "script"),
            words_of("&"));
  EXPECT_EQ(texts_of(verdict_of("/bin/echo 1 &"), "script"), words_of("&"));
  EXPECT_EQ(texts_of(verdict_of("echo 1 | xargs -P2 echo"), "script"), words_of("xargs -P"));
  EXPECT_EQ(texts_of(verdict_of("for i in 1 2; do /bin/echo $i 2>&1 && true; done"), "script"),
            Words{});
  // The script is that of the folder in which its shell began.
  std::ofstream(scratch.path() / "s.sh") << "cd /\ncat /dev/null\n";
  EXPECT_EQ(texts_of(verdict_of("exec sh s.sh"), "script"), Words{});
  const std::string told = run({DETSHIM_COMMAND, "log"}, {}, scratch.path()).out;
  EXPECT_NE(told.find("detshim verify -- bash -c 'exec sh s.sh'"), std::string::npos) << told;
  EXPECT_EQ(reasons_of(scratch, "processes", {"bash", "-c", "/bin/echo 1 & /bin/echo 2 & wait"}),
            Words{});
  // A pipeline hands on what comes, in its order.
  EXPECT_EQ(texts_of(verdict_of("/bin/echo 1 | /bin/cat | tee log"), "processes"), Words{});
}

// What has ended by then is a race.
TEST(Clocks, OfAToolThatEndsAProgramAreNamed) {
  const TemporaryFolder scratch;
  EXPECT_EQ(reasons_of(scratch, "clock", {"sh", "-c", "timeout 0.01 sleep 60; true"}),
            of_clocks({"program timeout"}));
  EXPECT_EQ(reasons_of(scratch, "clock", {"timeout", "60", "/bin/true"}), Words{});
}

} // namespace
