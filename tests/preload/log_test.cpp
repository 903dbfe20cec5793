// The log that a run leaves: what docs/LOG_FORMAT.md promises, and that it stays out of the
// program's way.
#include "files.h"
#include "log_files.h"
#include "report/verdict_texts.h"
#include "run.h"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const std::string snippet_folder = SNIPPET_FOLDER "/";
const std::string counted = COUNTED_PROGRAM;
const Environment seed_42 = {{"DETSHIM_SEED", "42"}};

Environment loud(Environment environment = seed_42) {
  environment["DETSHIM_QUIET"] = "0";
  return environment;
}

mode_t mode_of(const fs::path& path) {
  struct stat info = {};
  EXPECT_EQ(lstat(path.c_str(), &info), 0) << path;
  return info.st_mode & 07777;
}

std::string content(const fs::path& file) {
  std::ifstream stream{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{stream}, {}};
}

/// What the schema does not say of a process's records.
void expect_documented(const ProcessLog& log) {
  ASSERT_FALSE(log.records.empty());
  EXPECT_EQ(log.records[0]["t"], "start") << log.name;
  std::map<std::string, uint64_t> last_number;
  for (const json& record : log.records) {
    const std::string type = record["t"];
    for (const json& frame : record.value("frames", json::array()))
      EXPECT_NE(frame.get<std::string>().find("+0x"), std::string::npos) << record;
    if (type == "call" || type == "digest") { // each thread numbers its own records
      uint64_t& last = last_number[record["thread"]];
      EXPECT_GT(record["n"].get<uint64_t>(), last) << record;
      last = record["n"];
    }
    if (record.contains("c")) {
      EXPECT_LT(record["c"].get<size_t>(), log.counts.size()) << record;
    }
    if (type == "modules") {
      EXPECT_EQ(record["files"].size(), record["builds"].size()) << record;
      for (const json& file : record["files"])
        EXPECT_EQ(file.get<std::string>().substr(0, 1), "/") << record;
    } else if (type == "digest") {
      EXPECT_NE(record.contains("digest"), record.contains("unread")) << record;
    } else if (type == "end") {
      EXPECT_EQ(record, log.records.back()) << "the last record";
    }
  }
}

/// All lines of the folder's records against docs/schemas/log-record.schema.json.
void expect_of_schema(const fs::path& folder) {
  std::vector<std::string> command = {"python3", DETSHIM_SOURCE "/tests/schemas/validate.py",
                                      DETSHIM_SOURCE "/docs/schemas/log-record.schema.json"};
  for (const auto& entry : fs::directory_iterator{folder})
    if (entry.path().extension() == ".jsonl" || entry.path().extension() == ".ranks")
      command.push_back(entry.path());
  const Result result = run(command);
  EXPECT_EQ(result.status, 0) << result.err;
}

TEST(Log, IsAsDocumentedAndPrivate) {
  const TemporaryFolder scratch;
  const std::string both = snippet_folder + "rand plain; " + snippet_folder + "urandom_dup thread";
  EXPECT_EQ(run({"sh", "-c", both}, under_shim(scratch, seed_42)).status, 0);

  EXPECT_EQ(mode_of(scratch.log()), 0700u);
  for (const auto& entry : fs::directory_iterator{scratch.log()}) {
    EXPECT_TRUE(fs::is_regular_file(entry.symlink_status())) << entry;
    EXPECT_EQ(mode_of(entry), 0600u) << entry;
  }
  expect_of_schema(scratch.log());
  const std::vector<ProcessLog> logs = read_log(scratch.log());
  EXPECT_EQ(logs.size(), 3u)
      << "sh draws nothing, but what it read may have gone into their numbers";
  std::set<std::string> runs, paths;
  std::set<uint64_t> beginnings;
  for (const ProcessLog& log : logs) {
    expect_documented(log);
    EXPECT_EQ(log.records.back()["t"], "end");
    const json& start = log.records[0];
    EXPECT_EQ(start["mode"], "enforce");
    EXPECT_EQ(start["seed"], "42");
    EXPECT_EQ(start["seed_from"], "DETSHIM_SEED");
    EXPECT_EQ(log.name, "0-" + start["path"].get<std::string>() + "-" +
                            std::to_string(start["pid"].get<int>()));
    runs.insert(start["run"]);
    beginnings.insert(start["begun"].get<uint64_t>());
    paths.insert(start["path"]);
  }
  EXPECT_EQ(runs.size(), 1u);
  EXPECT_EQ(beginnings.size(), 1u);
  EXPECT_EQ(paths.size(), 3u);
}

/// Of the machine's clock: a child's lie within those of the parent that waits for it.
TEST(Log, SaysWhenAProcessBeganAndEnded) {
  const TemporaryFolder scratch;
  const std::string draws = "import random; random.random()";
  run({"/usr/bin/python3", "-c",
       draws + "; import os; os.fork() or (random.random(), os._exit(0)); os.wait()"},
      under_shim(scratch, seed_42));
  std::map<std::string, std::pair<uint64_t, uint64_t>> times;
  for (const ProcessLog& log : read_log(scratch.log())) {
    const auto time_of = [](const json& record) {
      return std::stoull(record["time"].get<std::string>());
    };
    times[log.records.front()["path"]] = {
        time_of(log.records.front()),
        log.records.back()["t"] == "end" ? time_of(log.records.back()) : 0};
  }
  ASSERT_EQ(times.size(), 1u + times.count("0.1"));
  EXPECT_LT(times["0"].first, times["0"].second);
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  EXPECT_LE(times["0"].second, uint64_t(now.tv_sec) * 1'000'000'000 + uint64_t(now.tv_nsec));
  if (times.contains("0.1")) {
    EXPECT_GE(times["0.1"].first, times["0"].first);
  }
}

TEST(Log, KnowsAProgramsVariablesByTheirHashes) {
  const auto variables_of = [](const std::string& value) {
    const TemporaryFolder scratch;
    run({snippet_folder + "rand", "plain"},
        under_shim(scratch,
                   {{"DETSHIM_SEED", "42"}, {"SOME_VARIABLE", value}, {"MY_API_KEY", value}}));
    json all = json::object();
    for (const ProcessLog& log : read_log(scratch.log()))
      for (const json& record : log.records)
        if (record["t"] == "variables")
          all.update(record["hashes"]);
    return all;
  };
  const json one = variables_of("one"), two = variables_of("two");
  ASSERT_TRUE(one.contains("SOME_VARIABLE") && two.contains("SOME_VARIABLE")) << one;
  EXPECT_NE(one["SOME_VARIABLE"], two["SOME_VARIABLE"]);
  EXPECT_EQ(one["SOME_VARIABLE"], variables_of("one")["SOME_VARIABLE"]);
  EXPECT_EQ(one["SOME_VARIABLE"].get<std::string>().size(), 8u);
  EXPECT_EQ(one["MY_API_KEY"], "") << "a hash of a short secret can be searched for";
  EXPECT_FALSE(one.contains("LD_PRELOAD") || one.contains("DETSHIM_SEED")) << one;
}

TEST(Log, SaysWhatWasAskedAndGiven) {
  const TemporaryFolder scratch;
  run({RESEED_PROGRAM, "1", "8"}, under_shim(scratch, seed_42));
  const std::vector<ProcessLog> logs = read_log(scratch.log());
  ASSERT_EQ(logs.size(), 1u);
  const std::vector<json> calls = logs[0].calls("srand");
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0]["do"], "pin");
  EXPECT_EQ(calls[0]["requested"], "1");
  EXPECT_EQ(calls[0]["effective"], "1");
  EXPECT_EQ(calls[1]["requested"], "8");
  EXPECT_EQ(calls[0]["lib"], "libc");
  EXPECT_EQ(calls[0]["thread"], "0");
  EXPECT_EQ(calls[0]["at"].get<std::string>().find(RESEED_PROGRAM "+0x"), 0u) << calls[0];
}

