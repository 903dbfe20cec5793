// A program in trouble behaves as it would without the library, and what was counted is not lost.
#include "files.h"
#include "log_files.h"
#include "run.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <link.h>
#include <random>
#include <set>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using Arguments = std::vector<std::string>;

uint64_t counted(const std::filesystem::path& folder, const std::string& function) {
  uint64_t sum = 0;
  for (const ProcessLog& process : read_log(folder))
    for (const auto& call : process.calls(function))
      sum += process.count(call);
  return sum;
}

const Environment seed{{"DETSHIM_SEED", "42"}};

Result robust(const Arguments& arguments, const TemporaryFolder& scratch,
              const Environment& more = seed) {
  Arguments command{ROBUST_PROGRAM};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return run(command, under_shim(scratch, more));
}

/// What each call answers where a pointer leads nowhere, as the program prints it.
void expect_native_answers(const Result& native, const Result& result) {
  EXPECT_EQ(result.status, native.status) << result.err;
  EXPECT_EQ(result.err, native.err);
  EXPECT_EQ(lines(result.out), lines(native.out));
}

class BadPointers : public testing::TestWithParam<Environment> {};

TEST_P(BadPointers, AreRefusedByTheKernelAsTheyAreNatively) {
  const Result native = run({BAD_POINTERS_PROGRAM});
  ASSERT_EQ(native.status, 0);
  ASSERT_NE(native.out.find("stat, no memory: -1 " + std::to_string(EFAULT)), std::string::npos);
  const TemporaryFolder scratch;
  expect_native_answers(native, run({BAD_POINTERS_PROGRAM}, under_shim(scratch, GetParam())));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadPointers,
    testing::Values(Environment{{"DETSHIM_MODE", "off"}}, Environment{{"DETSHIM_MODE", "observe"}},
                    Environment{{"DETSHIM_MODE", "record"}}, Environment{{"DETSHIM_SEED", "42"}},
                    Environment{{"DETSHIM_SEED", "42"}, {"DETSHIM_MODE", "strict"}},
                    Environment{{"DETSHIM_SEED", "42"}, {"DETSHIM_FINGERPRINT", "host"}}),
    [](const auto& tested) {
      return "mode" + std::to_string(tested.index);
    });

// A run with a list of its files notes more.
TEST(BadPointers, AreRefusedInARunWithAList) {
  const TemporaryFolder scratch;
  expect_native_answers(
      run({BAD_POINTERS_PROGRAM}),
      run(detshim_run(scratch, {}, {BAD_POINTERS_PROGRAM}), {{"DETSHIM_QUIET", "1"}}));
}

class Descriptors : public testing::TestWithParam<const char*> {};

TEST_P(Descriptors, AreTheProgramsOwnBusiness) {
  const TemporaryFolder scratch;
  const Result result = robust({GetParam()}, scratch);
  EXPECT_EQ(result, run({ROBUST_PROGRAM, GetParam()}));
  EXPECT_EQ(counted(scratch.log(), "rand"), std::stoull(result.out));
}

INSTANTIATE_TEST_SUITE_P(All, Descriptors, testing::Values("draw", "close", "close_later", "few"),
                         [](const auto& tested) {
                           return std::string{tested.param};
                         });

// Nothing of our own lands in a file that took the number of stderr, or of the log.
TEST(Descriptors, ThatWereTakenAreNotWrittenTo) {
  for (const char* command : {"reuse", "taken"}) {
    const TemporaryFolder scratch;
    const std::string data = (scratch.path() / "data").string();
    const Result result =
        robust({command, data}, scratch, {{"DETSHIM_SEED", "42"}, {"DETSHIM_QUIET", "0"}});
    EXPECT_EQ(result.status, 0) << command;
    EXPECT_EQ(std::filesystem::file_size(data), 0u) << command;
    EXPECT_EQ(counted(scratch.log(), "rand"), 12u) << command;
  }
}

