// The detshim command from outside: its output and its exit statuses.
//
// DETSHIM_COMMAND is the command's path, DETSHIM_LIBRARY that of libdetshim.so.
#include "run.h"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string start_line(int rank = 0, const std::string& path = "0",
                       const std::string& run = "20261121T003512-4711",
                       const std::string& mode = "enforce") {
  return R"({"t":"start","v":1,"detshim":"0.1.0","run":")" + run + R"(","pid":4711,"rank":)" +
         std::to_string(rank) + R"(,"path":")" + path +
         R"(","program":"/bin/true","args":["./train","--epochs","3"],"mode":")" + mode +
         R"(","policy":"fixed","seed":"42","seed_from":"DETSHIM_SEED"})"
         "\n";
}

std::string call_line(const std::string& function, const std::string& action,
                      const std::string& more = "") {
  return R"({"t":"call","n":1,"thread":"0","lib":"libc","fn":")" + function + R"(","do":")" +
         action + "\"" + more + "}\n";
}

const std::string bare_end_line = "{\"t\":\"end\",\"counts\":{}}\n";
const std::string end_line = "{\"t\":\"modules\",\"files\":[\"/bin/true\"]}\n" + bare_end_line;

/// The reason of that kind; null without one.
Json reason_of(const Json& document, const std::string& kind) {
  for (const Json& reason : document["reasons"])
    if (reason["kind"] == kind)
      return reason;
  return nullptr;
}

class DetshimCommand : public testing::Test {
protected:
  void SetUp() override { std::filesystem::create_directory(log_); }

  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(log_ / name, std::ios::binary | std::ios::app) << bytes;
  }

  /// Starts the command in the scratch folder.
  Running start(const Words& words, const Environment& environment = {}) const {
    Words all{DETSHIM_COMMAND};
    all.insert(all.end(), words.begin(), words.end());
    return Running(all, environment, folder_);
  }

  Result detshim(const Words& words, const Environment& environment = {}) const {
    return start(words, environment).wait();
  }

  /// An empty file represents the library where the loader must not be given the real one.
  std::string stand_in_library(const std::string& name = "libdetshim.so") const {
    std::ofstream(folder_ / name).flush();
    return (folder_ / name).string();
  }

  /// What `detshim run` hands to a program, by variable.
  std::string environment_line(const Words& words, const std::string& variable,
                               const Environment& environment = {}) const {
    Words all{"run", "--allow-uncovered", "--library", stand_in_library()};
    all.insert(all.end(), words.begin(), words.end());
    all.insert(all.end(), {"--", "/usr/bin/env"});
    const Result result = detshim(all, environment);
    EXPECT_EQ(result.status, 0) << result.err;
    const std::string text = "\n" + result.out;
    const std::size_t at = text.find("\n" + variable + "=");
    if (at == std::string::npos)
      return "";
    return text.substr(at + variable.size() + 2,
                       text.find('\n', at + 1) - at - variable.size() - 2);
  }

  const TemporaryFolder scratch_;
  const std::filesystem::path folder_ = scratch_.path();
  std::filesystem::path log_ = scratch_.log();
};

void expect_one_error_line(const Result& result, int status, const std::string& part) {
  EXPECT_EQ(result.status, status);
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(result.err.starts_with("detshim: ")) << result.err;
  EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
  EXPECT_TRUE(contains(result.err, part)) << result.err;
}

TEST_F(DetshimCommand, HelpBreaksItsTextsAtTheWidth) {
  constexpr const char* unbroken = "the program and its arguments; -- may stand before it\n";
  for (const std::size_t width : {60u, 80u, 100u}) {
    const std::string help = detshim({"run", "--help"}, {{"COLUMNS", std::to_string(width)}}).out;
    for (const std::string& line : lines(help.substr(0, help.find("\nExample:"))))
      EXPECT_LE(line.size(), width) << line;
    EXPECT_EQ(contains(help, unbroken), width > 80) << help;
  }
  const Environment none = {{"COLUMNS", ""}};
  EXPECT_EQ(detshim({"run", "--help"}, none).out,
            detshim({"run", "--help"}, {{"COLUMNS", "80"}}).out);
  EXPECT_TRUE(
      contains(detshim({"run", "--help"}, {{"COLUMNS", "1"}}).out, "the program and its\n"));
}

TEST_F(DetshimCommand, HelpEndsInAnExampleAndTheStatusesOfItsVerb) {
  EXPECT_TRUE(detshim({"--version"}).out.starts_with("detshim "));
  EXPECT_TRUE(contains(detshim({"--help"}).out, "\nExample:\n  detshim run "));
  for (const Words& verb : {Words{"run"}, {"verify"}, {"log"}, {"log", "diff"}, {"env", "show"}}) {
    Words words = verb;
    words.emplace_back("--help");
    const Result result = detshim(words);
    EXPECT_EQ(result.status, 0);
    std::string example = "\nExample:\n  detshim";
    for (const std::string& word : verb)
      example += " " + word;
    EXPECT_TRUE(contains(result.out, example + " ")) << result.out;
    EXPECT_TRUE(contains(result.out, "\n\nExit status:\n  ")) << result.out;
    EXPECT_EQ(contains(result.out, "\n  126  "), verb[0] == "run") << "of that verb alone";
    EXPECT_EQ(contains(result.out, "\n  3  unverified"), verb[0] == "verify");
  }
}

TEST_F(DetshimCommand, HelpAndTheVersionHaveTheirUsualWordsToo) {
  for (const char* word : {"version", "-V", "-v"})
    EXPECT_EQ(detshim({word}).out, detshim({"--version"}).out) << word;
  EXPECT_EQ(detshim({"help"}).out, detshim({"--help"}).out);
  EXPECT_EQ(detshim({"help", "log", "diff"}).out, detshim({"log", "diff", "--help"}).out);
  EXPECT_EQ(detshim({"help", "run"}).out, detshim({"run", "--help"}).out);
  EXPECT_FALSE(detshim({"help", "run"}).out.empty());
}

TEST_F(DetshimCommand, WrongUsageIsOneLineAndStatus2) {
  expect_one_error_line(
      detshim({}), 2,
      "run, verify, price, log, patch, report, attest, doctor, env, scan, hooks, options, "
      "completion");
  expect_one_error_line(detshim({"dance"}), 2, "dance");
  expect_one_error_line(detshim({"log", "--bogus"}), 2, "--bogus");
  expect_one_error_line(detshim({"run"}), 2, "no program");
  expect_one_error_line(detshim({"run", "--seed", "7", "--"}), 2, "no program");
  expect_one_error_line(detshim({"run", "--sed", "7", "true"}), 2, "--sed");
}

TEST_F(DetshimCommand, NamesTheWordThatWasMeant) {
  expect_one_error_line(detshim({"verfiy"}), 2,
                        "there is no verb 'verfiy'; did you mean verify? (see detshim --help)");
  expect_one_error_line(detshim({"dance"}), 2, "there is no verb 'dance': run, verify");
  expect_one_error_line(
      detshim({"run", "--sed", "7", "true"}), 2,
      "detshim run has no option --sed; did you mean --seed? (see detshim run --help)");
  expect_one_error_line(
      detshim({"log", "diff", "--jsno", "a", "b"}), 2,
      "detshim log diff has no option --jsno; did you mean --json? (see detshim log diff --help)");
  expect_one_error_line(detshim({"log", "--colour"}), 2,
                        "detshim log has no option --colour (see detshim log --help)");
}

TEST_F(DetshimCommand, SaysThatAFlagTakesNoValue) {
  const auto expect_refused = [this](const Words& words, const std::string& flag) {
    expect_one_error_line(detshim(words), 2, flag + "' is not accepted: ");
    expect_one_error_line(detshim(words), 2, " takes no value");
  };
  expect_refused({"run", "--quiet=0", "--", "true"}, "--quiet=0");
  expect_refused({"log", "--json=maybe"}, "--json=maybe");
  expect_refused({"log", "diff", "--json=1", "a", "b"}, "--json=1");
  expect_refused({"scan", "--alone=true", "true"}, "--alone=true");
  expect_refused({"--version=3"}, "--version=3");
  expect_refused({"--lib=3"}, "--lib=3");
  expect_refused({"log", "--help=3"}, "--help=3");
  // A value may look like one, and so may a word of the program's.
  EXPECT_EQ(detshim({"run", "--library", DETSHIM_LIBRARY, "--log=--json=3", "--quiet", "--", "true",
                     "--json=3"})
                .status,
            0);
}