TEST(Log, IsTheSameInTwoRuns) {
  std::vector<std::vector<json>> calls;
  for (int i = 0; i < 2; ++i) {
    const TemporaryFolder scratch;
    run({snippet_folder + "urandom_dup", "plain"}, under_shim(scratch, seed_42));
    const std::vector<ProcessLog> logs = read_log(scratch.log());
    ASSERT_EQ(logs.size(), 1u);
    calls.push_back(logs[0].calls());
  }
  EXPECT_EQ(calls[0], calls[1]);
}

void expect_counts_of_counted(const TemporaryFolder& scratch, bool ends) {
  const std::vector<ProcessLog> logs = read_log(scratch.log());
  ASSERT_EQ(logs.size(), 1u);
  const ProcessLog& log = logs[0];
  expect_documented(log);
  EXPECT_EQ(log.records.back()["t"] == "end", ends);

  std::map<std::string, std::vector<uint64_t>> of_rand, of_getrandom;
  for (const json& call : log.calls("rand"))
    of_rand[call["thread"]].push_back(log.count(call));
  for (const json& call : log.calls("getrandom"))
    of_getrandom[call["thread"]].push_back(log.count(call));
  EXPECT_EQ(of_rand.size(), 3u);
  EXPECT_EQ(of_getrandom.size(), 3u);
  EXPECT_TRUE(of_rand.contains("0"));
  const auto expect = [&](const std::vector<uint64_t>& counts, const std::vector<uint64_t>& drawn) {
    ASSERT_EQ(counts.size(), drawn.size());
    for (size_t i = 0; i < drawn.size(); ++i) {
      EXPECT_LE(counts[i], drawn[i]);
      EXPECT_GE(counts[i] * (ends ? 1 : 33), drawn[i] * (ends ? 1 : 32));
    }
  };
  for (const auto& [thread, counts] : of_rand) {
    expect(counts, {60000, 40000});
    expect(of_getrandom[thread], {1000});
  }

  if (ends) {
    EXPECT_EQ(log.records.back()["counts"]["pin"], 303000);
  }
}

TEST(Counts, AreTheNumbersOfCalls) {
  const TemporaryFolder scratch;
  EXPECT_EQ(run({counted}, under_shim(scratch, seed_42)).status, 0);
  expect_counts_of_counted(scratch, true);
}

TEST(Counts, SurviveSigkill) {
  const TemporaryFolder scratch;
  const Result result = run({counted, "kill"}, under_shim(scratch, seed_42));
  EXPECT_EQ(result.status, 128 + 9);
  EXPECT_EQ(result.out, "done\n");
  expect_counts_of_counted(scratch, false);
}

TEST(LogFolder, IsNotMadeForAProgramThatDrawsNothing) {
  for (const Environment& environment :
       {Environment{}, seed_42, Environment{{"DETSHIM_MODE", "observe"}}}) {
    const TemporaryFolder scratch;
    const Result result =
        run({"/bin/true"}, under_shim(scratch, loud(environment)), scratch.path());
    EXPECT_EQ(result, (Result{0, "", ""}));
    EXPECT_TRUE(fs::is_empty(scratch.path()));
  }
}

TEST(LogFolder, IsByDefaultInTheWorkingDirectory) {
  const TemporaryFolder scratch;
  Environment environment = under_shim(scratch, seed_42);
  environment.erase("DETSHIM_LOG");
  EXPECT_EQ(run({snippet_folder + "getrandom", "plain"}, environment, scratch.path()).status, 0);

  const fs::path latest = scratch.path() / "detshim-log" / "latest";
  ASSERT_TRUE(fs::is_symlink(latest));
  const std::vector<ProcessLog> logs = read_log(latest);
  ASSERT_EQ(logs.size(), 1u);
  EXPECT_EQ(fs::canonical(latest).filename(), logs[0].records[0]["run"].get<std::string>());
  EXPECT_EQ(mode_of(fs::canonical(latest)), 0700u);
  std::stringstream ignored;
  ignored << std::ifstream(latest.parent_path() / ".gitignore").rdbuf();
  EXPECT_EQ(ignored.str(), "*\n");
}

TEST(LogFolder, MayBeRelativeToTheFirstProcess) {
  const TemporaryFolder scratch;
  const std::string snippet = snippet_folder + "getrandom plain";
  const Result result =
      run({"sh", "-c", snippet + "; cd /; " + snippet},
          under_shim(scratch, {{"DETSHIM_SEED", "42"}, {"DETSHIM_LOG", "here"}}), scratch.path());
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(read_log(scratch.path() / "here").size(), 3u) << "sh has one too";
}

/// What `counted` gives, with the library and without.
const Result done = {0, "done\n", ""};

TEST(LogFolder, ThatIsALinkIsNotFollowed) {
  const TemporaryFolder scratch;
  const fs::path target = scratch.path() / "target";
  fs::create_directory(target);
  fs::permissions(target, fs::perms::owner_all);
  fs::create_directory_symlink(target, scratch.log());
  EXPECT_EQ(run({counted}, under_shim(scratch, seed_42)), done);
  EXPECT_TRUE(fs::is_empty(target));
}

TEST(LogFile, ThatIsALinkIsNotFollowed) {
  for (const char* ending : {"jsonl", "counts"}) {
    const TemporaryFolder scratch;
    const fs::path victim = scratch.path() / "victim";
    std::ofstream{victim} << "precious";
    fs::create_directory(scratch.log());
    fs::permissions(scratch.log(), fs::perms::owner_all);
    // The process id is known only inside, so sh lays the link and then becomes the program.
    Environment environment = under_shim(scratch, seed_42);
    environment["PRELOAD"] = environment["LD_PRELOAD"];
    environment.erase("LD_PRELOAD");
    environment["PROGRAM"] = counted;
    environment["LINK"] = scratch.log() / "0-0-";
    const std::string script = "ln -s ../victim \"$LINK$$." + std::string{ending} +
                               "\" && LD_PRELOAD=$PRELOAD exec \"$PROGRAM\"";
    EXPECT_EQ(run({"sh", "-c", script}, environment), done);
    EXPECT_EQ(content(victim), "precious") << ending;
  }
}

TEST(LogFolder, ThatCannotBeWrittenLeavesTheProgramAlone) {
  const TemporaryFolder scratch;
  std::ofstream{scratch.path() / "file"} << "in the way";
  const fs::path read_only = scratch.path() / "read-only";
  fs::create_directory(read_only);
  fs::permissions(read_only, fs::perms::owner_read | fs::perms::owner_exec);
  for (const fs::path& log : {scratch.path() / "file", scratch.path() / "file" / "log",
                              fs::path{"/proc/log"}, fs::path{"/dev/full"}, read_only / "log"}) {
    Environment environment = seed_42;
    environment["DETSHIM_LOG"] = log;
    EXPECT_EQ(run({counted}, under_shim(scratch, environment)), done) << log;
  }
  EXPECT_EQ(content(scratch.path() / "file"), "in the way");
}