TEST(StandardError, IsNotWrittenToWhenItWasClosedAtTheStart) {
  const TemporaryFolder scratch;
  const std::string data = (scratch.path() / "data").string();
  const std::string command =
      "import os; os.open('" + data + "', os.O_WRONLY | os.O_CREAT); os.urandom(8)";
  const Result result = run({"sh", "-c", "exec /usr/bin/python3 -c \"" + command + "\" 2>&-"},
                            under_shim(scratch, {{"DETSHIM_QUIET", "0"}}));
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(std::filesystem::file_size(data), 0u);
}

// A forked child closes its parent's log: descriptors do not pile up from generation to generation.
TEST(Descriptors, DoNotPileUpOverGenerations) {
  const TemporaryFolder scratch;
  const std::string script = contents(PROGRAMS "forks_for_generations.py");
  const int native = std::stoi(run({"/usr/bin/python3", "-c", script}).out);
  const Result shimmed = run({"/usr/bin/python3", "-c", script}, under_shim(scratch, seed));
  EXPECT_LE(std::stoi(shimmed.out), native + 2) << shimmed.err; // its records and its counts
}

class Harmless : public testing::TestWithParam<const char*> {};

TEST_P(Harmless, EndsAsWithoutTheLibrary) {
  const TemporaryFolder scratch;
  const TemporaryFolder other;
  const std::string folder = scratch.log().string();
  std::filesystem::create_directory(other.log()); // which one of them moves
  const Result native = run({ROBUST_PROGRAM, GetParam(), other.log().string()});
  const Result shimmed = robust({GetParam(), folder}, scratch);
  EXPECT_EQ(shimmed.status, 0) << shimmed.err;
  if (std::string{GetParam()} != "unreachable" && std::string{GetParam()} != "folder_gone") {
    EXPECT_EQ(native.status, 0) << native.err;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Harmless,
                         testing::Values("small", "longjmp", "fork_while_recording", "file_limit",
                                         "folder_gone", "unreachable"),
                         [](const auto& tested) {
                           return std::string{tested.param};
                         });

/// Where a library has its function, as it was linked.
uint64_t linked_address(const std::string& library, const std::string& function) {
  const Result symbols = run({"nm", "-D", "--defined-only", library});
  for (const std::string& line : lines(symbols.out))
    if (line.find(function) != std::string::npos)
      return std::stoull(line, nullptr, 16);
  return 0;
}

class PlacedLibraries : public testing::TestWithParam<const char*> {};

// What the loader adds to a library's addresses is where it lies only if it was linked to address
// 0.
TEST_P(PlacedLibraries, AreToldApartAndNamedInParentAndChild) {
  const std::string program = PLACED_PROGRAMS + std::string(GetParam());
  const TemporaryFolder scratch;
  const Result result = run({program}, under_shim(scratch, seed));
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out, run({program}).out);
  const std::string kind = program.substr(
      program.find_last_of('/') + 1, program.find_last_of('_') - program.find_last_of('/') - 1);
  const std::string folder = program.substr(0, program.find_last_of('/') + 1);
  for (const char* which : {"first", "second"}) {
    const std::string library = folder + "lib" + kind + "_" + which + ".so";
    const uint64_t linked = linked_address(library, std::string{"draw_"} + which);
    ASSERT_NE(linked, 0u) << library;
    int places = 0, builds = 0;
    for (const ProcessLog& process : read_log(scratch.log())) {
      for (const auto& call : process.calls("rand")) {
        const std::string at = call["at"];
        if (!at.starts_with(library + "+0x"))
          continue;
        const uint64_t offset = std::stoull(at.substr(library.size() + 3), nullptr, 16);
        EXPECT_GT(offset, linked) << at;
        EXPECT_LT(offset, linked + 100) << at;
        ++places;
      }
      for (const auto& record : process.records)
        builds += record["t"] == "build" && record["file"] == library && record["id"] != "" ? 1 : 0;
    }
    EXPECT_EQ(places, 2) << library;
    EXPECT_EQ(builds, 1) << library;
  }
}