TEST_F(DetshimCommand, RunRefusesWrongValues) {
  for (const char* seed : {"", "x", "-1", "+1", " 1", "1 ", "0x", "0xg", "1e3",
                           "18446744073709551616", "0x10000000000000000"})
    expect_one_error_line(detshim({"run", std::string("--seed=") + seed, "--", "true"}), 2,
                          *seed == 0 ? "--seed"
                                     : "--seed '" + std::string(seed) +
                                           "' is not accepted: a whole number");
  expect_one_error_line(detshim({"run", "--mode", "fast", "true"}), 2,
                        "--mode 'fast' is not accepted: enforce, record, observe, strict or off");
  expect_one_error_line(detshim({"run", "--policy", "odd", "true"}), 2,
                        "--policy 'odd' is not accepted: fixed, keep or vary");
  const auto disabling = [this](const std::string& list) {
    return detshim({"run", "--library", DETSHIM_LIBRARY, "--seed=1", "--disable", list, "true"});
  };
  expect_one_error_line(disabling("libc, curnd,\x1b"), 2,
                        "=\"libc, curnd,?\" is not accepted at \"curnd\": libraries, hooks");
  expect_one_error_line(disabling("curnd"), 2, "=\"curnd\" is not accepted: libraries, hooks");
  expect_one_error_line(disabling("libc,\x1b"), 2, "is not accepted at \"?\": ");
  expect_one_error_line(detshim({"run", "--library", "/no/such.so", "true"}), 2,
                        "--library '/no/such.so'");
  expect_one_error_line(detshim({"run", "--mode", "\x1b[31m", "true"}), 2, "'\\x1b[31m'");
}

TEST_F(DetshimCommand, RunSetsTheEnvironment) {
  for (const char* seed : {"0", "42", "18446744073709551615", "0xFFFFFFFFFFFFFFFF", "0x1f"})
    EXPECT_EQ(environment_line({"--seed", seed}, "DETSHIM_SEED"), seed);
  EXPECT_EQ(environment_line({"--mode", "strict"}, "DETSHIM_MODE"), "strict");
  // In one variable of one size (common/packed_options.h).
  const auto packed = [&](const Words& options) {
    return environment_line(options, "_DETSHIM_OPTIONS");
  };
  EXPECT_TRUE(contains(packed({"--policy=keep"}), "18:DETSHIM_SEED_POLICY=keep"));
  EXPECT_TRUE(contains(packed({"--log", "there"}), "11:DETSHIM_LOG=there"));
  EXPECT_TRUE(contains(packed({"--disable", "cudnn,env:NCCL_ALGO"}), "=cudnn,env:NCCL_ALGO"));
  EXPECT_TRUE(contains(packed({"--quiet"}), "f:DETSHIM_QUIET=1"));
  EXPECT_EQ(packed({"--quiet", "--log", "there"}).size(), packed({}).size());
  EXPECT_EQ(environment_line({}, "DETSHIM_MODE", {{"DETSHIM_MODE", "observe"}}), "observe")
      << "unless asked, left alone";
}

TEST_F(DetshimCommand, RunTakesOneSeedWhereNoneIsGiven) {
  EXPECT_EQ(environment_line({}, "DETSHIM_SEED"), "42");
  EXPECT_EQ(environment_line({}, "DETSHIM_SEED", {{"DETSHIM_SEED", "7"}}), "7");
  for (const char* mode : {"record", "observe", "off"})
    EXPECT_EQ(environment_line({"--mode", mode}, "DETSHIM_SEED"), "") << mode;
  EXPECT_EQ(environment_line({}, "DETSHIM_SEED", {{"DETSHIM_RUN", "1"}}), "")
      << "the run around it has one";
  const Words words{"run",
                    "--library",
                    DETSHIM_LIBRARY,
                    "--",
                    "/usr/bin/python3",
                    "-c",
                    "import random; print(random.random())"};
  const Result first = detshim(words), second = detshim(words);
  EXPECT_EQ(first.out, second.out);
  EXPECT_TRUE(
      first.err.starts_with("detshim: seed 42, since none is given (--seed N takes another)\n"))
      << first.err;
  EXPECT_FALSE(contains(detshim(words, {{"DETSHIM_SEED", "42"}}).err, "since none is given"));
  EXPECT_FALSE(
      contains(detshim(words, {{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "2"}}).err,
               "since none is given"))
      << "said by one rank";
}

// The log of the run before passes, and says nothing of this one.
TEST_F(DetshimCommand, RunChecksItsOwnRun) {
  const auto checked = [&](const Words& program, const Words& options = {}) {
    Words words{"run", "--seed", "42", "--quiet", "--check", "--library", DETSHIM_LIBRARY};
    for (const Words& more : {options, Words{"--"}, program})
      words.insert(words.end(), more.begin(), more.end());
    return detshim(words);
  };
  const Words draws{"/usr/bin/od", "-An", "-N4", "/dev/urandom"};
  for (const Words& options : {Words{}, Words{"--log", "one"}}) {
    const Result good = checked(draws, options);
    EXPECT_EQ(good.status, 0) << good.err;
    EXPECT_TRUE(contains(good.err, "verdict: covered")) << good.err;
    EXPECT_FALSE(contains(good.out, "verdict")) << good.out;
    // What takes the preload away leaves no log: a file that is no library.
    Words words{"run",       "--seed",          "42", "--quiet", "--check", "--allow-uncovered",
                "--library", stand_in_library()};
    for (const Words& more : {options, Words{"--"}, draws})
      words.insert(words.end(), more.begin(), more.end());
    const Result none = detshim(words);
    EXPECT_EQ(none.status, 3) << none.err;
    EXPECT_TRUE(contains(none.err, "this run left no log")) << none.err;
  }
  const Result idle = checked({"/usr/bin/true"});
  EXPECT_EQ(idle.status, 3) << idle.err;
  EXPECT_TRUE(contains(idle.err, "no_draw")) << "a run without draws is a run: " << idle.err;
  EXPECT_EQ(checked({"/bin/sh", "-c", "exit 7"}).status, 7);
  EXPECT_EQ(checked({"/bin/sh", "-c", "kill -KILL $$"}).status, 128 + SIGKILL);
  expect_one_error_line(detshim({"run", "--check", "--", "true"}, {{"DETSHIM_RUN", "1"}}), 2,
                        "--check");
}

TEST_F(DetshimCommand, LogSaysHowOldARunIs) {
  const auto shown = [&](const std::string& name, std::chrono::seconds age) {
    const auto begun = std::chrono::duration_cast<std::chrono::microseconds>(
        (std::chrono::system_clock::now() - age).time_since_epoch());
    std::string start = start_line();
    start.insert(start.find("\"pid\""), "\"begun\":" + std::to_string(begun.count()) + ",");
    std::filesystem::create_directory(folder_ / name);
    std::ofstream(folder_ / name / "0-0-1.jsonl") << start + call_line("srand", "pin") + end_line;
    return detshim({"log", name}).out;
  };
  EXPECT_TRUE(contains(shown("a", std::chrono::minutes(5) + std::chrono::seconds(30)),
                       "; run 20261121T003512-4711, 5 minutes ago\n"));
  EXPECT_TRUE(contains(shown("b", std::chrono::hours(75)), ", 3 days ago\n"));
}

TEST_F(DetshimCommand, RunPutsTheLibraryFirstAndOnce) {
  const std::string library = stand_in_library();
  EXPECT_EQ(environment_line({}, "LD_PRELOAD"), library);
  EXPECT_EQ(environment_line({}, "LD_PRELOAD", {{"LD_PRELOAD", "/no/a.so:/no/b.so"}}),
            library + ":/no/a.so:/no/b.so");
  EXPECT_EQ(environment_line({}, "LD_PRELOAD",
                             {{"LD_PRELOAD", "/no/a.so " + library + "::/no/libdetshim.so"}}),
            library + ":/no/a.so");
}