TEST(Log, HasAHashOfArgumentsThatAreCutUnlessTheyMayHoldASecret) {
  const auto hash_of = [](const std::vector<std::string>& arguments) {
    const TemporaryFolder scratch;
    std::vector<std::string> command = {counted};
    command.insert(command.end(), arguments.begin(), arguments.end());
    run(command, under_shim(scratch, seed_42));
    const std::vector<ProcessLog> logs = read_log(scratch.log());
    const json start = logs.empty() ? json() : logs[0].records[0];
    return start.contains("args_cut") ? start.value("args_hash", "hidden") : "";
  };
  EXPECT_EQ(hash_of({"short"}), "");
  const std::string one(401, 'a');
  EXPECT_NE(hash_of({one}), hash_of({one + "b"}));
  EXPECT_EQ(hash_of({one}), hash_of({one}));
  std::vector<std::string> many(1000, "word"), others = many;
  others.back() = "last";
  EXPECT_EQ(hash_of(many).size(), 16U);
  EXPECT_NE(hash_of(many), hash_of(others));
  EXPECT_EQ(hash_of({one, "--token=abc"}), "hidden");
  others.back() = "--token=abc";
  EXPECT_EQ(hash_of(others), "hidden");
}

TEST(Arguments, OfAProgramThatIsNotReachedHaveNoDrawnParts) {
  const TemporaryFolder scratch;
  std::ofstream(scratch.path() / "empty.c") << "int main(void) { return 0; }\n";
  if (run({"gcc", "-static", "-o", "empty", "empty.c"}, {}, scratch.path()).status != 0)
    GTEST_SKIP() << "no static libc";
  const std::string drawn = "Zk3J9xQ2mV7bT5rW8pL1nC4yH6gF0dSa";
  EXPECT_EQ(
      run(detshim_run(scratch, {"--quiet"}, {"./empty", "x=" + drawn, "plain"}), {}, scratch.path())
          .status,
      0);
  std::string text;
  for (const auto& file : std::filesystem::recursive_directory_iterator(scratch.log()))
    if (file.is_regular_file())
      text += contents(file.path());
  EXPECT_NE(text.find("plain"), std::string::npos) << text;
  EXPECT_EQ(text.find(drawn), std::string::npos) << text;
}

TEST(Arguments, ThatAreSecretsAreHidden) {
  const TemporaryFolder scratch;
  const std::vector<std::string> arguments = {"--token=abc1",
                                              "--password",
                                              "abc2",
                                              "--api-key=abc3",
                                              "--epochs=5",
                                              "--name",
                                              "Anna",
                                              "--api_key=abc4",
                                              "WANDB_API_KEY=abc5",
                                              "--OPENAI_API_KEY",
                                              "abc6",
                                              "--wandb-key=abc7",
                                              "-H",
                                              "Authorization: Bearer abc8",
                                              "{\"token\":\"abc9\"}",
                                              "https://user:abc10@example.org/",
                                              "hf_abcdefghijklmnopqrst",
                                              "x=sk-abc4567890abc4567890",
                                              "eyJabc4567890.eyJabc4567890.abc",
                                              "--model=sk-learn",
                                              "token_classifier.py"};
  std::vector<std::string> command = {counted};
  command.insert(command.end(), arguments.begin(), arguments.end());
  EXPECT_EQ(run(command, under_shim(scratch, seed_42)), done);

  const std::vector<ProcessLog> logs = read_log(scratch.log());
  ASSERT_EQ(logs.size(), 1u);
  const std::vector<std::string> expected = {counted,
                                             "--token=<hidden>",
                                             "--password",
                                             "<hidden>",
                                             "--api-key=<hidden>",
                                             "--epochs=5",
                                             "--name",
                                             "Anna",
                                             "--api_key=<hidden>",
                                             "WANDB_API_KEY=<hidden>",
                                             "--OPENAI_API_KEY",
                                             "<hidden>",
                                             "--wandb-key=<hidden>",
                                             "-H",
                                             "Authorization:<hidden>",
                                             "{\"token\":<hidden>",
                                             "<hidden>",
                                             "<hidden>",
                                             "<hidden>",
                                             "<hidden>",
                                             "--model=sk-learn",
                                             "token_classifier.py"};
  EXPECT_EQ(logs[0].records[0]["args"], expected);
  for (const auto& entry : fs::directory_iterator{scratch.log()})
    EXPECT_EQ(content(entry).find("abc"), std::string::npos) << entry;
}

TEST(ClosingLine, IsOneForTheWholeRun) {
  const std::string snippet = snippet_folder + "getrandom";
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{snippet, "plain"},
        {snippet, "fork"},
        {"sh", "-c", snippet + " plain; " + snippet + " fork; exec " + snippet + " plain"}}) {
    const TemporaryFolder scratch;
    const Result result = run(command, under_shim(scratch, loud()));
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(lines(result.err).size(), 1u) << testing::PrintToString(command) << "\n"
                                            << result.err;
    EXPECT_NE(result.err.find(scratch.log().string()), std::string::npos)
        << "it names the folder:\n"
        << result.err;
  }
}

TEST(ClosingLine, IsOfThisRunAloneWhenTheFolderHoldsAnother) {
  const TemporaryFolder scratch;
  const std::vector<std::string> command = {snippet_folder + "getrandom", "plain"};
  const std::string first = run(command, under_shim(scratch, loud())).err;
  EXPECT_FALSE(first.empty());
  EXPECT_EQ(run(command, under_shim(scratch, loud())).err, first);
}

TEST(ClosingLine, IsSilencedByQuiet) {
  const TemporaryFolder scratch;
  EXPECT_EQ(run({counted}, under_shim(scratch, seed_42)).err, "");
}

// timeout closes stderr before it ends, and it is the first process of the run.
TEST(ClosingLine, OutlivesAWrapperThatClosesStderr) {
  const TemporaryFolder scratch;
  const Result result =
      run({"timeout", "60", snippet_folder + "getrandom", "plain"}, under_shim(scratch, loud()));
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(lines(result.err).size(), 1u) << result.err;
}

/// The variables that the log says are set.
std::set<std::string> settings_of(const std::vector<std::string>& command) {
  const TemporaryFolder scratch;
  EXPECT_EQ(run(command, under_shim(scratch, seed_42)).status, 0);
  std::set<std::string> names;
  for (const ProcessLog& process : read_log(scratch.log()))
    for (const json& record : process.records)
      for (const json& change : record.value("env", json::array()))
        names.insert(change["name"]);
  return names;
}

TEST(Settings, OfAWrapperWithoutALogAreInThatOfItsProgram) {
  const std::vector<std::string> command = {snippet_folder + "getrandom", "plain"};
  std::set<std::string> plain = settings_of(command);
  EXPECT_GT(plain.size(), 10u);
  plain.erase("PYTHONHASHSEED"); // whose it is cannot be told
  for (const std::vector<std::string>& wrapper :
       {std::vector<std::string>{"nice"}, {"timeout", "60"}, {"env", "A=1"}}) {
    std::vector<std::string> wrapped = wrapper;
    wrapped.insert(wrapped.end(), command.begin(), command.end());
    std::set<std::string> settings = settings_of(wrapped);
    settings.erase("PYTHONHASHSEED");
    EXPECT_EQ(settings, plain) << wrapper[0];
  }
}