INSTANTIATE_TEST_SUITE_P(All, PlacedLibraries,
                         testing::Values("same_pie", "same_fixed", "apart_pie", "apart_fixed"),
                         [](const auto& tested) {
                           return std::string{tested.param};
                         });

// As a tool may that needs more of them than there was room for.
TEST(ProgramHeaders, MayHaveBeenMoved) {
  const TemporaryFolder scratch, folder;
  const std::string programs = PLACED_PROGRAMS, library = folder.path() / "libmoved.so";
  std::string file =
      contents(programs.substr(0, programs.find_last_of('/')) + "/libplaced_room.so");
  ElfW(Ehdr) header;
  file.copy(reinterpret_cast<char*>(&header), sizeof header);
  const size_t room = file.find("for program headers"), size = header.e_phnum * sizeof(ElfW(Phdr));
  ASSERT_NE(room, std::string::npos);
  file.replace(room, size, file.substr(header.e_phoff, size))
      .replace(header.e_phoff, size, size, '\xff');
  header.e_phoff = room;
  file.replace(0, sizeof header, reinterpret_cast<const char*>(&header), sizeof header);
  std::ofstream(library) << file;
  Environment environment = under_shim(scratch, seed);
  environment["LD_PRELOAD"] += ":" + library; // in place of the one that the program is linked to
  const Result result = run({programs + "same_pie"}, environment);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(lines(result.out).size(), 2u) << result.out;
}

TEST(CopiedStates, DoNotFallIntoAShortCycle) {
  const TemporaryFolder scratch;
  EXPECT_LT(std::stol(robust({"cycle"}, scratch).out), 50);
}

TEST(SeededBeforeAFork, ChildrenAgree) {
  const TemporaryFolder scratch;
  const std::vector<std::string> children = lines(robust({"agree"}, scratch).out);
  ASSERT_EQ(children.size(), 3u);
  EXPECT_EQ(children[1], children[0]);
  EXPECT_EQ(children[2], children[0]);
}

TEST(OwnSeed, OfAChildIsThatSeedsRun) {
  const auto inside = [&](const std::string& own) {
    const TemporaryFolder scratch;
    return run({"sh", "-c", "exec env DETSHIM_SEED=" + own + " head -c 8 /dev/urandom"},
               under_shim(scratch, seed))
        .out;
  };
  const TemporaryFolder scratch;
  const std::string alone =
      run({"head", "-c", "8", "/dev/urandom"}, under_shim(scratch, {{"DETSHIM_SEED", "1"}})).out;
  EXPECT_EQ(inside("1"), alone);
  EXPECT_NE(inside("2"), alone);
}

TEST(Fifo, InPlaceOfALogFileDoesNotHang) {
  const TemporaryFolder scratch;
  std::filesystem::create_directory(scratch.log());
  // exec keeps the process id, and mkfifo has used the shell's name for nothing
  const std::string command =
      "mkfifo -m 600 " + scratch.log().string() + "/0-0-$$.jsonl; exec " ROBUST_PROGRAM " draw";
  const Result result = run({"sh", "-c", command},
                            under_shim(scratch, {{"DETSHIM_SEED", "42"}, {"DETSHIM_QUIET", "0"}}));
  EXPECT_EQ(result.out, "12\n");
  EXPECT_EQ(closing_counts(result.err), (ClosingCounts{12, 1})) << result.err;
  bool was_in_the_way = false;
  for (const auto& entry : std::filesystem::directory_iterator{scratch.log()})
    was_in_the_way |= entry.path().stem().string().ends_with("-1");
  EXPECT_TRUE(was_in_the_way);
}