// What tools/python asks for: nothing is run, and each variable ends with a zero.
TEST_F(DetshimCommand, RunPrintsTheEnvironmentThatAProgramWouldGet) {
  const std::string library = stand_in_library();
  const Words words{"run", "--seed",         "7", "--library", library, "--print-environment",
                    "--",  "no-such-program"};
  const Result result = detshim(words, {{"LD_PRELOAD", "/no/a.so"}, {"TWO", "a\nb"}});
  EXPECT_EQ(result.status, 0) << result.err;
  for (const std::string& entry :
       {"LD_PRELOAD=" + library + ":/no/a.so", std::string("DETSHIM_SEED=7"),
        std::string("OMP_DYNAMIC=FALSE"), std::string("TWO=a\nb")})
    EXPECT_NE(('\0' + result.out).find('\0' + entry + '\0'), std::string::npos) << entry;
  EXPECT_TRUE(result.out.ends_with('\0'));
  EXPECT_FALSE(contains(detshim({"run", "--help"}).out, "print-environment"));
}

TEST_F(DetshimCommand, RunTakesTheLibraryByARelativeName) {
  stand_in_library();
  const Result result =
      detshim({"run", "--allow-uncovered", "--library", "libdetshim.so", "--", "env"});
  EXPECT_TRUE(contains(result.out, "LD_PRELOAD=" + folder_.string() + "/libdetshim.so"))
      << result.out << result.err;
}

TEST_F(DetshimCommand, SaysWhereTheLibraryIs) {
  const Result result = detshim({"--lib"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out,
            (std::filesystem::path(DETSHIM_COMMAND).parent_path() / "libdetshim.so\n").string());
}

TEST_F(DetshimCommand, RunRefusesALibraryThatCannotBePreloaded) {
  expect_one_error_line(detshim({"run", "--library", stand_in_library("my library.so"), "true"}), 2,
                        "a space or a colon");
  expect_one_error_line(detshim({"run", "--library", stand_in_library("a:b.so"), "true"}), 2,
                        "a space or a colon");
}

TEST_F(DetshimCommand, RunLeavesTheProgramsWordsAlone) {
  const std::string library = stand_in_library();
  const Words words{"--seed", "x y", "", "--", "[a,b]", "--help", "-q"};
  for (const Words& before :
       {Words{"run", "--quiet", "--allow-uncovered", "--library", library, "--"},
        {"run", "--allow-uncovered", "--library=" + library}}) {
    Words all = before;
    all.insert(all.end(), {"/usr/bin/printf", "<%s>"});
    all.insert(all.end(), words.begin(), words.end());
    const Result result = detshim(all);
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.out, "<--seed><x y><><--><[a,b]><--help><-q>");
  }
}

TEST_F(DetshimCommand, RunEndsInTheProgramsStatus) {
  const std::string library = stand_in_library();
  EXPECT_EQ(
      detshim({"run", "--allow-uncovered", "--library", library, "sh", "-c", "exit 7"}).status, 7);
  EXPECT_EQ(detshim({"run", "--allow-uncovered", "--library", library, "sh", "-c", "kill -KILL $$"})
                .status,
            128 + SIGKILL);
  expect_one_error_line(
      detshim({"run", "--allow-uncovered", "--library", library, "no-such-program"}), 127,
      "cannot run 'no-such-program': No such file or directory");
  expect_one_error_line(detshim({"run", "--allow-uncovered", "--library", library, folder_}), 126,
                        "Permission denied");
}

TEST_F(DetshimCommand, LogNamesTheFolderThatHoldsNothing) {
  expect_one_error_line(detshim({"log"}), 2, "no log in 'detshim-log/latest'");
  expect_one_error_line(detshim({"log", "elsewhere"}), 2, "no log in 'elsewhere'");
  expect_one_error_line(detshim({"log", log_}), 2, "no log in");
  write("0-0-1.jsonl", "rubbish\n");
  expect_one_error_line(detshim({"log", log_}), 2, "no readable record");
}

TEST_F(DetshimCommand, LogReadsLatestByDefault) {
  write("0-0-1.jsonl", start_line() + call_line("srand", "pin") + end_line);
  std::filesystem::create_directory(folder_ / "detshim-log");
  std::filesystem::create_directory_symlink("../log", folder_ / "detshim-log/latest");
  const Result result = detshim({"log"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "srand")) << result.out;
}

TEST_F(DetshimCommand, LogPrintsWorstFirst) {
  write(
      "0-0-1.jsonl",
      start_line() +
          call_line(
              "srand", "pin",
              R"(,"requested":"1763683","effective":"42","why":"a clock","at":"/gone/train+0x1b")") +
          call_line("rand", "observe") +
          call_line("atomicAdd", "nondeterministic", R"(,"py":["a.py:3 step","a.py:9 main"])") +
          call_line("raw", "uncovered") + call_line("pooling", "refuse") +
          call_line("gemm", "replace") + end_line);
  const Result result = detshim({"log", log_});
  EXPECT_EQ(result.status, 0);
  std::size_t before = 0;
  for (const char* part :
       {"./train --epochs 3\n", "seed 42, mode enforce, policy fixed",
        "1 rank, 1 process, 1 thread", "at least 1 call went ahead nondeterministic",
        "\nnondeterministic - ", "atomicAdd", "a.py:3 step <- a.py:9 main", "\nuncovered - ", "raw",
        "\nrefused - ", "pooling", "\nreplaced - ", "gemm", "\npinned - ", "srand", "1763683 -> 42",
        "a clock", "/gone/train+0x1b"}) {
    const std::size_t at = result.out.find(part, before);
    EXPECT_NE(at, std::string::npos) << part << " is not after the part before it in\n"
                                     << result.out;
    if (at != std::string::npos)
      before = at;
  }
  EXPECT_FALSE(contains(result.out, " deterministic")) << "no claim: " << result.out;
  // What was left alone needs nobody's attention.
  EXPECT_TRUE(contains(result.out, "only observed: at least 1 (--all).")) << result.out;
  EXPECT_FALSE(contains(result.out, "observed - ")) << result.out;
  EXPECT_TRUE(contains(detshim({"log", log_, "--all"}).out,
                       "observed - seen, left alone\n  libc\n    rand"));
  EXPECT_FALSE(contains(result.out, "\x1b")) << "no colour in a file";
}

TEST_F(DetshimCommand, LogShowsEveryPlaceOfWhatIsUnfixedAndFewOfTheRest) {
  std::string lines = start_line();
  for (int i = 1; i <= 9; ++i) {
    const std::string more = R"(,"requested":")" + std::to_string(i) +
                             R"(","effective":"5","at":"/gone/m+0x)" + std::to_string(i) + "\"";
    lines += call_line("atomicAdd", "nondeterministic", more) + call_line("srand", "pin", more);
  }
  write("0-0-1.jsonl", lines + end_line);
  const auto count = [](const std::string& text, const std::string& part) {
    int number = 0;
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at)
      ++number;
    return number;
  };
  const std::string few = detshim({"log", log_}).out;
  EXPECT_EQ(count(few, "/gone/m+0x"), 9 + 3) << few;
  EXPECT_EQ(count(few, " -> 5"), 3 + 3) << few;
  const std::string all = detshim({"log", log_, "--all"}).out;
  EXPECT_EQ(count(all, "/gone/m+0x"), 2 * (9 + 9)) << "each once more as a record: " << all;
  EXPECT_EQ(count(all, " -> 5"), 2 * (9 + 9)) << all;
}

TEST_F(DetshimCommand, LogSaysWhatIsMissing) {
  write("0-0-1.jsonl", start_line() + "{\"torn in the middle\n" + call_line("rand", "pin"));
  write("1-0-2.jsonl", start_line(1) + call_line("rand", "pin") + "{\"t\":\"ca");
  write("2-0-3.jsonl", start_line(2, "0", "20250101T000000-1"));
  write("3-0-4.jsonl", "{\"t\":\"start\",\"v\":9}\n");
  const Json document = Json::parse(detshim({"log", log_, "--json"}).out);
  EXPECT_EQ(document["damaged_lines"], 1);
  EXPECT_EQ(document["torn_lines"], 1);
  EXPECT_EQ(document["without_end"].size(), 2U) << document["without_end"];
  EXPECT_EQ(document["other_runs"], Json::array({"20250101T000000-1"}));
  EXPECT_EQ(document["processes_without_counts"], 2);
  ASSERT_EQ(document["other_format_files"].size(), 1U);
  EXPECT_EQ(document["other_format_files"][0]["format"], 9);
  const Result result = detshim({"log", log_});
  EXPECT_EQ(result.status, 0);
  for (const char* part : {"cannot be read", "cut short", "no recorded end", "20250101T000000-1",
                           "no counts", "3-0-4.jsonl"})
    EXPECT_TRUE(contains(result.out, part)) << part << " is not in\n" << result.out;
  EXPECT_TRUE(
      contains(detshim({"log", log_, "--run", "20250101T000000-1"}).out, "run 20250101T000000-1"));
  expect_one_error_line(detshim({"log", log_, "--run", "nonsense"}), 2, "no run 'nonsense'");
}