/// What `detshim log` says of a Python program.
json judged(const std::string& code, const std::vector<std::string>& more = {},
            const Environment& environment = seed_42) {
  const TemporaryFolder scratch;
  const std::string file = (scratch.path() / "t.py").string();
  std::ofstream(file) << code;
  std::vector<std::string> command = {"/usr/bin/python3", file};
  command.insert(command.end(), more.begin(), more.end());
  const Result result = run(command, under_shim(scratch, environment));
  EXPECT_EQ(result.status, 0) << result.err;
  return json::parse(
      run({DETSHIM_COMMAND, "log", scratch.log().string(), "--json", "--no-scan"}).out);
}

/// But those that name what the program's own lines do: the programs here fork and ask for ids.
std::set<std::string> kinds_of(const json& document) {
  std::set<std::string> kinds;
  for (const json& reason : document["reasons"])
    kinds.insert(reason["kind"]);
  for (const char* of_lines : {"not_decoded", "clock", "input", "processes", "threads"})
    kinds.erase(of_lines);
  return kinds;
}

/// What the reason of that kind says; empty where there is none.
std::string text_of(const json& document, const std::string& kind) {
  for (const json& reason : document["reasons"])
    if (reason["kind"] == kind)
      return reason.dump();
  return "";
}

using detshim::Finding;

/// True if the verdict has that reason, with those values.
bool has_reason(const json& document, const detshim::VerdictReason& wanted) {
  return std::ranges::any_of(document["reasons"], [&](const json& reason) {
    return reason["kind"] == wanted.kind() && reason["text"] == detshim::reason_text(wanted);
  });
}

// ---- The counts file ----

/// Draws as often from one place, and then does that.
nlohmann::json log_of_draws(const TemporaryFolder& scratch, int times, const std::string& then,
                            std::string& said) {
  said = run({"/usr/bin/python3", "-c",
              "import os, signal\nfor i in range(" + std::to_string(times) + "): os.urandom(4)\n" +
                  then},
             under_shim(scratch, {{"DETSHIM_SEED", "42"}, {"DETSHIM_QUIET", "0"}}))
             .err;
  return nlohmann::json::parse(
      run({DETSHIM_COMMAND, "log", scratch.log().string(), "--json", "--no-scan"}).out);
}

uint64_t pinned(const nlohmann::json& document) { return document.at("totals").at("pin"); }

TEST(CountsFile, HasEachCallWhateverEndsTheProcess) {
  for (const std::string then : {"", "os.kill(os.getpid(), signal.SIGKILL)\n", "os._exit(0)\n"})
    for (const int times : {1, 2, 5}) {
      const TemporaryFolder scratch;
      std::string said;
      const nlohmann::json document = log_of_draws(scratch, times, then, said);
      EXPECT_EQ(pinned(document), static_cast<uint64_t>(times)) << then << document;
      if (then.empty()) {
        EXPECT_EQ(closing_counts(said), (ClosingCounts{static_cast<uint64_t>(times), 1})) << said;
      }
    }
}

TEST(CountsFile, HasThoseOfAProgramThatIsExecutedAndOfChildren) {
  for (const std::string then :
       {"os.execv('/usr/bin/python3', ['python3', '-c', 'import os; os.urandom(4)'])\n",
        "if os.fork(): os.wait()\nelse: os.urandom(4); os._exit(0)\n"}) {
    const TemporaryFolder scratch;
    std::string said;
    const nlohmann::json document = log_of_draws(scratch, 1, then, said);
    EXPECT_EQ(pinned(document), 2u) << then << document;
  }
}

// ---- `detshim run` leaves a log, whatever happened ----

/// `detshim run` in the folder, without its notes.
Result run_in(const TemporaryFolder& scratch, const std::vector<std::string>& program,
              const Environment& environment = {}) {
  std::vector<std::string> command = {DETSHIM_COMMAND, "run",       "--seed",        "42",
                                      "--quiet",       "--library", DETSHIM_LIBRARY, "--"};
  command.insert(command.end(), program.begin(), program.end());
  return run(command, environment, scratch.path());
}

TEST(RunWithoutADraw, IsTheNewestInTheLog) {
  const TemporaryFolder scratch;
  ASSERT_EQ(run_in(scratch, {"/usr/bin/od", "-An", "-N4", "/dev/urandom"}).status, 0);
  const auto log = [&](const std::vector<std::string>& more) {
    std::vector<std::string> command = {DETSHIM_COMMAND, "log"};
    command.insert(command.end(), more.begin(), more.end());
    return run(command, {}, scratch.path());
  };
  const auto program = [&] {
    return json::parse(log({"--json"}).out)["programs"][0]["program"].get<std::string>();
  };
  EXPECT_TRUE(program().ends_with("/bin/od")) << program();
  ASSERT_EQ(run_in(scratch, {"/bin/true"}).status, 0);
  EXPECT_TRUE(program().ends_with("/bin/true")) << program();
  EXPECT_EQ(kinds_of(json::parse(log({"--json"}).out)), std::set<std::string>{"no_draw"});
  EXPECT_EQ(log({"--check"}).status, 3);
  EXPECT_EQ(log({"--check", "--accept", "no_draw"}).status, 0);
}

// A run before it must not stand for it, wherever that has its log.
TEST(RunWithoutADraw, ThatIsKilledHasNoEnd) {
  for (const std::string folder : {"", "both"}) {
    const TemporaryFolder scratch;
    const Environment where = folder.empty() ? Environment() : Environment{{"DETSHIM_LOG", folder}};
    ASSERT_EQ(run_in(scratch, {"/usr/bin/od", "-An", "-N4", "/dev/urandom"}, where).status, 0);
    run_in(scratch, {"/bin/sh", "-c", "/bin/true; kill -9 $$"}, where);
    std::vector<std::string> command = {DETSHIM_COMMAND, "log", "--check", "--json"};
    if (!folder.empty())
      command.push_back(folder);
    const Result log = run(command, {}, scratch.path());
    EXPECT_EQ(log.status, 3) << log.out << log.err;
    const json document = json::parse(log.out);
    for (const json& program : document["programs"])
      EXPECT_FALSE(program["program"].get<std::string>().ends_with("/od")) << program;
    EXPECT_TRUE(kinds_of(document).contains("no_end")) << document["reasons"];
  }
}

// Each of them could have written it: the one that all came from does.
TEST(RunWithoutADraw, HasOneFileForAllItsProcesses) {
  for (const std::string script : {"/bin/true; /bin/true; :", "/bin/true & wait; exec /bin/true",
                                   "exec env nice sh -c '/bin/true; exit 0'", "(exit 0); exit 0"}) {
    const TemporaryFolder scratch;
    EXPECT_EQ(run_in(scratch, {"/bin/sh", "-c", script}).status, 0);
    size_t files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(scratch.path() / "detshim-log"))
      files += entry.path().extension() == ".jsonl" && !entry.is_symlink() ? 1 : 0;
    EXPECT_EQ(files, 1u) << script;
  }
}