// The device has no end, whoever reads it and however it was come by.
TEST(Device, HasNoEnd) {
  const std::vector<Arguments> readers = {
      {"sh", "-c", "seq 300000 | shuf --random-source=/dev/urandom | wc -l"},
      {"sh", "-c", "head -c 100000 </dev/urandom | wc -c"},
      {"bash", "-c",
       "exec 3</dev/urandom; head -c 100000 /dev/fd/3 | wc -c; head -c 100000 <&3 | wc -c"},
      {"dd", "if=/dev/urandom", "of=/dev/null", "bs=1M", "count=2", "status=none"},
      {"/usr/bin/python3", "-c", "print(len(open('/dev/urandom', 'rb').read(100000)))"},
  };
  for (const Arguments& reader : readers) {
    const TemporaryFolder scratch;
    EXPECT_EQ(run(reader, under_shim(scratch, seed)), run(reader)) << reader.back();
  }
}

TEST(Load, LosesNoDraw) {
  const TemporaryFolder scratch;
  const Result result = robust({"load"}, scratch);
  ASSERT_EQ(result.status, 0) << result.err;
  // and each process's constructor and destructor; a forked child ends without its destructors
  EXPECT_EQ(counted(scratch.log(), "rand"), std::stoull(result.out) + 2);
  std::cout << "drawn " << std::stoull(result.out) + 2 << ", counted "
            << counted(scratch.log(), "rand") << '\n';
}

// A program that makes ever more threads has a log that ends, with all that they drew.
TEST(ShortThreads, BehindTheFirstAreOneInTheLog) {
  constexpr size_t told_apart = 1024, most_places = 8; // as the compiler inlines
  const TemporaryFolder first, second;
  for (const TemporaryFolder* scratch : {&first, &second}) {
    const Result result = robust({"short_threads"}, *scratch);
    ASSERT_EQ(result.status, 0) << result.err;
    uint64_t sum = 0, of_folded = 0, number = 0;
    std::set<std::string> names;
    for (const ProcessLog& process : read_log(scratch->log())) {
      EXPECT_LT(process.counts.size(), 6 * told_apart); // of 12 * 1,024 with four for each
      for (const auto& call : process.calls("rand")) {
        sum += process.count(call);
        const std::string name = call["thread"];
        names.insert(name);
        if (name != "0.*")
          continue;
        of_folded += process.count(call);
        EXPECT_EQ(call["n"], ++number);
      }
    }
    EXPECT_EQ(sum, std::stoull(result.out) + 2); // and the constructor's and destructor's
    EXPECT_EQ(of_folded, (3000 - told_apart) * 3);
    EXPECT_LE(number, most_places);
    EXPECT_EQ(names.size(), 1 + told_apart + 1);
  }
  const Result difference =
      run({DETSHIM_COMMAND, "log", "diff", first.log().string(), second.log().string()});
  EXPECT_EQ(difference.status, 0) << difference.out << difference.err;
}

// Each began to keep memory when it drew, and no hook had seen it begin.
TEST(ThreadsOfTimers, LeaveNoMemory) {
  const TemporaryFolder scratch;
  const Result result = robust({"timers"}, scratch);
  EXPECT_EQ(result.out, "bounded\n") << result.err;
}

TEST(Signals, MayDrawAtAnyMoment) {
  const TemporaryFolder scratch;
  const Result result = robust({"signals"}, scratch);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "done\n");
}

/// Starts the program, kills it after it has printed `lines` lines, and gives the last number that
/// it printed.
uint64_t kill_after(int line_count, const Environment& environment) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return 0;
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 1);
    for (const auto& [name, value] : environment)
      setenv(name.c_str(), value.c_str(), 1);
    execl(ROBUST_PROGRAM, ROBUST_PROGRAM, "count", nullptr);
    _exit(127);
  }
  close(ends[1]);
  FILE* output = fdopen(ends[0], "r");
  char line[32];
  for (int i = 0; i < line_count; ++i)
    if (fgets(line, sizeof line, output) == nullptr)
      break;
  kill(child, SIGKILL);
  uint64_t last = 0;
  for (; fgets(line, sizeof line, output) != nullptr && strchr(line, '\n') != nullptr;)
    last = strtoull(line, nullptr, 10);
  if (last == 0)
    last = static_cast<uint64_t>(line_count);
  fclose(output);
  int status;
  waitpid(child, &status, 0);
  return last;
}