TEST_F(DetshimCommand, LogCheckFailsOnWhatCanDiffer) {
  write("0-0-1.jsonl", start_line() + call_line("srand", "pin") + end_line);
  EXPECT_EQ(detshim({"log", log_, "--check"}).status, 0);
  for (const char* action : {"nondeterministic", "uncovered", "refuse"}) {
    write("0-0-2.jsonl", start_line() + call_line("x", action) + end_line);
    EXPECT_EQ(detshim({"log", log_, "--check"}).status, 3) << action;
    EXPECT_EQ(detshim({"log", log_, "--check", "--json"}).status, 3) << action;
    EXPECT_EQ(detshim({"log", log_}).status, 0);
    std::filesystem::remove(log_ / "0-0-2.jsonl");
  }
  write("0-0-3.jsonl", start_line() + "damaged\n" + end_line);
  EXPECT_EQ(detshim({"log", log_, "--check"}).status, 3) << "what was there is not known";
}

TEST_F(DetshimCommand, LogHoldsItsRecordsAgainstTheEnd) {
  const auto verdict = [this](const std::string& counts, const std::string& lines) {
    const std::string modules = "{\"t\":\"modules\",\"files\":[\"/bin/true\"]}\n";
    std::filesystem::remove(log_ / "0-0-1.jsonl");
    write("0-0-1.jsonl",
          start_line() + lines + modules + R"({"t":"end","counts":{)" + counts + "}}\n");
    const Json document = Json::parse(detshim({"log", log_, "--json"}).out);
    const std::string name = document["verdict"];
    return name +
           (document["reasons"].empty() ? "" : " " + std::string(document["reasons"][0]["kind"]));
  };
  const auto numbered = [](int number) {
    return R"({"t":"call","n":)" + std::to_string(number) +
           R"(,"thread":"0","lib":"libc","fn":"rand","do":"pin","at":"/bin/true+0x1)" +
           std::to_string(number) + "\"}\n";
  };
  EXPECT_EQ(verdict(R"("observe":9,"pin":1)", numbered(1)), "covered")
      << "what was only seen has no record";
  EXPECT_EQ(verdict(R"("pin":5)", numbered(1)), "covered") << "counts alone are missing";
  EXPECT_EQ(verdict(R"("pin":1,"nondeterministic":1)", numbered(1)), "partial lost_records");
  EXPECT_EQ(verdict(R"("pin":1,"uncovered":1)", numbered(1)), "partial lost_records");
  EXPECT_EQ(verdict(R"("pin":2)", ""), "unverified lost_records") << "no record is left";
  EXPECT_EQ(verdict(R"("pin":2)", numbered(1) + numbered(3)), "unverified lost_records") << "a gap";
  EXPECT_EQ(verdict(R"("pin":1)", numbered(2)), "unverified lost_records")
      << "a gap at the beginning";
  const std::string before = numbered(1) + numbered(2) + start_line(); // of what it executed
  EXPECT_EQ(verdict(R"("pin":3)", before + numbered(1)), "covered");
  EXPECT_EQ(verdict(R"("pin":3)", before + numbered(2)), "unverified lost_records")
      << "a gap behind an exec";
}

TEST_F(DetshimCommand, LogClosesWithAVerdict) {
  const auto verdict = [this](const std::string& lines) {
    std::filesystem::remove(log_ / "0-0-1.jsonl");
    write("0-0-1.jsonl", lines);
    const Json document = Json::parse(detshim({"log", log_, "--json"}).out);
    const std::string name = document["verdict"];
    EXPECT_TRUE(contains(detshim({"log", log_}).out, "\nverdict: " + name + " - "));
    EXPECT_EQ(document["reasons"].empty(), name == "covered") << document["reasons"];
    return name +
           (document["reasons"].empty() ? "" : " " + std::string(document["reasons"][0]["kind"]));
  };
  const std::string pinned = call_line("rand", "pin");
  const auto coverage = [](const std::string& library, int hooks,
                           const std::string& file = "/bin/true") {
    return R"({"t":"coverage","lib":")" + library + R"(","files":[")" + file +
           R"("],"missing":[],"hooks":)" + std::to_string(hooks) + "}\n";
  };
  const auto library = [](const std::string& version) {
    return R"({"t":"library","lib":"curand","file":"/bin/true")" + version + "}\n";
  };
  EXPECT_EQ(verdict(start_line() + pinned + end_line), "covered");
  EXPECT_EQ(verdict(start_line() + call_line("x", "refuse") + end_line), "covered");
  EXPECT_EQ(verdict(start_line() + pinned + bare_end_line), "unverified no_modules");
  EXPECT_EQ(verdict(start_line() + call_line("x", "nondeterministic") + end_line),
            "partial nondeterministic");
  EXPECT_EQ(verdict(start_line() + call_line("x", "uncovered") + end_line), "partial uncovered");
  EXPECT_EQ(verdict(start_line() + pinned), "unverified no_end");
  EXPECT_EQ(verdict(start_line() + call_line("x", "nondeterministic")), "partial nondeterministic")
      << "the worst first";
  EXPECT_EQ(verdict(pinned + end_line), "unverified no_start");
  EXPECT_EQ(verdict(start_line() + "damaged\n" + pinned + end_line), "unverified damaged");
  EXPECT_EQ(verdict(start_line(0, "0", "20261121T003512-4711", "observe") + pinned + end_line),
            "unverified mode");
  EXPECT_EQ(verdict(start_line() + coverage("curand", 6) + end_line), "unverified no_draw");
  EXPECT_EQ(verdict(start_line() + coverage("curand", 0) + end_line), "unverified no_hooks");
  // The file exports no function of cuRAND: whether a later version has new ones is not known.
  for (const auto& [version, expected] :
       {std::pair<std::string, std::string>{R"(,"version":"10405")", "covered"},
        {R"(,"version":"9000")", "covered"},
        {R"(,"version":"10406")", "unverified version"},
        {R"(,"version":"10405.1")", "unverified version"},
        {R"(,"version":"new")", "unverified version"},
        {R"(,"version":"")", "unverified version"},
        {"", "unverified version"}})
    EXPECT_EQ(verdict(start_line() + library(version) + coverage("curand", 6) + end_line), expected)
        << version;
  EXPECT_EQ(verdict(start_line() + library(R"(,"version":"10400")") + end_line),
            "unverified no_coverage");
  EXPECT_EQ(verdict(start_line() + library(R"(,"version":"10400")") +
                    coverage("curand", 6, "/bin/sh") + end_line),
            "unverified no_coverage")
      << "of another file";
  const std::string modules = R"({"t":"modules","files":["/bin/true","/bin/libcudnn.so.9"]})"
                              "\n";
  EXPECT_TRUE(verdict(start_line() + pinned + modules + end_line).starts_with("unverified"))
      << "a file gone";
  const std::string lost =
      R"({"t":"start","v":1,"run":"r","pid":1,"rank":0,"path":"0","program":"/bin/true",)"
      R"("args":[],"mode":"enforce","policy":"fixed","disabled":"rand"})"
      "\n";
  EXPECT_EQ(verdict(lost + pinned + end_line), "partial disabled");
}

/// Reasons of several kinds, more of them than the text names.
std::string many_reasons() {
  std::string lines = start_line();
  for (int i = 0; i < 9; ++i)
    lines += call_line("atomic_" + std::to_string(i), "nondeterministic",
                       R"(,"why":")" + std::string(150, 'y') + R"(")");
  return lines + R"({"t":"runtime","file":"/usr/lib/libslow.so.1","why":")" +
         std::string(150, 'x') + "\"}\n" + end_line;
}