TEST(RunWithoutADraw, NamesTheClockThatSeedsAnEngine) {
  const TemporaryFolder scratch;
  std::ofstream(scratch.path() / "late.cpp") << contents(PROGRAMS "engine_of_a_clock.cpp");
  const Result built = run({"g++", "-g", "-o", "late", "late.cpp"}, {}, scratch.path());
  ASSERT_EQ(built.status, 0) << built.err;
  const std::string program = (scratch.path() / "late").string();
  EXPECT_NE(run_in(scratch, {program}).out, run_in(scratch, {program}).out);
  const Result log = run({DETSHIM_COMMAND, "log", "--json"}, {}, scratch.path());
  EXPECT_TRUE(
      has_reason(json::parse(log.out), {.finding = Finding::clock_read, .names = {"late.cpp:5"}}))
      << log.out;
}

// A worker that its parent ends has ended: no record of its own reports it.
TEST(Killed, ByItsParentIsAnEnd) {
  const std::string killed = PROGRAMS "child_that_is_killed.py";
  for (const char* signal : {"SIGTERM", "SIGKILL"})
    EXPECT_EQ(kinds_of(judged(section(killed, "by_its_parent"), {signal})), std::set<std::string>{})
        << signal;
  EXPECT_EQ(kinds_of(judged(section(killed, "by_itself"))), std::set<std::string>{"no_end"});
}

// Then it cannot say what it has loaded: its parent does.
TEST(Killed, ByItsParentHasItsLibrariesNamed) {
  const std::string text = section(PROGRAMS "child_that_is_killed.py", "by_its_parent");
  const auto copies_of = [&](const char* signal) {
    const TemporaryFolder scratch;
    EXPECT_EQ(run({"/usr/bin/python3", "-c", text, signal}, under_shim(scratch, seed_42)).status,
              0);
    int copies = 0;
    for (const ProcessLog& log : read_log(scratch.log()))
      for (const json& record : log.records)
        for (const json& file : record.value("files", json::array()))
          copies += file.get<std::string>().find("/_decimal.") != std::string::npos ? 1 : 0;
    return copies;
  };
  EXPECT_EQ(copies_of("SIGTERM"), 1);
  EXPECT_EQ(copies_of("SIGKILL"), 1);
}

// ---- A process that turns into another program ----

/// Kinds of reasons about a program that has drawn, and then does that; `made` gets the processes
/// that have logs.
std::set<std::string> kinds_after_drawing(const std::string& then,
                                          std::vector<ProcessLog>* made = nullptr) {
  const TemporaryFolder scratch;
  const std::string code = contents(PROGRAMS "draws_and_turns_into_another.py");
  run({"/usr/bin/python3", "-c", code + then}, under_shim(scratch, seed_42));
  if (made != nullptr)
    *made = read_log(scratch.log());
  return kinds_of(json::parse(
      run({DETSHIM_COMMAND, "log", scratch.log().string(), "--json", "--no-scan"}).out));
}

using Kinds = std::set<std::string>;

// What draws nothing has a log of its end: that the process has gone on as such a program stands in
// its own.
TEST(Executed, ProgramsThatDrawNothingAreAnEnd) {
  for (const std::string then :
       {"os.execv('/bin/true', ['true'])", "os.execvp('true', ['true'])",
        "os.execve(os.open('/bin/true', os.O_RDONLY), ['true'], os.environ)",
        "os.execv('/bin/sh', ['sh', '-c', 'exec env true'])",
        "libc.execl(b'/bin/true', b'true', None)", "libc.execlp(b'true', b'true', None)",
        "libc.execveat(-100, b'/bin/true', texts(b'true'), ctypes.c_void_p.in_dll(libc, "
        "'environ'), 0)",
        "t = threading.Thread(target=os.execv, args=('/bin/true', ['true'])); t.start(); t.join()",
        "if os.fork() == 0: os.urandom(4); os.execv('/bin/true', ['true'])\nos.wait()"}) {
    std::vector<ProcessLog> made;
    EXPECT_EQ(kinds_after_drawing(then, &made), Kinds{}) << then;
    size_t executed = 0;
    for (const ProcessLog& process : made)
      for (const json& record : process.records)
        if (record["t"] == "exec") {
          ++executed;
          EXPECT_FALSE(record.value("program", "").empty())
              << then << record; // none of files not there
        }
    EXPECT_EQ(executed, 1u) << then;
  }
}

// Of what it was before, and of itself, such a program has nothing to say until then.
TEST(Executed, ProgramsThatAreKilledHaveNoEnd) {
  const std::string start = "os.execv('/bin/sh', ['sh', '-c', '''";
  for (const std::string script :
       {"kill -9 $$", "exec env sh -c \"kill -9 \\$\\$\"", "/bin/true; kill -9 $$"})
    EXPECT_TRUE(kinds_after_drawing(start + script + "'''])").contains("no_end")) << script;
  for (const std::string script :
       {"/bin/true; exit 0", "exec env true", "DETSHIM_MODE=off exec true"})
    EXPECT_EQ(kinds_after_drawing(start + script + "'''])"), Kinds{}) << script;
  EXPECT_EQ(
      kinds_after_drawing("os.environ['DETSHIM_MODE'] = 'off'\nos.execv('/bin/true', ['true'])"),
      Kinds{});
}

TEST(Executed, BySystemCallIsAnEndToo) {
  const std::string arguments =
      ", b'/bin/true', texts(b'true'), ctypes.c_void_p.in_dll(libc, 'environ')";
  EXPECT_EQ(kinds_after_drawing("libc.syscall(" + std::to_string(SYS_execve) + arguments + ")"),
            Kinds{});
  EXPECT_EQ(kinds_after_drawing("libc.syscall(" + std::to_string(SYS_execveat) + ", -100" +
                                arguments + ", 0)"),
            Kinds{});
}

TEST(Executed, ProgramsThatDrawHaveLogsOfTheirOwn) {
  std::vector<ProcessLog> made;
  EXPECT_EQ(
      kinds_after_drawing(
          "os.execv('/usr/bin/python3', ['python3', '-c', 'import os; os.urandom(4)'])", &made),
      Kinds{});
  ASSERT_EQ(made.size(), 2u);
  for (const ProcessLog& process : made)
    EXPECT_EQ(process.calls("getrandom").size(), 1u);
}

TEST(Executed, NamesTheClocksThatWereReadBefore) {
  const TemporaryFolder scratch;
  const std::string program = (scratch.path() / "clock").string();
  std::ofstream(program + ".cpp") << contents(PROGRAMS "clock_and_exec.cpp");
  const Result built = run({"g++", "-o", program, program + ".cpp"});
  ASSERT_EQ(built.status, 0) << built.err;
  const auto names_clock = [&](std::vector<std::string> steps) {
    steps.insert(steps.begin(), program);
    const TemporaryFolder logs;
    EXPECT_EQ(run(steps, under_shim(logs, seed_42)).status, 0);
    const std::string log =
        run({DETSHIM_COMMAND, "log", logs.log().string(), "--json", "--no-scan"}).out;
    const json reasons =
        log.empty() ? json::array() : json::parse(log)["reasons"]; // empty: nothing to log
    return std::ranges::any_of(reasons, [](const json& reason) {
      return reason["kind"] == "clock";
    });
  };
  EXPECT_TRUE(names_clock({"clock", "/bin/true"}));
  EXPECT_TRUE(names_clock({"/nowhere", "clock"}));
  EXPECT_FALSE(names_clock({"/nowhere", "/bin/true"}));
}