TEST(Killed, AtTwoHundredMomentsTheLogStillParsesAndCountsWhatWasDrawn) {
  std::mt19937 engine(1);
  uint64_t all_printed = 0, all_counted = 0;
  for (int i = 0; i < 200; ++i) {
    const TemporaryFolder scratch;
    const uint64_t printed =
        kill_after(static_cast<int>(engine() % 300) + 1, under_shim(scratch, seed));
    const uint64_t drawn = counted(scratch.log(), "rand");
    // the constructor's draw, and one that may have been drawn and not yet printed; of a number
    // above 32, what was counted since the file was told last is lost
    EXPECT_GE(drawn * 33, (printed + 1) * 32);
    EXPECT_LE(drawn, printed + 2);
    all_printed += printed, all_counted += drawn;
  }
  std::cout << "200 kills; printed " << all_printed << ", counted " << all_counted << '\n';
}

TEST(FullDisk, IsNotTheProgramsProblem) {
  const Result expected = run({ROBUST_PROGRAM, "exit_status"});
  for (const char* size : {"4k", "20k", "24k", "32k"}) {
    const TemporaryFolder scratch;
    std::filesystem::create_directory(scratch.log());
    if (mount("none", scratch.log().c_str(), "tmpfs", 0, (std::string{"size="} + size).c_str()) !=
        0)
      GTEST_SKIP() << "no file system can be mounted here";
    const Result result = robust({"records"}, scratch);
    const Result ended = robust({"exit_status"}, scratch);
    const Result again = robust({"records"}, scratch);
    const Result loud =
        robust({"records"}, scratch, {{"DETSHIM_SEED", "42"}, {"DETSHIM_QUIET", "0"}});
    umount(scratch.log().c_str());
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(lines(result.out).size(), 150u);
    EXPECT_EQ(again.out, result.out);
    EXPECT_EQ(ended.status, expected.status);
    if (std::string{size} == "4k") { // and it is said
      EXPECT_NE(loud.err.find("detshim: "), std::string::npos) << loud.err;
    }
  }
}

// The line that the full disk cut stays cut; what is written when there is room again has its own.
TEST(FullDisk, TearsOneLineAndNoOther) {
  const TemporaryFolder scratch;
  std::filesystem::create_directory(scratch.log());
  if (mount("none", scratch.log().c_str(), "tmpfs", 0, "size=64k") != 0)
    GTEST_SKIP() << "no file system can be mounted here";
  std::ofstream(scratch.path() / "tear.c") << contents(PROGRAMS "fills_the_disk.c");
  ASSERT_EQ(run({"gcc", "-w", "-o", "tear", "tear.c"}, {}, scratch.path()).status, 0);
  const Result result = run({"./tear", (scratch.log() / "filler").string()},
                            under_shim(scratch, {{"DETSHIM_SEED", "42"}}), scratch.path());
  std::size_t torn = 0, last = 0;
  for (const auto& entry : std::filesystem::directory_iterator{scratch.log()})
    if (entry.path().extension() == ".jsonl")
      for (const std::string& line : lines(contents(entry.path()))) {
        const auto record = nlohmann::json::parse(line, nullptr, false);
        torn += record.is_discarded() && !line.empty() ? 1 : 0;
        last += !record.is_discarded() && record.value("fn", "") == "lrand48" ? 1 : 0;
      }
  umount(scratch.log().c_str());
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(torn, 1U);
  EXPECT_EQ(last, 1U);
}

TEST(ClosedStreams, AreNoError) {
  const TemporaryFolder scratch;
  for (const char* closed : {"<&-", ">&-", "2>&-", "<&- >&- 2>&-"}) {
    const std::string command = std::string{ROBUST_PROGRAM} + " exit_status " + closed;
    EXPECT_EQ(run({"sh", "-c", command}, under_shim(scratch, {{"DETSHIM_QUIET", "0"}})).status, 42)
        << closed;
  }
}