TEST_F(DetshimCommand, LogNamesSevenReasonsInALineEach) {
  write("0-0-1.jsonl", many_reasons());
  const std::string out = detshim({"log", log_, "--no-scan"}).out;
  const std::string verdict = out.substr(out.find("\nverdict: "));
  EXPECT_TRUE(contains(verdict, "\n  partial     nondeterministic:atomic_0 - libc: atomic_0: yyy"))
      << verdict;
  EXPECT_TRUE(contains(verdict, "\n  partial     nondeterministic:atomic_6 - ")) << verdict;
  EXPECT_FALSE(contains(verdict, "atomic_7")) << verdict;
  EXPECT_TRUE(verdict.ends_with("\n  4 more: --all\n"))
      << "two, the runtime, --no-scan: " << verdict;
  EXPECT_TRUE(contains(verdict, "atomic_0: " + std::string(150, 'y') + "\n"))
      << "whole, in a pipe: " << verdict;
  const std::string all = detshim({"log", log_, "--no-scan", "--all"}).out;
  EXPECT_TRUE(contains(all, std::string(150, 'x') + "; give it a seed, or compare two runs\n"))
      << all;
  EXPECT_TRUE(contains(all, "atomic_8 - "));
  EXPECT_EQ(Json::parse(detshim({"log", log_, "--no-scan", "--json"}).out)["reasons"].size(), 11u);
}

TEST_F(DetshimCommand, LogWrapsReasonsAtATerminal) {
  std::string text;
  for (int i = 0; i < 40; ++i)
    text += "word" + std::to_string(i) + ' ';
  write("0-0-1.jsonl", start_line() +
                           call_line("draw", "nondeterministic", R"(,"why":")" + text + "\"") +
                           end_line);
  const std::string at_terminal = contents(PROGRAMS "at_a_terminal.py");
  const Result shown =
      Running({"/usr/bin/python3", "-c", at_terminal, DETSHIM_COMMAND, "log", log_, "--no-scan"},
              {{"NO_COLOR", "1"}}, folder_)
          .wait();
  const std::string reasons = shown.out.substr(shown.out.find("\n  partial "));
  std::istringstream lines(reasons), words(reasons);
  for (std::string line; std::getline(lines, line);)
    EXPECT_LE(line.size(), 61u) << line; // and a \r
  int next = 0;
  for (std::string word; words >> word;)
    next += word == "word" + std::to_string(next);
  EXPECT_EQ(next, 40) << "all of them, in order: " << reasons;
}

TEST_F(DetshimCommand, LogNamesAllLinesOfAReasonOnRequest) {
  std::string clocks;
  for (const char* line : {"1", "2", "3", "4"})
    clocks += std::string(R"({"t":"clock","at":"/usr/lib/libpython3.so+0x)") + line +
              R"(","py":["/home/me/train.py:)" + line + R"( <module>"],"user":0})" + "\n";
  write("0-0-1.jsonl", start_line() + clocks + end_line);
  const std::string all = "train.py:1, train.py:2, train.py:3, train.py:4";
  EXPECT_FALSE(contains(detshim({"log", log_, "--no-scan"}).out, all));
  EXPECT_TRUE(contains(detshim({"log", log_, "--no-scan", "--all"}).out, all));
  const auto document = nlohmann::json::parse(detshim({"log", log_, "--no-scan", "--json"}).out);
  EXPECT_EQ(document["reasons"][0]["names"].size(), 4U) << document["reasons"];
}

// The package may have been handed what the user's line read.
TEST_F(DetshimCommand, LogNamesAPackagesLineWhereTheUserHasNone) {
  const std::string call = call_line(
      "numpy_legacy_seeding", "observe",
      R"(,"requested":"7531","why":"unexplained_seed","at":"/usr/lib/libpython3.so+0x1",)"
      R"("py":["/v/site-packages/forest/trees.py:101 indices","/v/site-packages/forest/run.py:7 go"])");
  const std::string clock = R"({"t":"clock","at":"/usr/lib/libpython3.so+0x2",)"
                            R"("py":["/home/me/train.py:3 <module>"],"user":0})"
                            "\n";
  write("0-0-1.jsonl", start_line() + call + clock + end_line);
  const auto lines_that_seed = [this] {
    Words lines;
    const Json document = Json::parse(detshim({"log", log_, "--no-scan", "--json"}).out);
    for (const Json& reason : document["reasons"])
      if (reason["kind"] == "unexplained_seed")
        for (const Json& line : reason["names"])
          lines.push_back(line);
    return lines;
  };
  EXPECT_EQ(lines_that_seed(), Words{"trees.py:101"});
  std::filesystem::remove(std::filesystem::path(log_) / "0-0-1.jsonl");
  write("0-0-1.jsonl", start_line() + call + end_line);
  EXPECT_EQ(lines_that_seed(), Words{});
}

// The beginning of a longer number, of a name too, is not what the user wrote.
TEST_F(DetshimCommand, LogNamesNoLineThatHasTheSeedInIt) {
  const std::string script = folder_ / "train.py";
  std::ofstream(script) << "default_rng(7531)\ndefault_rng(75310)\ndefault_rng(97531)\n"
                           "default_rng(s7531)\ndefault_rng(7531s)\n";
  std::string calls;
  for (const char* line : {"1", "2", "3", "4", "5"})
    calls +=
        call_line("numpy_legacy_seeding", "observe",
                  R"(,"requested":"7531","why":"unexplained_seed","at":"/usr/bin/python3+0x1",)"
                  R"("py":[")" +
                      script + ":" + line + R"( <module>"],"user":0)");
  write("0-0-1.jsonl", start_line() + calls + end_line);
  Json names;
  const Json document = Json::parse(detshim({"log", log_, "--no-scan", "--json"}).out);
  for (const Json& reason : document["reasons"])
    if (reason["kind"] == "unexplained_seed")
      names = reason["names"];
  EXPECT_EQ(names, Json({"train.py:2", "train.py:3", "train.py:4", "train.py:5"})) << document;
}

// PyTorch's notes on reproducibility make the seeds of other generators of a worker's:
// torch.initial_seed() % 2**32.
TEST_F(DetshimCommand, LogKnowsWhatAWorkerOfALoaderMakesOfItsSeed) {
  const std::string loop = "/v/dist-packages/torch/utils/data/_utils/worker.py:";
  const auto seeding = [](const std::string& value, const std::string& frames, int user) {
    return call_line("numpy_legacy_seeding", "observe",
                     R"(,"requested":")" + value +
                         R"(","why":"unexplained_seed","at":"/usr/bin/python3+0x1","py":[)" +
                         frames + R"(],"user":)" + std::to_string(user));
  };
  const std::string by_loader = seeding(
      "900450186894289455", '"' + loop + R"(221 _worker_loop","/home/me/train.py:60 train")", 1);
  const auto by_user = [&](const std::string& value, int line) {
    return seeding(value,
                   R"("/home/me/train.py:)" + std::to_string(line) + R"( seed_worker",")" + loop +
                       R"(244 _worker_loop")",
                   0);
  };
  write("0-0.1-2.jsonl", start_line() + by_loader + by_user("2546248239", 48) +
                             by_user("2546248240", 49) + end_line);
  write("0-0.2-3.jsonl", start_line(0, "0.2") + by_user("2546248239", 50) + end_line);
  const Json document = Json::parse(detshim({"log", log_, "--no-scan", "--json"}).out);
  EXPECT_EQ(document["reasons"][0]["names"], Json({"train.py:49", "train.py:50"})) << document;
}

TEST_F(DetshimCommand, LogNamesTheRuleThatToldWhatASeedIs) {
  write("0-0-1.jsonl",
        start_line() +
            call_line("srand", "pin",
                      R"(,"requested":"7531","effective":"42","why":"clock_seed","rule":"reading",)"
                      R"("at":"/bin/train+0x1a2b")") +
            end_line);
  const std::string all = detshim({"log", log_, "--no-scan", "--all"}).out;
  EXPECT_TRUE(contains(all, "rule   reading\n")) << all;
  const std::string json = detshim({"log", log_, "--no-scan", "--all", "--json"}).out;
  EXPECT_EQ(Json::parse(json)["records"][0]["rule"], "reading") << json;
}

TEST_F(DetshimCommand, LogFoldsSettingsToOneLine) {
  const std::string environment =
      R"({"t":"env","env":[{"name":"A_B","now":"1"},)"
      R"({"name":"C_D","was":"2","now":"2"}],"noted":[{"name":"E_F","value":"3"}]})"
      "\n";
  write("0-0-1.jsonl", start_line() + environment + call_line("rand", "pin") + end_line);
  const std::string folded = detshim({"log", log_}).out;
  EXPECT_TRUE(contains(folded, "\nsettings - 2 variables set, 1 of yours kept (--all)\n"))
      << folded;
  EXPECT_FALSE(contains(folded, "A_B")) << folded;
  const std::string all = detshim({"log", log_, "--all"}).out;
  EXPECT_TRUE(contains(all, "A_B=1  (was unset)")) << all;
  EXPECT_TRUE(contains(all, "C_D=2  (was there already)")) << all;
  EXPECT_TRUE(contains(all, "E_F=3")) << all;
}