// The files that it had loaded are looked into as those of one that ended.
TEST(Executed, SaysWhatWasLoaded) {
  std::vector<ProcessLog> made;
  kinds_after_drawing("os.execv('/bin/true', ['true'])", &made);
  ASSERT_EQ(made.size(), 2u);
  const std::vector<json>& records = made[0].records;
  ASSERT_GE(records.size(), 2u);
  EXPECT_EQ(records.back()["t"], "exec");
  EXPECT_EQ(records.back()["program"], "/bin/true");
  EXPECT_EQ(records[records.size() - 2]["t"], "modules");
}

TEST(Executed, WithoutSuccessIsNoEnd) {
  for (const std::string attempt :
       {"os.execv('/nowhere', ['nowhere'])", "os.execv('/etc', ['nowhere'])",
        "libc.execlp(b'nowhere', b'nowhere', None); raise OSError"}) {
    const std::string then = "try: " + attempt + "\nexcept OSError: ";
    EXPECT_EQ(kinds_after_drawing(then + "kill()"), Kinds{"no_end"}) << attempt;
    EXPECT_EQ(kinds_after_drawing(then + "pass"), Kinds{}) << attempt;
  }
  const std::string raw =
      "libc.syscall(" + std::to_string(SYS_execve) + ", b'/nowhere', texts(b'a'), None)\n";
  EXPECT_EQ(kinds_after_drawing(raw + "assert ctypes.get_errno() == 2\nkill()"), Kinds{"no_end"});
}

// A child in its parent's memory: what it turns into is not what its parent does.
TEST(Executed, ByAChildIsNoEndOfItsParent) {
  for (const std::string child :
       {"import subprocess; subprocess.run(['true'])",
        "os.waitpid(os.posix_spawn('/bin/true', ['true'], os.environ), 0)", "os.system('true')",
        "if os.fork() == 0: os.execv('/bin/true', ['true'])\nos.wait()"}) {
    EXPECT_EQ(kinds_after_drawing(child + "\nkill()"), Kinds{"no_end"}) << child;
    EXPECT_EQ(kinds_after_drawing(child + "\n"), Kinds{}) << child;
  }
  // Recorded in the parent's log, as nothing else can be by a vfork child.
  EXPECT_TRUE(
      kinds_after_drawing("import subprocess; subprocess.run(['/sbin/ldconfig', '-p'], env={}, "
                          "stdout=subprocess.DEVNULL)\nkill()")
          .contains("no_end"));
}

// A folder of CI's, or of a notebook's server.
TEST(Places, OfALongPathTheEndIsInTheLog) {
  for (const int folders : {1, 4}) {
    const TemporaryFolder scratch;
    fs::path script = scratch.path();
    for (int i = 0; i < folders; ++i)
      script /= std::string(200, static_cast<char>('a' + i));
    fs::create_directories(script);
    script /= "train.py";
    std::ofstream(script) << contents(PROGRAMS "draws_below_calls.py");
    // Without its site packages, which may draw themselves.
    run({"python3", "-S", script.string()}, under_shim(scratch, {{"DETSHIM_SEED", "42"}}));
    std::size_t found = 0;
    for (const ProcessLog& log : read_log(scratch.log()))
      for (const auto& call : log.calls()) {
        if (!call.contains("user"))
          continue;
        ++found;
        const auto place = call["py"][call["user"].get<std::size_t>()].get<std::string>();
        EXPECT_NE(place.find("/train.py:4 draw"), std::string::npos) << call;
        EXPECT_EQ(place.starts_with(scratch.path().string()), folders == 1) << call;
      }
    EXPECT_EQ(found, 1U);
  }
}

/// A task that draws, and pools that run it. The threads of a pool are workers too.
std::string tasks(const std::string& then) { return section(PROGRAMS "tasks_that_draw.py", then); }
const std::string tasks_alone = tasks("tasks_alone");

TEST(Pools, WhoseTasksDrawAreNamedWithTheLineThatMadeThem) {
  const auto recorded = [](const std::string& code) {
    const json document = judged(code, {}, {{"DETSHIM_SEED", "42"}, {"DETSHIM_MODE", "record"}});
    EXPECT_EQ(kinds_of(document), std::set<std::string>{"pool"}) << code;
    return document;
  };
  for (const std::string pool : {"multiprocessing.get_context('fork').Pool(2)",
                                 "ProcessPoolExecutor(2, multiprocessing.get_context('fork'))"}) {
    const json document =
        recorded(tasks_alone + "with " + pool + " as p: list(p.map(draw, range(4)))\n");
    EXPECT_TRUE(has_reason(document, {.finding = Finding::racing_workers, .place = "t.py:6"}))
        << pool << document["reasons"];
  }
  // Its frames end at the thread's beginning.
  recorded(tasks_alone + "with ThreadPoolExecutor(2) as p: list(p.map(draw, range(4)))\n");
  // `random` is seeded in each worker, and what a task then draws from it no hook sees.
  recorded(tasks("generator_of_a_worker"));
}

// What a thread of Python draws from a generator that it shares, with another or with the one that
// started it, reaches no hook. That it was started does.
TEST(UserThreads, OfPythonAreNamedWithTheLineThatStartsThem) {
  const std::string starts = PROGRAMS "starts_threads.py";
  for (const std::string by_user : {"several", "one", "executor", "in_a_child"}) {
    const json document = judged(section(starts, by_user));
    EXPECT_TRUE(has_reason(document, {.finding = Finding::threads_started, .names = {"t.py:5"}}))
        << by_user << document["reasons"];
  }
  // A library's, whose authors know what they share.
  EXPECT_EQ(
      text_of(judged(section(starts, "nothing_yet") + contents(PROGRAMS "threads_of_a_package.py")),
              "threads"),
      "");
}

// asyncio's own executor starts them, for what a line of the user's hands to it.
TEST(Pools, ThreadsOfAnEventLoopAreTheUsers) {
  for (const auto& [handed, program] : sections(PROGRAMS "threads_of_an_event_loop.py"))
    EXPECT_NE(text_of(judged(program), "threads"), "") << handed;
}

TEST(Pools, AndTheLinesThatMadeThemAreTwoKeysOfARecord) {
  const TemporaryFolder scratch;
  const std::string file = (scratch.path() / "t, too.py").string();
  std::ofstream(file)
      << tasks_alone
      << "with multiprocessing.get_context('fork').Pool(2) as p: p.map(draw, range(4))\n";
  ASSERT_EQ(run({"/usr/bin/python3", "-S", file},
                under_shim(scratch, {{"DETSHIM_SEED", "42"}, {"DETSHIM_MODE", "record"}}))
                .status,
            0);
  std::size_t in_workers = 0, starts = 0;
  for (const ProcessLog& log : read_log(scratch.log()))
    for (const auto& call : log.calls())
      if (call.contains("pool")) {
        ++in_workers;
        EXPECT_EQ(call["pool"], "multiprocessing.Pool");
        EXPECT_EQ(call.value("pool_at", ""), file + ":6");
      } else if (call["fn"] == "pthread_create") {
        ++starts;
        EXPECT_EQ(call.value("threads_of", ""), "multiprocessing.Pool") << call;
        EXPECT_EQ(call.value("queue", "missing"), "") << call;
        EXPECT_EQ(call.value("made_at", ""), file + ":6") << call;
      }
  EXPECT_GE(in_workers, 1U);
  EXPECT_GE(starts, 1U);
}