TEST(Titles, AreWrittenOverArgumentsAsNatively) {
  for (const char* way : {"last", "envp", "row", "first"}) {
    const Environment variables{
        {"A_FIRST", "1"}, {"HOME", "/nowhere"}, {"ZZ_LAST", "of a program"}};
    const Result native = run({TITLES_PROGRAM, way}, variables);
    ASSERT_EQ(native.status, 0) << way << native.err;
    for (const char* mode : {"enforce", "strict", "record", "observe"}) {
      const TemporaryFolder scratch;
      Environment environment = variables;
      environment["DETSHIM_MODE"] = mode;
      const Result result = run({TITLES_PROGRAM, way}, under_shim(scratch, environment));
      EXPECT_EQ(result.status, 0) << way << " in " << mode;
      EXPECT_EQ(lines(result.out).size(), 2u) << way << " in " << mode << result.out;
    }
    const TemporaryFolder scratch;
    const Result result = run(detshim_run(scratch, {"--quiet"}, {TITLES_PROGRAM, way}), variables);
    EXPECT_EQ(result.status, 0) << way << " in detshim run" << result.err;
  }
}

/// A host that brings something else that wants to be first: its own allocator, a sanitizer, an
/// emulator.
struct Host {
  const char* name;
  Arguments before; ///< in front of the program
  Environment environment;
  std::string library; ///< preloaded behind us
  const char* program = ROBUST_PROGRAM;
};

/// What the program fixes is another in each run by a seed.
const Environment varied = {{"DETSHIM_SEED", "42"}, {"DETSHIM_SEED_POLICY", "vary"}};

class Neighbours : public testing::TestWithParam<Host> {};

TEST_P(Neighbours, RunAsUsualAndArePinned) {
  const Host& host = GetParam();
  if (!host.library.empty() && !std::filesystem::exists(host.library))
    GTEST_SKIP() << host.library << " is not installed";
  if (!host.before.empty() && find_program(host.before[0]).empty())
    GTEST_SKIP() << host.before[0] << " is not installed";
  if (!std::filesystem::exists(host.program))
    GTEST_SKIP() << "not built: " << host.program;
  const auto drawn = [&] {
    const TemporaryFolder scratch;
    Environment environment = under_shim(scratch, varied);
    for (const auto& [name, value] : host.environment)
      environment[name] = value;
    if (!host.library.empty())
      environment["LD_PRELOAD"] += ":" + host.library;
    Arguments command = host.before;
    command.push_back(host.program);
    command.push_back("records");
    const Result result = run(command, environment);
    EXPECT_EQ(result.status, 0) << result.err;
    return result.out;
  };
  const std::string first = drawn();
  EXPECT_EQ(lines(first).size(), 150u);
  EXPECT_EQ(drawn(), first);
  const TemporaryFolder scratch;
  EXPECT_EQ(first, robust({"records"}, scratch, varied).out);
  EXPECT_NE(first, run({ROBUST_PROGRAM, "records"}).out) << "nothing was pinned";
}

const std::string libraries = "/usr/lib/" MULTIARCH "/";
INSTANTIATE_TEST_SUITE_P(
    All, Neighbours,
    testing::Values(Host{"jemalloc", {}, {}, libraries + "libjemalloc.so.2"},
                    Host{"tcmalloc", {}, {}, libraries + "libtcmalloc_minimal.so.4"},
                    Host{"mimalloc", {}, {}, libraries + "libmimalloc.so.2"},
                    Host{"valgrind", {"valgrind", "-q"}, {}, ""},
                    Host{"gcc_asan",
                         {},
                         {{"ASAN_OPTIONS", "verify_asan_link_order=0"}},
                         "",
                         ROBUST_PROGRAM "_asan"},
                    Host{"gcc_tsan", {"setarch", "-R"}, {}, "", ROBUST_PROGRAM "_tsan"},
                    Host{"clang_asan", {}, {}, "", ROBUST_PROGRAM "_clang_asan"}),
    [](const auto& tested) {
      return std::string{tested.param.name};
    });

} // namespace