TEST_F(DetshimCommand, LogTakesBackWhatTheUserAccepts) {
  write("0-0-1.jsonl", many_reasons());
  const auto reasons = [this](const Words& more) {
    Words words{"log", log_, "--no-scan", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return Json::parse(detshim(words).out)["reasons"].size();
  };
  EXPECT_EQ(reasons({"--accept", "nondeterministic"}), 2u);
  EXPECT_EQ(reasons({"--accept", "nondeterministic:atomic_3"}), 10u);
  EXPECT_EQ(reasons({"--accept", "nondeterministic:atomic_3", "--accept=runtime:libslow.so.1"}),
            9u);
  EXPECT_EQ(reasons({"--accept", "runtime:libfast.so.1"}), 11u);
  EXPECT_EQ(detshim({"log", "--accept", "nondeterministic", "--accept", "runtime", log_,
                     "--no-scan", "--check"})
                .status,
            0);
  EXPECT_EQ(detshim({"log", "--accept", "nondeterministic", log_, "--no-scan", "--check"}).status,
            3);

  std::ofstream(folder_ / ".detshim-accept")
      << "# known\n\n nondeterministic  # sums\nruntime:libslow.so.1\r\ndisabled\n";
  const Result result = detshim({"log", log_, "--no-scan", "--check", "--json"});
  EXPECT_EQ(result.status, 0) << result.out;
  EXPECT_EQ(Json::parse(result.out)["acceptances"],
            Json::array({{{"name", "nondeterministic"}, {"reasons", 9}},
                         {{"name", "runtime:libslow.so.1"}, {"reasons", 1}},
                         {{"name", "disabled"}, {"reasons", 0}}}));
  // What took nothing back is said in the text too, for whoever has mistyped it.
  const std::string text = detshim({"log", log_, "--no-scan"}).out;
  for (const char* name : {"nondeterministic, 9 ", "runtime:libslow.so.1, 1 ", ": disabled\n"})
    EXPECT_TRUE(contains(text, name)) << text;
}

TEST_F(DetshimCommand, LogRefusesAnAcceptanceThatNamesNothing) {
  write("0-0-1.jsonl", many_reasons());
  for (const char* name : {"", "everything", "nondeterministic:", ":atomic", "Unfixed", "\x1b[31m"})
    expect_one_error_line(detshim({"log", log_, "--accept", name}), 2, "names no reason");
  std::ofstream(folder_ / ".detshim-accept") << "nondeterministic\nnonsense\n";
  expect_one_error_line(detshim({"log", log_}), 2,
                        "'.detshim-accept' line 2: 'nonsense' names no reason");
  std::filesystem::remove(folder_ / ".detshim-accept");
  std::filesystem::create_directory(folder_ / ".detshim-accept");
  expect_one_error_line(detshim({"log", log_}), 2, "'.detshim-accept' cannot be read as a file");
}

// It is another program now, which has no log: one reason reports it.
TEST_F(DetshimCommand, LogHasOneReasonForAProcessThatExecutedAnUncoveredProgram) {
  const auto kinds = [&](const std::string& records) {
    write("0-0-1.jsonl", start_line() + records);
    const auto document = nlohmann::json::parse(detshim({"log", log_, "--json", "--no-scan"}).out);
    std::filesystem::remove(log_ / "0-0-1.jsonl");
    std::set<std::string> found;
    for (const auto& reason : document["reasons"])
      found.insert(reason["kind"]);
    found.erase("not_decoded");
    return found;
  };
  const std::string uncovered = call_line("execve", "uncovered", R"(,"program":"/gone/program")");
  const auto executed = [](const std::string& thread, const std::string& what) {
    return R"({"t":"exec","thread":")" + thread + R"(",)" + what + "}\n";
  };
  const std::string executes = executed("0", R"("program":"/gone/program","time":"5")");
  EXPECT_FALSE(kinds(call_line("rand", "pin") + uncovered + executes).contains("no_end"));
  EXPECT_TRUE(kinds(executes + call_line("rand", "pin")).contains("no_end"))
      << "its thread went on";
  EXPECT_TRUE(kinds(executes + executed("0", R"("error":2)")).contains("no_end"));
  EXPECT_FALSE(kinds(executes + executed("0.1", R"("error":2)")).contains("no_end"))
      << "another thread's";
  EXPECT_TRUE(kinds(executes + start_line()).contains("no_end")) << "what it executed was killed";
  // A child in its parent's memory reports it in its parent's log.
  EXPECT_TRUE(kinds(call_line("rand", "pin") + uncovered).contains("no_end"));
}

TEST_F(DetshimCommand, LogHasNoReasonForStaticProgramsThatDrawNothing) {
  const auto executes = [](const std::string& program) {
    return call_line("execve", "uncovered",
                     R"(,"program":")" + program + R"(","why":"statically linked")");
  };
  // One of the user's own, whose instructions tell.
  const std::string source = (folder_ / "quiet.c").string(), quiet = (folder_ / "quiet").string();
  std::ofstream(source) << "void _start(void) { for (;;) ; }\n";
  ASSERT_EQ(run({"cc", "-static", "-nostdlib", "-o", quiet, source}).status, 0);
  write("0-0-1.jsonl", start_line() + executes(quiet) + end_line);
  const Result harmless = detshim({"log", log_, "--check"});
  EXPECT_EQ(harmless.status, 0) << harmless.out;
  EXPECT_TRUE(contains(harmless.out, "No problem was recorded")) << harmless.out;
  EXPECT_TRUE(contains(detshim({"log", log_, "--all"}).out, quiet));
  write("0-0-1.jsonl", executes(RAW_DRAWS_STATIC));
  EXPECT_EQ(detshim({"log", log_, "--check"}).status, 3) << "it draws";
  std::filesystem::remove(log_ / "0-0-1.jsonl");
  write("0-0-1.jsonl", start_line() + executes(quiet) + end_line + executes("/gone/program"));
  EXPECT_EQ(detshim({"log", log_, "--check"}).status, 3) << "one of them is not known";
}

// More of them than a log's reader keeps examples of.
TEST_F(DetshimCommand, LogHasAReasonForOneThatDrawsAmongManyStaticPrograms) {
  const auto executes = [](const std::string& program) {
    return call_line("execve", "uncovered",
                     R"(,"program":")" + program + R"(","why":"statically linked")");
  };
  const std::string source = (folder_ / "quiet.c").string(), quiet = (folder_ / "quiet").string();
  std::ofstream(source) << "void _start(void) { for (;;) ; }\n";
  ASSERT_EQ(run({"cc", "-static", "-nostdlib", "-o", quiet, source}).status, 0);
  const std::string draws = (folder_ / "z_draws").string(); // the last by name
  std::filesystem::copy_file(RAW_DRAWS_STATIC, draws);
  std::string lines = start_line() + executes(draws);
  constexpr int many = 520;
  for (int i = 0; i < many; ++i) {
    const std::string link = quiet + std::to_string(i);
    std::filesystem::create_hard_link(quiet, link);
    lines += executes(link);
  }
  write("0-0-1.jsonl", lines + end_line);
  EXPECT_EQ(detshim({"log", log_, "--check"}).status, 3);
}

TEST_F(DetshimCommand, LogPrintsOneJsonDocument) {
  write("0-0-1.jsonl",
        start_line() +
            call_line("srand", "pin",
                      R"(,"requested":"1","effective":"2","at":"/x+0x1","why":"größer\u001b[2J")") +
            call_line("y", "nondeterministic"));
  for (const bool all : {false, true}) {
    const Result result =
        detshim(all ? Words{"log", log_, "--json", "--all"} : Words{"log", log_, "--json"});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_TRUE(std::ranges::all_of(result.out, [](char c) {
      return c == '\n' || (c >= ' ' && c <= '~');
    }));
    const Json document = Json::parse(result.out, nullptr, false);
    ASSERT_TRUE(document.is_object()) << result.out;
    EXPECT_EQ(document["totals"]["pin"], 1);
    EXPECT_EQ(document["totals"]["nondeterministic"], 1);
    EXPECT_EQ(document["programs"][0]["seed"], "42");
    EXPECT_EQ(document["calls"][0]["function"], "y");
    EXPECT_EQ(document["calls"][1]["examples"][0]["fields"]["effective"], "2");
    EXPECT_EQ(document["calls"][1]["places"][0]["source"], nullptr);
    EXPECT_EQ(document.contains("records"), all);
    if (all) {
      EXPECT_EQ(document["records"][0]["function"], "srand");
    }
    EXPECT_EQ(document["without_end"].size(), 1U);
  }
}

TEST_F(DetshimCommand, LogNeverPrintsWhatATerminalWouldObey) {
  const std::string evil = R"(\u001b]0;title\u0007\u009b2J\u202e\r\n\u0000)";
  const std::string field = "\"" + evil + "\":\"" + evil + "\"";
  write("0-0-1.jsonl", R"({"t":"start","v":1,"run":")" + evil + R"(","rank":0,"path":")" + evil +
                           R"(","program":")" + evil + R"(","args":[")" + evil + R"("],"mode":")" +
                           evil + R"(","policy":")" + evil + R"(","seed":")" + evil +
                           R"(","seed_from":")" + evil + R"(","disabled":")" + evil +
                           R"(","env":[{"name":")" + evil + R"(","was":")" + evil +
                           R"(","now":"x)" + evil + "\"}]}\n" + R"({"t":"library","lib":")" + evil +
                           R"(","file":")" + evil + R"(","version":")" + evil + "\"}\n");
  for (const char* action :
       {"observe", "pin", "replace", "refuse", "nondeterministic", "uncovered"})
    write("0-0-1.jsonl", R"({"t":"call","n":1,"thread":")" + evil + R"(","lib":")" + evil +
                             R"(","fn":")" + evil + R"(","do":")" + action + R"(","why":")" + evil +
                             R"(","at":")" + evil + R"(+0x1","py":[")" + evil + "\"]," + field +
                             "}\n" + call_line("f", action, R"(,"at":")" + evil + "\""));
  write("0-0-\x1b[31m2.jsonl", "{\"t\":\"start\",\"v\":9}\n");
  for (const Words& words :
       {Words{"log", log_}, {"log", log_, "--all"}, {"log", log_, "--json", "--all"}}) {
    const Result result = detshim(words);
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_TRUE(std::ranges::all_of(result.out, [](char c) {
      return c == '\n' || (c >= ' ' && c <= '~');
    })) << result.out;
    EXPECT_TRUE(contains(result.out, "\\u202e"));
  }
}

TEST_F(DetshimCommand, LogSurvivesRandomDamage) {
  const std::string whole =
      start_line() + call_line("srand", "pin", R"(,"requested":"1","effective":"2")") +
      call_line("rand", "nondeterministic", R"(,"why":"w","at":"/bin/sh+0x1010")") + end_line;
  std::mt19937 generator(5);
  for (int i = 0; i < 60; ++i) {
    std::string bytes = whole;
    for (int j = 0; j < 8; ++j)
      bytes[generator() % bytes.size()] = static_cast<char>(generator());
    std::filesystem::remove(log_ / "0-0-1.jsonl");
    write("0-0-1.jsonl", bytes);
    const Result result = detshim({"log", log_});
    EXPECT_TRUE(result.status == 0 || result.status == 2) << result.status;
  }
}

TEST_F(DetshimCommand, ScanSaysWhatNoPreloadSees) {
  const Result result = detshim({"scan", "--alone", RAW_DRAWS_PROGRAM});
  EXPECT_EQ(result.status, 3) << result.err;
  EXPECT_EQ(result.err, "");
  const std::string place = "\n" RAW_DRAWS_PROGRAM "+0x";
  for (const char* part :
       {" draw_by_processor: r", " draw_by_processor_seed: r",
        " draw_by_system_call: raw getrandom system call\n", "\nremedy: ", "1 file looked at"})
    EXPECT_TRUE(contains(result.out, part)) << part << " is not in\n" << result.out;
  EXPECT_TRUE(contains("\n" + result.out, place)) << result.out;

  const Result clean = detshim({"scan", LOOKALIKES_PROGRAM});
  EXPECT_EQ(clean.status, 0) << clean.out;
  EXPECT_FALSE(contains(clean.out, "remedy")) << clean.out;
  EXPECT_TRUE(contains(clean.out, "no instruction that draws past a preload was found"))
      << clean.out;

  const Result fixed = detshim({"scan", RAW_DRAWS_PROGRAM "_static"});
  EXPECT_EQ(fixed.status, 3);
  EXPECT_TRUE(contains(fixed.out, RAW_DRAWS_PROGRAM "_static: statically linked")) << fixed.out;
}

TEST_F(DetshimCommand, ScanPrintsOneJsonDocument) {
  const Result result =
      detshim({"scan", "--json", NEEDS_LIBRARY_PROGRAM, RAW_DRAWS_PROGRAM "_static"});
  EXPECT_EQ(result.status, 3);
  const Json document = Json::parse(result.out);
  EXPECT_EQ(document["uncovered"], true);
  std::size_t places = 0;
  for (const Json& file : document["files"]) {
    if (file["left_alone"].is_null())
      places += file["places"].size();
    EXPECT_EQ(file["not_covered"].is_string(), file["file"] == RAW_DRAWS_PROGRAM "_static") << file;
    for (const Json& place : file["places"])
      EXPECT_TRUE(contains(place["at"].get<std::string>(), file["file"].get<std::string>() + "+0x"))
          << place;
  }
  EXPECT_EQ(places, 3U) << result.out;
  EXPECT_EQ(document["missing"], Json::array());
}

TEST_F(DetshimCommand, ScanLooksIntoTheLibrariesThatAProgramNeeds) {
  EXPECT_EQ(detshim({"scan", NEEDS_LIBRARY_PROGRAM}).status, 3);
  EXPECT_EQ(detshim({"scan", "--alone", NEEDS_LIBRARY_PROGRAM}).status, 0);

  std::filesystem::copy_file(NEEDS_LIBRARY_PROGRAM, folder_ / "alone");
  const Result missing = detshim({"scan", "--json", "alone"});
  EXPECT_EQ(missing.status, 0);
  const Json of_missing = Json::parse(missing.out)["missing"];
  ASSERT_EQ(of_missing.size(), 1U) << missing.out;
  EXPECT_EQ(of_missing[0]["library"], "libraw_draws.so");
  EXPECT_EQ(of_missing[0]["needed_by"], "alone");
  EXPECT_TRUE(contains(detshim({"scan", "alone"}).out, "libraw_draws.so"));
  const std::string there = std::filesystem::path(RAW_DRAWS_LIBRARY).parent_path();
  EXPECT_EQ(detshim({"scan", "alone"}, {{"LD_LIBRARY_PATH", "/no/such:" + there}}).status, 3);
  // Beside the program, by $ORIGIN; one for another processor is passed over.
  std::string bytes = contents(RAW_DRAWS_LIBRARY);
  bytes[18] = 40; // EM_ARM
  std::ofstream(folder_ / "libraw_draws.so", std::ios::binary) << bytes;
  EXPECT_EQ(detshim({"scan", "alone"}).status, 0);
  std::filesystem::copy_file(RAW_DRAWS_LIBRARY, folder_ / "libraw_draws.so",
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(detshim({"scan", "alone"}).status, 3);
}

TEST_F(DetshimCommand, ScanNamesTheFileThatItCannotLookAt) {
  expect_one_error_line(detshim({"scan"}), 2, "no file to look at");
  expect_one_error_line(detshim({"scan", "no-such-file"}), 2,
                        "cannot read 'no-such-file': No such file");
  expect_one_error_line(
      detshim({"scan", RAW_DRAWS_PROGRAM, "/etc/passwd"}), 2,
      "'/etc/passwd' is no ELF file, or is cut short; accepted is a 64-bit program");
  expect_one_error_line(detshim({"scan", "--bogus", RAW_DRAWS_PROGRAM}), 2, "--bogus");
  std::ofstream(folder_ / "\x1b[31m") << "x";
  expect_one_error_line(detshim({"scan", "\x1b[31m"}), 2, "'\\x1b[31m' is no ELF file");
}

TEST_F(DetshimCommand, LogLooksIntoTheProgramsAndModulesThatItNames) {
  const auto start = [](const std::string& program) {
    return R"({"t":"start","v":1,"run":"20261121T003512-4711","pid":4711,"rank":0,"path":"0","program":")" +
           program + "\",\"args\":[],\"mode\":\"enforce\",\"policy\":\"fixed\"}\n";
  };
  const std::string modules = R"({"t":"modules","files":[")" + std::string("/gone/library.so") +
                              R"(",")" + RAW_DRAWS_LIBRARY + "\"]}\n";
  const std::string own_modules =
      R"({"t":"modules","files":[")" + std::string(RAW_DRAWS_PROGRAM) + "\"]}\n";
  const std::string place =
      call_line("rand", "pin", R"(,"at":")" + std::string(RAW_DRAWS_LIBRARY) + "+0x11b9\"");
  const std::string pinned = call_line("rand", "pin");
  for (const std::string& lines :
       {start(RAW_DRAWS_PROGRAM) + pinned + own_modules + bare_end_line, // the program
        start("/gone/train") + pinned + modules + bare_end_line,         // what was loaded
        start("/gone/train") + place}) {                                 // killed
    std::filesystem::remove(log_ / "0-0-1.jsonl");
    write("0-0-1.jsonl", lines);
    const Result result = detshim({"log", log_, "--check"});
    EXPECT_EQ(result.status, 3) << result.out;
    EXPECT_TRUE(contains(result.out, "\nuncovered - ")) << result.out;
    const Json document = Json::parse(detshim({"log", log_, "--json"}).out);
    std::multimap<std::string, std::string> places; // function: kind
    for (const Json& found : document["uncovered_code"])
      places.emplace(found["function"], found["kind"]);
    EXPECT_EQ(places.size(), 3U) << document;
    EXPECT_EQ(places.count("draw_by_processor"), 1U) << document;
    EXPECT_EQ(places.count("draw_by_processor_seed"), 1U) << document;
    const auto raw = places.find("draw_by_system_call");
    ASSERT_NE(raw, places.end()) << document;
    EXPECT_EQ(raw->second, "raw getrandom system call");
    EXPECT_NE(reason_of(document, "code")["remedy"], Json()) << document["reasons"];
    EXPECT_EQ(document["scanned_files"], 1U) << document;
    const Json quick = Json::parse(detshim({"log", log_, "--no-scan", "--json"}).out);
    EXPECT_EQ(quick["uncovered_code"].size(), 0U) << quick;
    EXPECT_EQ(quick["verdict"], "unverified") << quick["reasons"];
    const bool is_there = lines.starts_with(start(RAW_DRAWS_PROGRAM));
    EXPECT_EQ(detshim({"log", log_, "--check", "--no-scan"}).status, is_there ? 0 : 3)
        << "the user left the code out";
  }
  std::filesystem::remove(log_ / "0-0-1.jsonl");
  write("0-0-1.jsonl", start(LOOKALIKES_PROGRAM) + pinned + modules.substr(0, modules.find(',')) +
                           "," + "\"files\":[\"/gone/library.so\"]}\n" + bare_end_line);
  const Result clean = detshim({"log", log_, "--check"});
  EXPECT_EQ(clean.status, 3) << clean.out;
  EXPECT_FALSE(contains(clean.out, "uncovered - ")) << clean.out;
  const Json document = Json::parse(detshim({"log", log_, "--json"}).out);
  EXPECT_EQ(document["verdict"], "unverified") << document["reasons"];
  EXPECT_EQ(reason_of(document, "missing_file")["names"], Json::array({"/gone/library.so"}))
      << "what could not be looked into is said: " << document["reasons"];
}