// Whose results come first is a race, though nobody draws.
TEST(Pools, QueuesThatSeveralProcessesFillAreNamedWithTheirLine) {
  const auto reasons_of = [](const std::string& workers) {
    return judged(contents(PROGRAMS "workers_at_a_queue.py"), {workers});
  };
  const json document = reasons_of("2");
  ASSERT_EQ(kinds_of(document), std::set<std::string>{"pool"});
  EXPECT_TRUE(has_reason(document, {.finding = Finding::racing_queue, .place = "t.py:4"}));
  EXPECT_EQ(kinds_of(reasons_of("1")), std::set<std::string>{});
  // Of several that one line fills, one reason.
  const json of_two = judged(contents(PROGRAMS "queues_of_one_line.py"));
  EXPECT_EQ(std::ranges::count(of_two["reasons"], "pool",
                               [](const json& one) {
                                 return one["kind"];
                               }),
            1)
      << of_two["reasons"];
  // One process may fill several, from one line too.
  EXPECT_EQ(kinds_of(judged(contents(PROGRAMS "queues_in_turn.py"))), std::set<std::string>{});
}

// Who takes what is a race, whoever started the processes.
TEST(Pools, QueuesThatSeveralProcessesTakeFromAreNamedWithTheirLine) {
  const auto taken_by = [](const std::string& workers) {
    return judged(contents(PROGRAMS "takes_from_one_queue.py"), {workers});
  };
  EXPECT_TRUE(has_reason(taken_by("2"), {.finding = Finding::racing_workers, .place = "t.py:4"}));
  EXPECT_FALSE(has_reason(taken_by("1"), {.finding = Finding::racing_workers, .place = "t.py:4"}));
}

TEST(Pools, ManagersThatSeveralProcessesAskAreNamedWithTheirLine) {
  const auto reasons_of = [](const std::string& workers) {
    return judged(contents(PROGRAMS "workers_at_a_manager.py"), {workers});
  };
  const json document = reasons_of("2");
  EXPECT_EQ(kinds_of(document), std::set<std::string>{"pool"});
  EXPECT_TRUE(has_reason(document, {.finding = Finding::racing_manager, .place = "t.py:3"}));
  EXPECT_EQ(kinds_of(reasons_of("1")), std::set<std::string>{});
}

// A worker that is started anew seeds a module's generators as its first task imports it, and the
// others draw from them.
TEST(Pools, WhoseTasksImportWhatSeedsAreNamed) {
  const TemporaryFolder scratch;
  std::ofstream(scratch.path() / "seeds.py") << "import os; os.urandom(4)\n";
  std::ofstream(scratch.path() / "t.py") << contents(PROGRAMS "pool_whose_tasks_import.py");
  const std::string file = scratch.path() / "t.py";
  EXPECT_EQ(run({"/usr/bin/python3", file}, under_shim(scratch, seed_42)).status, 0);
  std::size_t found = 0;
  for (const ProcessLog& log : read_log(scratch.log()))
    for (const json& call : log.calls("getrandom"))
      if (call["py"].dump().find("seeds.py:1") != std::string::npos) {
        ++found;
        EXPECT_EQ(call.value("pool", ""), "multiprocessing.Pool") << call;
      }
  EXPECT_GT(found, 0U);
}

// A single worker takes all tasks.
TEST(Pools, OfOneWorkerAreNone) {
  const auto kinds = [](const std::string& workers) {
    return kinds_of(judged(contents(PROGRAMS "pool_of_some_workers.py"), {workers}));
  };
  EXPECT_EQ(kinds("1"), std::set<std::string>{});
  EXPECT_EQ(kinds("2"), std::set<std::string>{"pool"});
}

// A lock's deadline is a clock too: of the interpreter's, for whatever line takes a lock.
TEST(PythonClocks, OfLocksAreNotTheLines) {
  const std::string locks = PROGRAMS "takes_locks.py";
  EXPECT_EQ(text_of(judged(section(locks, "and_nothing_more")), "clock"), "");
  const std::string said = text_of(judged(section(locks, "and_writes_a_reading")), "clock");
  EXPECT_NE(said.find("t.py:5"), std::string::npos) << said;
  EXPECT_EQ(said.find("t.py:2"), std::string::npos) << said;
}

// A name that is no UTF-8 has none that could be recorded, and the program goes on.
TEST(PythonClocks, OfFilesWithoutANameInUtf8LeaveNoError) {
  const json document =
      judged("import os, random, time; os.urandom(4)\n"
             "exec(compile('time.time(); random.seed(7)', 'a\\udc80.py', 'exec'))\n");
  EXPECT_TRUE(document.contains("verdict"));
}

// The time that Python's own library writes into a mail; a log's lines have theirs.
TEST(PythonClocks, ThatALibraryReadsAreTheLinesThatCallIt) {
  const std::string begin = "import email.utils, logging, os; os.urandom(4)\n";
  EXPECT_NE(text_of(judged(begin + "print(email.utils.formatdate())\n"), "clock").find("t.py:2"),
            std::string::npos);
  EXPECT_EQ(text_of(judged(begin + "logging.warning('begun')\n"), "clock"), "");
}

// Workers that start anew seed their generators before the first task, and what tasks draw from
// them reaches no hook; nor does the order in which their results are taken.
TEST(Pools, WhoseWorkersStartAnewAreNamedWhetherTheyDrawOrNot) {
  const std::string start = contents(PROGRAMS "pools_that_start_anew.py");
  for (const std::string pool :
       {"with spawns.Pool(2) as p: p.map(roll, range(4), 1)\n",
        "with spawns.Pool(2) as p: list(p.imap_unordered(seeded, range(4)))\n",
        "with serves.Pool(2) as p: p.map(roll, range(4), 1)\n",
        "with ThreadPool(2) as p: p.map(roll, range(4), 1)\n",
        "with ProcessPoolExecutor(2, spawns) as p: list(as_completed([p.submit(abs, "
        "1), p.submit(abs, 2)]))\n",
        "with ProcessPoolExecutor(2, serves) as p: list(p.map(roll, range(4)))\n"}) {
    const json document =
        judged(start + "  " + pool, {}, {{"DETSHIM_SEED", "42"}, {"DETSHIM_MODE", "record"}});
    EXPECT_TRUE(has_reason(document, {.finding = Finding::racing_workers, .place = "t.py:10"}))
        << pool << document["reasons"];
    EXPECT_FALSE(has_reason(document, {.finding = Finding::racing_workers}))
        << document["reasons"]; // without the line
  }
  // A server or a tracker may outlive the program, so this test takes no "no_end" for an error.
  for (const std::string one :
       {"with spawns.Pool(1) as p: p.map(roll, range(4), 1)\n",
        "with ProcessPoolExecutor(1, spawns) as p: list(p.map(roll, range(4)))\n",
        "with ThreadPool(1) as p: p.map(roll, range(4), 1)\n",
        "p = spawns.Process(target=roll, args=(1,)); p.start(); p.join()\n"})
    EXPECT_FALSE(kinds_of(judged(start + "  " + one)).contains("pool")) << one;
}