// The log does not say which build ran: the time of its file tells.
TEST_F(DetshimCommand, LogLooksUpNothingInAFileThatIsLaterThanTheLog) {
  const std::filesystem::path program = folder_ / "train";
  std::filesystem::copy_file("/bin/true", program);
  std::string start = start_line();
  const std::string named = "/bin/true";
  start.replace(start.find(named), named.size(), program.string());
  write("0-0-4711.jsonl", start + bare_end_line);
  const auto changed_files = [this] {
    return Json::parse(detshim({"log", "--json", log_.string()}).out)["changed_files"];
  };
  const auto log_time = std::filesystem::last_write_time(log_ / "0-0-4711.jsonl");
  std::filesystem::last_write_time(program, log_time - std::chrono::hours(1));
  EXPECT_EQ(changed_files(), Json::array());
  std::filesystem::last_write_time(program, log_time + std::chrono::hours(1));
  EXPECT_EQ(changed_files(), Json::array({program.string()}));
}

TEST_F(DetshimCommand, LogWithoutRecordsNamesTheScan) {
  expect_one_error_line(detshim({"log", log_}), 2, "`detshim scan program` finds it");
}

TEST_F(DetshimCommand, DescribesTheLibrary) {
  if (!std::filesystem::exists(DETSHIM_LIBRARY))
    GTEST_SKIP() << DETSHIM_LIBRARY << " is not built";
  const Result hooks = detshim({"hooks", "--library", DETSHIM_LIBRARY});
  EXPECT_EQ(hooks.status, 0) << hooks.err;
  EXPECT_TRUE(contains(hooks.out, "libc")) << hooks.out;
  EXPECT_TRUE(contains(hooks.out, "srand")) << hooks.out;
  const Result options = detshim({"options", "--library", DETSHIM_LIBRARY});
  EXPECT_EQ(options.status, 0) << options.err;
  EXPECT_TRUE(options.out.starts_with("DETSHIM_SEED\n"))
      << "in the order of the file: " << options.out;

  const Result hooks_page = detshim({"hooks", "--markdown", "--library", DETSHIM_LIBRARY});
  EXPECT_TRUE(hooks_page.out.starts_with(
      "# Hooks\n\nGenerated by `detshim hooks --markdown`; do not edit.\n"));
  EXPECT_TRUE(contains(hooks_page.out, "\n## libc\n")) << hooks_page.out;
  EXPECT_TRUE(contains(hooks_page.out, "\n- **pin** (`requested` → `effective`): `erand48`, "))
      << hooks_page.out;
  const Result options_page = detshim({"options", "--markdown", "--library", DETSHIM_LIBRARY});
  EXPECT_TRUE(options_page.out.starts_with(
      "# Options\n\nGenerated by `detshim options --markdown`; do not edit.\n"));
  EXPECT_TRUE(contains(options_page.out, "\n| `DETSHIM_SEED` | ")) << options_page.out;
}

TEST_F(DetshimCommand, RefusesALibraryThatIsNone) {
  for (const char* verb : {"hooks", "options"}) {
    expect_one_error_line(detshim({verb, "--library", DETSHIM_COMMAND}), 2, "is no libdetshim.so");
    expect_one_error_line(detshim({verb, "--library", stand_in_library()}), 2,
                          "is no libdetshim.so");
    expect_one_error_line(detshim({verb, "--library", "/no/such.so"}), 2,
                          "--library '/no/such.so'");
    expect_one_error_line(detshim({verb, "--library", folder_}), 2, "is not a file");
  }
}

TEST_F(DetshimCommand, SurvivesADamagedLibrary) {
  if (!std::filesystem::exists(DETSHIM_LIBRARY))
    GTEST_SKIP() << DETSHIM_LIBRARY << " is not built";
  const std::string whole = contents(DETSHIM_LIBRARY);
  std::mt19937 generator(3);
  for (int i = 0; i < 60; ++i) {
    std::string bytes = i % 2 == 0 ? whole : whole.substr(0, generator() % whole.size());
    for (int j = 0; j < 4 && !bytes.empty(); ++j)
      bytes[generator() % std::min<std::size_t>(bytes.size(), 64)] = static_cast<char>(generator());
    for (int j = 0; j < 200 && !bytes.empty(); ++j)
      bytes[bytes.size() - 1 - generator() % std::min<std::size_t>(bytes.size(), 4096)] =
          static_cast<char>(generator());
    std::ofstream(folder_ / "damaged.so", std::ios::binary) << bytes;
    const Result result = detshim({"hooks", "--library", folder_ / "damaged.so"});
    EXPECT_TRUE(result.status == 0 || result.status == 2) << result.status;
    EXPECT_TRUE(std::ranges::all_of(result.out, [](char c) {
      return c == '\n' || static_cast<unsigned char>(c) >= ' ';
    }));
  }
}

} // namespace