/// What `detshim log` says of a program that writes a package's module, and then runs `then`, from
/// its line 8 on.
json judged_with(const std::string& path, const std::string& module, const std::string& then,
                 const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments = {path, module};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return judged(contents(PROGRAMS "writes_a_module.py") + then, arguments);
}

// No package of the system's has loky: what starts its workers stands here by name.
TEST(Pools, OfLokyAreNamedWithTheUsersLine) {
  const auto with_workers = [](const std::string& number) {
    return judged_with("loky/process_executor.py", contents(PROGRAMS "modules/loky_executor.py"),
                       "from process_executor import Executor\n"
                       "Executor(" +
                           number + ")._start_executor_manager_thread()\n");
  };
  const json document = with_workers("2");
  EXPECT_EQ(kinds_of(document), std::set<std::string>{"pool"});
  EXPECT_TRUE(has_reason(document, {.finding = Finding::racing_workers, .place = "t.py:9"}))
      << document["reasons"];
  EXPECT_EQ(kinds_of(with_workers("1")), std::set<std::string>{});
}

// gensim's are joined before anything is drawn, and share the model that they train.
TEST(Pools, OfPackagesWhoseThreadsAreKnownToRaceAreNamed) {
  const auto with_workers = [](const std::string& number) {
    return judged_with("gensim/models/word2vec.py", contents(PROGRAMS "modules/gensim_word2vec.py"),
                       "from word2vec import Word2Vec\nWord2Vec(" + number + ")._train_epoch()\n");
  };
  const json document = with_workers("2");
  EXPECT_EQ(kinds_of(document), std::set<std::string>{"pool"});
  EXPECT_TRUE(has_reason(document, {.finding = Finding::racing_trainers, .place = "t.py:9"}))
      << document["reasons"];
  EXPECT_EQ(kinds_of(with_workers("1")), std::set<std::string>{});
}

// Ray's tasks run in its worker's loop.
TEST(Pools, OfRayAreNamed) {
  const auto with_function = [](const std::string& function) {
    return kinds_of(judged_with("ray/_private/worker.py", "def " + function + "(task): task()\n",
                                "import worker\nworker." + function + "(lambda: os.urandom(4))\n"));
  };
  EXPECT_EQ(with_function("main_loop"), std::set<std::string>{"pool"});
  EXPECT_EQ(with_function("connect"), std::set<std::string>{});
}

// One package fills a queue out of two processes, another a queue for each.
TEST(Pools, QueuesThatAPackageFillsAreNamedWhereSeveralFillOne) {
  const auto kinds = [](const std::string& queues) {
    return kinds_of(judged_with("augment/loader.py",
                                contents(PROGRAMS "modules/queues_that_are_filled.py"),
                                "import loader\nloader.load(" + queues + ")\n"));
  };
  EXPECT_EQ(kinds("1"), std::set<std::string>{"pool"});
  EXPECT_EQ(kinds("2"), std::set<std::string>{});
}

// A pool that deals its tasks says nothing of the queue that they put their results into.
TEST(Pools, QueuesThatWorkersOfADealtPoolFillAreNamed) {
  const auto kinds = [](const std::string& workers) {
    return kinds_of(judged_with("topics/train.py", contents(PROGRAMS "modules/queue_of_a_pool.py"),
                                "import train\ntrain.fit(" + workers + ")\n"));
  };
  EXPECT_EQ(kinds("2"), std::set<std::string>{"pool"});
  EXPECT_EQ(kinds("1"), std::set<std::string>{});
}

// scikit-learn's forests add to one array out of such threads.
TEST(Pools, ThreadsOfJoblibsThatShareMemoryAreNamed) {
  const auto threads_of = [](const std::string& require, const std::string& threads) {
    return judged_with("joblib/parallel.py", contents(PROGRAMS "modules/joblib_parallel.py"),
                       contents(PROGRAMS "predicts_by_a_forest.py"), {require, threads});
  };
  const json document = threads_of("sharedmem", "2");
  EXPECT_TRUE(has_reason(document, {.finding = Finding::sharing_threads, .place = "t.py:14"}))
      << document["reasons"];
  EXPECT_EQ(text_of(threads_of("", "2"), "pool"), "");
  EXPECT_EQ(text_of(threads_of("sharedmem", "1"), "pool"), "");
}

// What a package reads of a clock is its own matter, unless the function seeds something.
TEST(PythonClocks, OfPackagesAreNamedWhereTheySeed) {
  const auto clock = [](const std::string& what) {
    return text_of(judged_with("webdata/filters.py", section(PROGRAMS "modules/shuffles.py", what),
                               "import filters\nfilters.shuffle()\n"),
                   "clock");
  };
  EXPECT_NE(clock("seeds").find("filters.py:3"), std::string::npos);
  EXPECT_EQ(clock("reads"), "");
  EXPECT_EQ(clock("measures"), "");
}

TEST(PythonSeeds, ThatStandInTheirLineExplainThemselves) {
  const auto kinds = [](const std::string& seed) {
    return kinds_of(judged(section(PROGRAMS "seeds_of_a_line.py", seed)));
  };
  EXPECT_EQ(kinds("its_own"), std::set<std::string>{});
  EXPECT_EQ(kinds("of_another"), std::set<std::string>{"unexplained_seed"});
  EXPECT_EQ(kinds("beside_another"), std::set<std::string>{"unexplained_seed"});
}

// A worker of dask.distributed's has threads for tasks, and others; one such thread takes all tasks
// in turn.
TEST(Pools, OfDistributedAreNamedWhereThereAreSeveralWorkers) {
  const auto with_threads = [](const std::string& number, const std::string& name,
                               const std::string& task) {
    return kinds_of(judged_with(
        "distributed/threadpoolexecutor.py", contents(PROGRAMS "modules/distributed_executor.py"),
        "from threadpoolexecutor import Pool\n"
        "for i in range(" +
            number + "): Pool('" + name + "')._adjust_thread_count(" + task + ")\n"));
  };
  EXPECT_EQ(with_threads("2", "w-Dask-Default-Threads", "int"), std::set<std::string>{"pool"});
  EXPECT_EQ(with_threads("1", "Dask-Default-Threads", "int"), std::set<std::string>{});
  EXPECT_EQ(with_threads("2", "Dask-Offload", "int"), std::set<std::string>{});
  EXPECT_EQ(with_threads("2", "Dask-Offload", "lambda: os.urandom(4)"),
            std::set<std::string>{"pool"});
}

TEST(Pools, AreNotWhatRacesInOpenMp) {
  const TemporaryFolder scratch;
  Environment environment = under_shim(scratch, seed_42);
  environment["OMP_NUM_THREADS"] = "4";
  run({OPENMP_GCC_PROGRAM, "reduction"}, environment);
  const json document =
      json::parse(run({DETSHIM_COMMAND, "log", scratch.log().string(), "--json", "--no-scan"}).out);
  EXPECT_EQ(kinds_of(document), std::set<std::string>{"nondeterministic"});
}

TEST(Pools, AreNotWhatTakesNoTasks) {
  for (const char* others : {"processes", "tasks_without_a_draw", "import_in_a_thread"})
    EXPECT_EQ(kinds_of(judged(tasks(others))), std::set<std::string>{}) << others;
}

} // namespace
