// `detshim verify`: each verdict with a program that earns it, and one beside it that does not.
#include "run.h"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;
namespace fs = std::filesystem;

enum { equal = 0, different = 1, wrong_use = 2, unverified = 3 };

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class Verify : public testing::Test {
protected:
  Words words(const Words& options, const Words& program) const {
    Words all = {DETSHIM_COMMAND, "verify", "--library", DETSHIM_LIBRARY, "--log", kept().string()};
    const auto says_how_many = [](const std::string& option) {
      return option == "-n" || option == "--budget";
    };
    if (std::ranges::none_of(options, says_how_many))
      all.insert(all.end(), {"-n", "2"});
    all.insert(all.end(), options.begin(), options.end());
    all.push_back("--");
    all.insert(all.end(), program.begin(), program.end());
    return all;
  }

  /// What was said, but for the line of each run.
  static Words complaints(const std::string& said) {
    Words found = lines(said);
    std::erase_if(found, [](const std::string& line) {
      return line.starts_with("detshim: run ") || line.starts_with("detshim: perturb ");
    });
    return found;
  }

  Result verify(const Words& options, const Words& program, const Environment& environment = {}) {
    fs::remove_all(kept());
    return run(words(options, program), environment, folder());
  }

  Json verify_json(Words options, const Words& program) {
    options.push_back("--json");
    const Result result = verify(options, program);
    const Json document = Json::parse(result.out, nullptr, false);
    EXPECT_TRUE(document.is_object()) << result.out << result.err;
    return document;
  }

  /// What the last verify() has kept: the document that --json prints.
  Json kept_document() const {
    return Json::parse(contents(kept() / "verify.json"), nullptr, false);
  }
  /// Why its runs prove nothing, by kind.
  Words problems() const {
    Words kinds;
    const Json document = kept_document();
    for (const Json& problem : document["problems"])
      kinds.push_back(problem["kind"]);
    return kinds;
  }
  /// The files that it names in a problem of that kind.
  std::string named_in(const std::string& kind) const {
    const Json document = kept_document();
    for (const Json& problem : document["problems"])
      if (problem["kind"] == kind)
        return problem["text"];
    return {};
  }
  /// What it has compared, by kind and subject; null where it has not.
  Json compared(const std::string& kind, const Json& subject = {}) const {
    const Json document = kept_document();
    for (const Json& item : document["compared"])
      if (item["kind"] == kind && item["subject"] == subject)
        return item;
    return {};
  }
  /// The first thing that differs, and how: "file: made, not made".
  std::string first_difference() const {
    const Json all = kept_document()["differences"];
    if (all.empty())
      return {};
    const Json& first = all[0];
    const std::string where = first["where"], value = first["value"], other = first["other_value"];
    return where + ": " + value + ", " + other;
  }

  static Words shell(const std::string& script) { return {"/bin/sh", "-c", script}; }
  static Words python(const std::string& script) { return {"/usr/bin/python3", "-c", script}; }

  fs::path folder() const { return scratch_.path(); }
  fs::path kept() const { return scratch_.path() / "kept"; }
  std::string read(const std::string& file) const { return contents(folder() / file); }
  void write(const std::string& file, const std::string& text) const {
    std::ofstream(folder() / file) << text;
  }

private:
  const TemporaryFolder scratch_;
};

const std::string date_in_nanoseconds = "date +%N";

/// As messages name it.
std::string in_quotes(const fs::path& path) { return "'" + path.string() + "'"; }

/// True if a message says that the one file is back that lay in that folder.
bool is_put_back(const std::string& said, const fs::path& from) {
  return said.starts_with("detshim: 1 file put back ") && contains(said, in_quotes(from));
}

// ------------------------------------------------------------------ what is printed

TEST_F(Verify, FindsWhatIsPrintedEqual) {
  const Result result = verify({"--control"}, python("import random; print(random.random())"));
  EXPECT_EQ(result.status, equal) << result.out << result.err;
  const Json document = kept_document();
  EXPECT_EQ(document["verdict"], "equal") << document;
  EXPECT_EQ(document["equal_runs"], 2) << document;
  EXPECT_NEAR(document["bound"], 0.95, 1e-12);
  EXPECT_TRUE(contains(result.out, document["text"])) << result.out;
  EXPECT_TRUE(contains(result.out, document["bound_text"])) << result.out;
}

TEST_F(Verify, NamesTheFirstLineThatDiffers) {
  const Result result = verify({}, shell("echo same; " + date_in_nanoseconds));
  EXPECT_EQ(result.status, different);
  const Json first = kept_document()["differences"].at(0);
  EXPECT_EQ(first["kind"], "stdout") << result.out;
  EXPECT_EQ(first["one"], "run 1");
  EXPECT_EQ(first["other"], "run 2");
  EXPECT_EQ(first["where"], "line 2");
  EXPECT_EQ(verify({}, shell("echo same; date +%N >&2")).status, different);
}

TEST_F(Verify, ShowsTheFirstDifferenceOfALongLine) {
  const Result result = verify({}, shell("printf '%0300d %s %0300d\\n' 0 $(date +%N) 0"));
  const std::size_t at = result.out.find("line 1: '...0000");
  ASSERT_NE(at, std::string::npos) << result.out;
  const std::string found = result.out.substr(at + 9, result.out.find("' and '", at) - at - 9);
  EXPECT_FALSE(contains(result.out.substr(at + 9 + found.size() + 4), found)) << result.out;
}

TEST_F(Verify, IsNotStoppedByASignalThatIsIgnored) {
  Words all = words({}, shell("kill -HUP $(ps -o ppid= -p $$); echo a"));
  all.insert(all.begin(), {"/usr/bin/env", "--ignore-signal=HUP", "--ignore-signal=CHLD"});
  const Result ignored = run(all, {}, folder());
  EXPECT_EQ(ignored.status, equal) << ignored.out << ignored.err;
  EXPECT_EQ(verify({}, shell("kill -HUP $(ps -o ppid= -p $$); sleep 1000")).status, 128 + SIGHUP);
}

// A file would be emptied, or written over from its begin on.
TEST_F(Verify, KeepsWhatWasPrintedBeforeAStreamIsOpenedByName) {
  for (const std::string script :
       {"date +%N; echo same > /dev/stdout", "date +%N >&2; echo same | tee /dev/stderr",
        "date +%N; echo over the first line >/dev/fd/1",
        "date +%N; echo over it 1<> /dev/stdout"}) {
    const Result result = verify({}, shell(script));
    EXPECT_EQ(result.status, different) << script << result.out;
    EXPECT_EQ(kept_document()["differences"].at(0)["where"], "line 1") << result.out;
  }
  EXPECT_EQ(verify({}, shell("echo a; echo b > /dev/stdout; echo c")).status, equal);
  EXPECT_EQ(contents(kept() / "run-1/stdout"), "a\nb\nc\n");
}

// A pipe could be read by one run alone, and may be the rest of the script that calls the command.
TEST_F(Verify, TakesNothingOutOfAPipe) {
  std::string command;
  for (const std::string& word : words({}, shell("read x; echo \"got $x\"")))
    command += " '" + word + "'";
  const Result waiting =
      run({"sh", "-c", "printf '5\\n6\\n' | (read first;" + command + "; echo status $?; cat)"}, {},
          folder());
  EXPECT_EQ(waiting.out, "status 2\n6\n") << waiting.err;
  EXPECT_TRUE(contains(waiting.err, "</dev/null")) << waiting.err;
  EXPECT_FALSE(fs::exists(kept()));
  // One that nobody writes to is empty, until something comes.
  const std::string silent = "mkfifo pipe; exec 4<>pipe;" + command + " <pipe";
  EXPECT_EQ(run({"bash", "-c", silent}, {}, folder()).status, equal);
  fs::remove_all(kept());
  fs::remove(folder() / "pipe");
  std::string late;
  for (const std::string& word :
       words({}, shell("echo a; [ -e came ] || echo late >pipe; : >came")))
    late += " '" + word + "'";
  const Result result =
      run({"bash", "-c", "mkfifo pipe; exec 4<>pipe;" + late + " <pipe"}, {}, folder());
  EXPECT_EQ(result.status, unverified) << result.out << result.err;
  EXPECT_EQ(problems(), Words{"stdin"}) << result.out;
}

// What a program writes beside what it prints may be what its user wants to be equal.
TEST_F(Verify, IsNotEqualWhereAFileThatWasNotNamedDiffers) {
  write("train.py", contents(PROGRAMS_FOLDER "/writes_two_files.py"));
  const Words program = {"/usr/bin/python3", "-S", "train.py"};
  const Result unnamed = verify({}, program);
  EXPECT_EQ(unnamed.status, unverified) << unnamed.out;
  EXPECT_EQ(problems(), Words{"unnamed_output"});
  EXPECT_TRUE(
      contains(named_in("unnamed_output"), ": " + (folder() / "result").string() + " (line 1: "))
      << unnamed.out;
  EXPECT_EQ(verify({"--output", "result"}, program).status, different);
  write("named.py", contents(PROGRAMS_FOLDER "/names_a_file_by_the_clock.py"));
  const Result another_name = verify({}, {"/usr/bin/python3", "-S", "named.py"});
  EXPECT_EQ(another_name.status, unverified) << another_name.out;
  const std::string named = named_in("unnamed_output");
  EXPECT_TRUE(contains(named, (folder() / "model_").string())) << another_name.out;
  EXPECT_FALSE(contains(named, "/cache")) << another_name.out;
  for (const std::string ignored : {"result", "*", "r?sult"})
    EXPECT_EQ(verify({"--ignore", ignored}, program).status, equal) << ignored;
  EXPECT_EQ(verify({"--ignore", "same"}, program).status, unverified);
  // As checkpoints are written: a file, and a folder, that get their names at the end.
  for (const std::string name : {"last", "checkpoint/last"}) {
    write("save.py", section(PROGRAMS_FOLDER "/saves_by_a_rename.py", name));
    const Result replaced = verify({}, {"/usr/bin/python3", "-S", "save.py"});
    EXPECT_EQ(replaced.status, unverified) << replaced.out;
    EXPECT_TRUE(contains(named_in("unnamed_output"), (folder() / name).string())) << replaced.out;
  }
  EXPECT_EQ(verify({"--output", "same"},
                   {"/usr/bin/python3", "-S", "-c",
                    "import time; time.time(); open('same', 'w').write('1'); print(1)"})
                .status,
            equal);
}

// The moment of a run is no result, in a name or in a line.
TEST_F(Verify, IsEqualWhereFilesDifferInTheMomentOfTheirRun) {
  write("train.py", contents(PROGRAMS_FOLDER "/writes_a_dated_folder.py"));
  const Words program = {"/usr/bin/python3", "-S", "train.py"};
  EXPECT_EQ(verify({}, program).status, equal) << kept_document();
  std::map<std::string, std::string> results;
  const Json document = kept_document();
  for (const Json& item : document["compared"])
    if (item["kind"] == "result")
      results[item["subject"]] = fs::path(item["amount"].get<std::string>()).filename();
  EXPECT_EQ(results,
            (std::map<std::string, std::string>{{"loss", "log.jsonl"}, {"val_loss", "log.csv"}}));
  EXPECT_EQ(verify({}, {"/usr/bin/python3", "-S", "train.py", "twice"}).status, unverified);
  EXPECT_TRUE(contains(named_in("unnamed_output"), "/model-")) << kept_document();
  EXPECT_EQ(verify({}, {"/usr/bin/python3", "-S", "train.py", "overwritten"}).status, unverified);
  EXPECT_TRUE(contains(named_in("unnamed_output"), "/states.txt")) << kept_document();
  const Result result = verify({}, {"/usr/bin/python3", "-S", "train.py", "differs"});
  EXPECT_EQ(result.status, unverified) << result.out;
  const std::string named = named_in("unnamed_output");
  EXPECT_TRUE(contains(named, "/log.jsonl (line 1: '{\"loss\": ")) << named;
  EXPECT_FALSE(contains(named, "log.csv")) << named;
}

// What is printed last, ends it.
TEST_F(Verify, NamesTheOptionWithWhichAClockStandsStill) {
  write("train.py", "import time\nstart = time.time()\nx = time.time() % 1\n"
                    "print('x', x)\nprint(time.time() - start, 's')\n");
  const Words program = {"/usr/bin/python3", "train.py"};
  EXPECT_EQ(verify({}, program).status, different);
  const std::string option = kept_document()["first_cause"]["option"];
  const std::string name = "--freeze ";
  ASSERT_TRUE(option.starts_with(name + "train.py:")) << option;
  EXPECT_EQ(verify({"--freeze", option.substr(name.size())}, program).status, equal)
      << kept_document();
  EXPECT_EQ(verify({}, shell("date +%N")).status, different);
  EXPECT_TRUE(kept_document()["first_cause"]["option"].is_null()) << "no line is known";
}

// A cache is what the first run wrote and the next one finds.
TEST_F(Verify, IsNotEqualWhereOneRunAloneWroteAFile) {
  write("train.py", contents(PROGRAMS_FOLDER "/rebuilds_a_folder.py"));
  const auto outcome = [&](const Words& words) {
    fs::remove(folder() / "ran");
    fs::remove_all(folder() / "parts");
    Words program = {"/usr/bin/python3", "-S", "train.py"};
    program.insert(program.end(), words.begin(), words.end());
    return verify({"-n", "2", "--ignore", (folder() / "ran").string()}, program).status;
  };
  EXPECT_EQ(outcome({}), equal) << "of the first run, and still there";
  for (const Words& words : {Words{"rebuilt"}, Words{"later"}, Words{"later", "rebuilt"}}) {
    EXPECT_EQ(outcome(words), unverified) << words.front();
    EXPECT_TRUE(contains(named_in("unnamed_output"), "/parts/1 (of one run alone)"))
        << kept_document();
  }
}

// What a program prints under a name needs no option to be found.
TEST_F(Verify, NamesTheResultsThatItFinds) {
  const auto kind_of = [](const Json& list, const std::string& name) {
    for (const Json& item : list)
      if (item["subject"] == name)
        return item["kind"].get<std::string>();
    return std::string();
  };
  const std::string script = "echo loss=0.5 acc: 0.25; echo loss=0.25 x 0.$(date +%N)";
  EXPECT_EQ(verify({}, shell(script)).status, different);
  EXPECT_EQ(kind_of(kept_document()["compared"], "loss"), "result");
  EXPECT_EQ(kind_of(kept_document()["differences"], "loss"), "");
  EXPECT_EQ(kind_of(kept_document()["differences"], "x"), "result");
  verify({"--metric", "loss=(\\S+)"}, shell(script));
  EXPECT_EQ(kind_of(kept_document()["compared"], "acc"), "") << "the user has named what counts";
}

// Hours of training need no five runs to be different.
// No word of a list calls them times: the print in the file does.
TEST_F(Verify, KnowsTimesByThePrintsOfTheProgram) {
  write("train.py", contents(PROGRAMS_FOLDER "/prints_times_of_its_own_form.py"));
  EXPECT_EQ(verify({}, {"/usr/bin/python3", "train.py"}).status, equal) << kept_document();
  EXPECT_EQ(kept_document()["volatile"].size(), 2U) << kept_document(); // stdout, stderr
  write("train.py", contents(PROGRAMS_FOLDER "/prints_a_result_like_a_time.py"));
  EXPECT_EQ(verify({}, {"/usr/bin/python3", "train.py"}).status, different) << kept_document();
}

TEST_F(Verify, EndsWithTheFirstTwoThatDiffer) {
  const auto runs = [&](const char* script) {
    Words command = words({"-n", "", "--json"}, shell(script));
    const auto number = std::ranges::find(command, "-n");
    command.erase(number, number + 2);
    fs::remove_all(kept());
    return Json::parse(run(command, {}, folder()).out)["runs"].size();
  };
  EXPECT_EQ(runs("date +%N"), 2u);
  EXPECT_EQ(runs("date +%N >/dev/null; echo 1"), 5u);
}

// What gets its name without being opened under it, what is large, and the last of many.
TEST_F(Verify, IsNotEqualWhereAFileThatWasNotNamedComesAnotherWay) {
  const fs::path elsewhere = folder().string() + "-elsewhere";
  fs::create_directories(elsewhere);
  for (const auto& [name, way] : sections(PROGRAMS_FOLDER "/ways_to_a_file.py")) {
    write("save.py", way);
    const Result result = verify({"--ignore", elsewhere.string() + "/*"},
                                 {"/usr/bin/python3", "-S", "save.py", elsewhere.string()});
    EXPECT_EQ(result.status, unverified) << name << result.out;
    EXPECT_TRUE(contains(named_in("unnamed_output"),
                         (folder() / (contains(way, "part-") ? "part-1001" : "model")).string()))
        << name << result.out;
  }
  fs::remove_all(elsewhere);
}

// The first program on a new machine fills it, and its index has times.
TEST_F(Verify, TakesNoCacheOfKernelsForAnOutput) {
  const Words program = {"/usr/bin/python3", "-S", "-c",
                         contents(PROGRAMS_FOLDER "/writes_an_index.py")};
  const auto kept_in = [&](const std::string& where) {
    return verify({}, program, {{"HOME", folder().string()}, {"KEPT_IN", where}}).status;
  };
  EXPECT_EQ(kept_in(".nv/ComputeCache"), equal);
  EXPECT_EQ(kept_in(".triton/detshim-first"), equal);
  EXPECT_EQ(kept_in("results"), unverified);
}

TEST_F(Verify, IsWhatLogAndReportSpeakOf) {
  const auto detshim = [&](Words command) {
    command.insert(command.begin(), DETSHIM_COMMAND);
    return run(command, {}, folder());
  };
  EXPECT_EQ(detshim({"log"}).status, 2);
  const Words program = python("import os; print(os.urandom(2)[0])");
  Words command = {"verify", "-n", "3", "--"};
  command.insert(command.end(), program.begin(), program.end());
  EXPECT_EQ(detshim(command).status, equal);
  EXPECT_TRUE(contains(detshim({"log"}).out, "os.urandom(2)"));
  EXPECT_TRUE(contains(detshim({"report", "-o", "-"}).out, "<title>equal"));
  // Until the next run.
  EXPECT_EQ(detshim({"run", "--seed", "7", "--", "/usr/bin/python3", "-c",
                     "print(open('/dev/urandom', 'rb').read(1))"})
                .status,
            0);
  EXPECT_FALSE(contains(detshim({"log"}).out, "os.urandom(2)"));
  EXPECT_FALSE(contains(detshim({"report", "-o", "-"}).out, "<title>equal"));
}

// It ends by a system call of its own, past the library: its log begins as it starts.
TEST_F(Verify, KeepsEvidenceOfAProgramOfGos) {
  write("main.go", contents(PROGRAMS_FOLDER "/prints_its_user.go"));
  const Environment cache = {
      {"GOCACHE", (folder() / "cache").string()}, {"CGO_ENABLED", "1"}, {"GOFLAGS", "-mod=mod"}};
  if (run({"sh", "-c", "command -v go && go build -o program main.go && ldd program"}, cache,
          folder())
          .status != 0)
    GTEST_SKIP() << "needs go, and its programs with libc";
  const Result result = verify({"-n", "3"}, {"./program"});
  EXPECT_EQ(result.status, equal) << result.out;
  EXPECT_TRUE(fs::exists(folder() / "detshim-evidence.json")) << result.out;
}

// What it prints itself, into the folder in which an output was looked for.
TEST_F(Verify, TakesItsOwnMessagesForNoOutput) {
  std::string command;
  for (const std::string& word :
       words({"--output", "made"},
             {"/usr/bin/python3", "-S", "-c", R"(open("made", "w").write("1"); print(1))"}))
    command += " '" + word + "'";
  const Result result = run({"sh", "-c", command + " >out 2>err"}, {}, folder());
  EXPECT_EQ(result.status, equal) << read("out") << read("err");
}

// A shell, a terminal and a service have other ids than the one that verifies.
TEST_F(Verify, GivesRunsOtherParentsAndSessions) {
  write("ids.c", contents(PROGRAMS_FOLDER "/prints_an_id.c"));
  for (const std::string id : {"getppid()", "getsid(0)", "getpgrp()"}) {
    ASSERT_EQ(run({"gcc", "-g", "-DID=" + id, "-o", "ids", "ids.c"}, {}, folder()).status, 0);
    EXPECT_EQ(verify({}, {"./ids"}).status, different) << id;
  }
  // A run ends as its program does, and its id is one of the run's.
  ASSERT_EQ(run({"gcc", "-g", "-DID=7", "-o", "ids", "ids.c"}, {}, folder()).status, 0);
  EXPECT_EQ(verify({}, shell("./ids; exit 3")).status, unverified);
  EXPECT_EQ(verify({}, shell("./ids; kill -9 $$")).status, unverified);
  EXPECT_EQ(problems()[0], "killed");
  EXPECT_EQ(verify({}, shell("./ids; echo pid $$")).status, equal);
}

TEST_F(Verify, KeepsAllThatIsPrinted) {
  const Result result = verify({}, shell("seq 200000; seq 5 >&2; (seq 200000 200005 &)"));
  EXPECT_EQ(result.status, equal) << result.out;
  EXPECT_EQ(compared("stdout")["amount"], "200006 lines");
  EXPECT_EQ(compared("stderr")["amount"], "5 lines");
}

TEST_F(Verify, SaysThatWhatIsPrintedFindsNoRoom) {
  Words limited = {"/bin/sh", "-c", "ulimit -f 2000; exec \"$@\"", "sh"};
  const Words all = words({}, shell("ulimit -f unlimited; seq 2000000"));
  limited.insert(limited.end(), all.begin(), all.end());
  const Result result = run(limited, {}, folder());
  EXPECT_EQ(result.status, unverified) << result.out << result.err;
  EXPECT_EQ(problems()[0], "full") << result.out;
}

TEST_F(Verify, LeavesOutWhatIsIgnoredAndSaysSo) {
  const Result result = verify({"--ignore", "stderr"}, shell("echo same; date +%N >&2"));
  EXPECT_EQ(result.status, equal);
  EXPECT_TRUE(compared("stderr").is_null());
  EXPECT_EQ(kept_document()["notes"][0], "stderr was not compared (--ignore)");
}

TEST_F(Verify, CountsVolatileLines) {
  const Json times = verify_json({}, shell("echo begun; date +%s%N; echo \"I am process $$\""));
  EXPECT_EQ(times["verdict"], "equal") << times;
  ASSERT_EQ(times["volatile"].size(), 1u) << times;
  EXPECT_EQ(times["volatile"][0]["lines"], 2);
  EXPECT_EQ(verify_json({}, shell("date +%N"))["verdict"], "different");
  EXPECT_EQ(
      verify_json({"--volatile", R"(took \d+)"}, shell("echo begun; date +'took %N'"))["verdict"],
      "equal");
  EXPECT_EQ(verify_json({"--volatile", ".*"}, shell(date_in_nanoseconds))["verdict"], "unverified");
}

// ------------------------------------------------------------------ what proves nothing

TEST_F(Verify, DoesNotTakeNothingForEqual) {
  EXPECT_EQ(verify({}, {"true"}).status, unverified);
  EXPECT_EQ(verify({}, shell("exit 3")).status, unverified);
  EXPECT_EQ(verify({"--output", "none*"}, shell("echo a")).status, unverified);
  EXPECT_EQ(verify({"--metric", "none=(.*)"}, shell("echo a")).status, unverified);
  EXPECT_EQ(verify({"--output", "empty"}, shell("echo a; : > empty")).status, unverified);
  const Result control = verify({"--control"}, shell("echo a"));
  EXPECT_EQ(control.status, unverified);
  EXPECT_EQ(problems(), Words{"control"}) << control.out;
}

// docs/tutorials/CI.md: a script that seeds itself well is what it wants.
TEST_F(Verify, TheDocumentedJobPassesAProgramThatSeedsItself) {
  const std::string text = contents(DETSHIM_SOURCE_FOLDER "/docs/tutorials/CI.md");
  const std::size_t begin = text.find("    detshim verify"), end = text.find("\n- if:", begin);
  ASSERT_NE(end, std::string::npos);
  write("train.py", contents(PROGRAMS_FOLDER "/seeds_itself.py"));
  const std::string commands = fs::path(DETSHIM_COMMAND).parent_path();
  const Result result = run({"/bin/sh", "-c", text.substr(begin, end - begin)},
                            {{"PATH", commands + ":/usr/bin:/bin"}}, folder());
  EXPECT_EQ(result.status, equal) << result.out << result.err;
}

TEST_F(Verify, DoesNotTakeTheControlOfOneThingForAnother) {
  const std::string script =
      "import random; print(random.random()); open('out', 'w').write('always')";
  EXPECT_EQ(verify({"--control"}, python(script)).status, equal);
  EXPECT_EQ(verify({"--control", "--output", "out"}, python(script)).status, unverified);
}

TEST_F(Verify, DoesNotTakeAKilledRunForOne) {
  const Result killed = verify({}, shell("echo a; kill -9 $$"));
  EXPECT_EQ(killed.status, unverified);
  EXPECT_EQ(problems()[0], "killed") << killed.out;
  EXPECT_EQ(kept_document()["runs"].size(), 1U) << "there is nothing to compare it with";
  // Ended by itself, in another way in one of them: that is a difference.
  EXPECT_EQ(verify({}, shell("echo a; test -e n && exit 4; : > n")).status, different);
}

// What can differ is what the comparison is for. What went ahead without detshim is not.
TEST_F(Verify, GoesByTheLogsVerdict) {
  const Words pool = python(contents(PROGRAMS_FOLDER "/pool_of_processes.py"));
  EXPECT_EQ(verify({}, pool).status, equal);
  const Words draws = python("import os; os.urandom(4); print('done')");
  const Result judged = verify({"--disable", "getrandom"}, draws);
  EXPECT_EQ(judged.status, unverified) << judged.out;
  EXPECT_EQ(problems(), Words{"log"}) << judged.out;
  EXPECT_EQ(kept_document()["runs"][0]["log"], "partial");
  EXPECT_EQ(verify({"--disable", "getrandom", "--accept", "disabled"}, draws).status, equal);
}

// ------------------------------------------------------------------ outputs

TEST_F(Verify, ComparesOutputsAndPutsBackWhatStoodThere) {
  write("out.txt", "before");
  const Result result = verify({"--output", "out.txt"},
                               shell("test -e out.txt && exit 9; echo new > out.txt; echo a"));
  EXPECT_EQ(result.status, equal) << result.out << result.err;
  EXPECT_EQ(read("out.txt"), "before");
  EXPECT_EQ(contents(kept() / "run-1/outputs/here/out.txt"), "new\n");
  EXPECT_EQ(contents(kept() / "run-2/outputs/here/out.txt"), "new\n");
  EXPECT_EQ(verify({"--output", "out.txt"}, shell("date +%N > out.txt; echo a")).status, different);
  EXPECT_EQ(read("out.txt"), "before");
}

TEST_F(Verify, SaysWhereContentsAreEqualAndBytesAreNot) {
  const Result result = verify({"-n", "3", "--output", "o.zip"},
                               {"/usr/bin/python3", PROGRAMS_FOLDER "/other_bytes.py"});
  EXPECT_EQ(result.status, equal) << result.out << result.err;
  EXPECT_EQ(compared("stdout")["other_bytes"], true) << result.out;
  EXPECT_EQ(compared("output", "o.zip")["other_bytes"], true) << result.out;
  EXPECT_EQ(compared("stderr")["other_bytes"], false) << result.out;
  // Of three runs the last alone has other bytes.
  verify({"-n", "3"}, python(contents(PROGRAMS_FOLDER "/other_bytes_in_the_third_run.py")));
  EXPECT_EQ(compared("stdout")["other_bytes"], true);
  verify({"--output", "o.zip"}, python("print(open('o.zip', 'w').write('7'))"));
  EXPECT_EQ(compared("output", "o.zip")["other_bytes"], false);
}

TEST_F(Verify, ComparesTheNamesOfEmptyFolders) {
  const Result other =
      verify({"--output", "out"}, shell("mkdir -p out/d$(date +%N); echo 1 >out/a; echo 1"));
  EXPECT_EQ(other.status, different) << other.out;
  const std::string difference = first_difference(); // the names may sort either way
  EXPECT_TRUE(difference == "empty folder: made, not made" ||
              difference == "empty folder: not made, made")
      << other.out;
  EXPECT_FALSE(fs::exists(folder() / "out"));
  EXPECT_EQ(verify({"--output", "out"}, shell("mkdir -p out/d; echo 1 >out/a; echo 1")).status,
            equal);
  // A file in one run, a folder in the other.
  const Result kind =
      verify({"--output", "out/*"}, shell("mkdir -p out; echo 1 >out/a; mkdir -p seen; "
                                          "if rmdir seen/a 2>/dev/null; then mkdir out/b; "
                                          "else mkdir seen/a; echo 1 >out/b; fi; echo 1"));
  EXPECT_EQ(first_difference(), "kind: a file, an empty folder") << kind.out;
  // What stands there before the first run is no run's output.
  fs::create_directory(folder() / "empty");
  const Result none = verify({"--output", "empty"}, shell("echo 1"));
  EXPECT_EQ(none.status, unverified) << none.out;
  EXPECT_EQ(problems(), Words{"not_compared"}) << none.out;
}

TEST_F(Verify, DoesNotTakeTheLastRunsOutputForThisOnes) {
  // Only the first run writes it.
  const Result result =
      verify({"--output", "out"}, shell("echo a; test -e marker || echo b > out; : > marker"));
  EXPECT_EQ(result.status, different) << result.out;
  EXPECT_EQ(first_difference(), "file: made, not made") << result.out;
}

TEST_F(Verify, GivesEachRunTheFoldersOfTheFirst) {
  fs::create_directories(folder() / "old/empty");
  write("old/file", "before");
  const std::string script = "mkdir new && test -d old/empty && rmdir old/empty && echo a > new/a "
                             "&& echo b > old/file && echo done";
  const Result result = verify({"--output", "new", "--output", "old"}, shell(script));
  EXPECT_EQ(result.status, equal) << result.out << contents(kept() / "run-2/stderr");
  EXPECT_FALSE(fs::exists(folder() / "new"));
  EXPECT_TRUE(fs::is_directory(folder() / "old/empty"));
  EXPECT_EQ(read("old/file"), "before");
}

TEST_F(Verify, ComparesLinksByTheirText) {
  EXPECT_EQ(verify({"--output", "a*"}, shell("echo x > a1; ln -s a1 a2; echo a")).status, equal);
  EXPECT_EQ(verify({"--output", "a*"}, shell("ln -s $(date +%N) a2; echo a")).status, different);
  // What the link leads to is not compared.
  EXPECT_EQ(verify({"--output", "a*"}, shell("echo x > b1; ln -s b1 a2; echo a")).status,
            unverified);
}

TEST_F(Verify, WaitsForWhatIsWrittenBehindTheProgram) {
  const auto written_late = [](const std::string& text) {
    return shell("(while kill -0 $$ 2>/dev/null; do :; done; " + text + " > out) & echo a");
  };
  EXPECT_EQ(verify({"--output", "out"}, written_late("echo b")).status, equal);
  EXPECT_EQ(verify({"--output", "out"}, written_late("date +%N")).status, different);
}

TEST_F(Verify, MovesOutputsToAnotherFileSystem) {
  std::string other = "/dev/shm/detshim-verify-XXXXXX";
  if (::mkdtemp(other.data()) == nullptr)
    GTEST_SKIP() << "no second file system at /dev/shm";
  write("out", "before");
  Words all = words({"--output", "out"}, shell("echo new > out; echo a"));
  all[5] = other + "/kept";
  const Result result = run(all, {}, folder());
  EXPECT_EQ(result.status, equal) << result.out << result.err;
  EXPECT_EQ(contents(fs::path(other) / "kept/run-1/outputs/here/out"), "new\n");
  EXPECT_EQ(read("out"), "before");
  fs::remove_all(other);
}

/// A small file system for the outputs alone: what the runs leave has room.
Words on_small_disk(const std::string& size, const Words& command) {
  Words all = {"unshare",
               "-rm",
               "sh",
               "-c",
               "mkdir disk && mount -t tmpfs -o " + size + " none disk || exit 99; exec \"$@\"",
               "sh"};
  all.insert(all.end(), command.begin(), command.end());
  return all;
}

TEST_F(Verify, NoticesAFullDiskWhereTheOutputsAre) {
  const std::string cut = "head -c 1000000 /dev/zero > disk/out 2>/dev/null; echo a";
  const std::string many = "for i in 1 2 3 4 5 6 7 8 9; do touch disk/out.$i; done 2>/dev/null; "
                           "echo a > disk/out.1; echo a";
  const std::string none = "mkdir -p disk/new; echo b > disk/new/out; echo a";
  for (const auto& [size, script, status] :
       std::vector<std::tuple<std::string, std::string, int>>{{"size=256k", cut, unverified},
                                                              {"nr_inodes=6", many, unverified},
                                                              {"size=256k", none, equal}}) {
    fs::remove_all(kept());
    fs::remove_all(folder() / "disk");
    const Result result =
        run(on_small_disk(size, words({"--output", "disk"}, shell(script))), {}, folder());
    if (result.status == 99)
      GTEST_SKIP() << "no file system can be mounted here";
    EXPECT_EQ(result.status, status) << script << result.out << result.err;
    EXPECT_EQ(problems().empty(), status == equal) << result.out;
    EXPECT_TRUE(status == equal || problems()[0] == "full") << result.out;
  }
}

TEST_F(Verify, GivesFoldersBackAsTheyWere) {
  const auto state = [](const fs::path& path) {
    struct stat status = {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
    return std::tuple(status.st_mode, status.st_uid, status.st_gid, status.st_mtim.tv_sec,
                      status.st_mtim.tv_nsec);
  };
  const fs::path out = folder() / "out", private_one = out / "private";
  fs::create_directories(private_one);
  write("out/private/file", "before");
  ::chmod(private_one.c_str(), 0700);
  ::chmod(out.c_str(), 02750);
  const timespec times[] = {{1000000000, 5}, {1000000000, 7}};
  for (const fs::path& path : {private_one, out})
    ::utimensat(AT_FDCWD, path.c_str(), times, 0);
  const auto out_before = state(out), private_before = state(private_one);
  for (const std::string anew :
       {"mkdir -p out/private",
        "mkdir other out; mv private out; rmdir other"}) { // with the number of the old one, too
    fs::remove_all(kept());
    const Result result = verify(
        {"--output", "out"}, shell("stat -c '%a %Y' out out/private; mv out/private .; rm -rf out; "
                                   "umask 022; " +
                                   anew + "; rm -rf private; echo b > out/private/file"));
    EXPECT_EQ(result.status, equal) << result.out << result.err;
    EXPECT_EQ(contents(kept() / "run-2/stdout"), "2750 1000000000\n700 1000000000\n");
    EXPECT_EQ(state(out), out_before) << anew;
    EXPECT_EQ(state(private_one), private_before) << anew;
    EXPECT_EQ(read("out/private/file"), "before");
  }
}

TEST_F(Verify, MovesWhatIsNoFileAway) {
  const Words program = shell("mkfifo out/pipe; echo b > out/file; echo a");
  fs::create_directory(folder() / "out");
  const Result result = verify({"--output", "out"}, program);
  EXPECT_EQ(result.status, unverified) << result.out;
  EXPECT_EQ(problems(), Words{"not_compared"}) << result.out;
  EXPECT_TRUE(fs::is_empty(folder() / "out"));
  EXPECT_TRUE(fs::is_fifo(kept() / "run-2/outputs/here/out/pipe"));
  std::string other = "/dev/shm/detshim-verify-XXXXXX";
  if (::mkdtemp(other.data()) == nullptr)
    GTEST_SKIP() << "no second file system at /dev/shm";
  Words all = words({"--output", "out"}, program);
  all[5] = other + "/kept";
  EXPECT_EQ(run(all, {}, folder()).status, unverified);
  EXPECT_TRUE(fs::is_fifo(fs::path(other) / "kept/run-2/outputs/here/out/pipe"));
  EXPECT_TRUE(fs::is_empty(folder() / "out"));
  fs::remove_all(other);
}

TEST_F(Verify, NamesTheFolderThatCannotBeRead) {
  fs::create_directories(folder() / "out/closed");
  ::chmod((folder() / "out/closed").c_str(), 0);
  Words all = words({"--output", "out"}, shell("echo a"));
  if (::geteuid() == 0) {
    ::chmod(folder().c_str(), 0777);
    all.insert(all.begin(), {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"});
  }
  const Result result =
      run(all, {{"XDG_STATE_HOME", (folder() / "state").string()}}, folder()); // not in /tmp
  EXPECT_EQ(result.status, wrong_use);
  EXPECT_EQ(complaints(result.err).size(), 1u) << result.err;
  EXPECT_TRUE(contains(result.err, "out/closed': ")) << result.err;
  ::chmod((folder() / "out/closed").c_str(), 0700);
}

TEST_F(Verify, PutsOutputsBackWhenItIsInterrupted) {
  for (const int signal :
       {SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU, SIGVTALRM, SIGPROF, SIGPIPE}) {
    fs::remove_all(kept());
    fs::remove(folder() / "begun");
    write("out", "before");
    Running running(
        words({"--output", "out"}, shell("echo half > out; : > begun; exec sleep 1000")), {},
        folder());
    while (!fs::exists(folder() / "begun") && !running.has_ended())
      std::this_thread::yield();
    send_signal(running.process(), signal);
    const Result result = running.wait();
    EXPECT_EQ(result.status, 128 + signal) << result.err;
    EXPECT_EQ(read("out"), "before");
    EXPECT_EQ(contents(kept() / "run-1/outputs/here/out"), "half\n");
  }
}

// Each would take what the other one's program has made for the user's own.
TEST_F(Verify, IsAloneAtItsOutputs) {
  write("out.txt", "before");
  Running running(
      words({"--output", "out.txt"}, shell("echo half > out.txt; : > begun; exec sleep 1000")), {},
      folder());
  while (!fs::exists(folder() / "begun") && !running.has_ended())
    std::this_thread::yield();
  const auto at_once = [&](const std::string& kept_in, const std::string& output,
                           const std::string& script) {
    Words all = words({"--output", output}, shell(script));
    all[5] = (folder() / kept_in).string();
    return run(all, {}, folder());
  };
  for (const std::string output : {"out.txt", "./out.txt", "out*", "[oi]*.txt", "."}) {
    fs::remove_all(folder() / "second");
    const Result refused = at_once("second", output, "echo a > out.txt; echo a");
    EXPECT_EQ(refused.status, wrong_use) << output;
    EXPECT_EQ(complaints(refused.err).size(), 1u) << refused.err;
    EXPECT_TRUE(contains(refused.err, std::to_string(running.process()))) << refused.err;
  }
  EXPECT_EQ(at_once("third", "other", "echo a > other; echo a").status, equal);
  EXPECT_EQ(at_once("fourth", "*.npz", "echo a > a.npz; echo a").status, equal);
  send_signal(running.process(), SIGTERM);
  running.wait();
  EXPECT_EQ(read("out.txt"), "before");
  EXPECT_EQ(at_once("fifth", "out.txt", "echo a > out.txt; echo a").status, equal);
  EXPECT_EQ(read("out.txt"), "before");
}

// ------------------------------------------------------------------ outputs behind links

/// The files and links below a folder, but what the runs left.
std::string tree(const fs::path& folder) {
  std::vector<std::string> all;
  for (auto at = fs::recursive_directory_iterator(folder); at != fs::recursive_directory_iterator();
       ++at) {
    if (at->path().filename() == "kept")
      at.disable_recursion_pending();
    if (at->path().filename() == "detshim-evidence.json")
      continue; // verify's own
    if (at->is_symlink())
      all.push_back(at->path().lexically_relative(folder).string() + "->" +
                    fs::read_symlink(at->path()).string());
    else if (at->is_regular_file())
      all.push_back(at->path().lexically_relative(folder).string() + "=" + contents(at->path()));
  }
  std::ranges::sort(all);
  std::string text;
  for (const std::string& one : all)
    text += one + " ";
  return text;
}

TEST_F(Verify, FollowsTheLinksThatWereThere) {
  fs::create_directories(folder() / "real");
  fs::create_directory_symlink("real", folder() / "link");
  write("real/a", "precious");
  const std::string before = tree(folder());
  for (const std::string output : {"link/*", "link/a", "link", "link/", "l*/a", "[l]ink/a"}) {
    const Result result =
        verify({"--output", output},
               shell("test -e real/a && exit 9; mkdir -p link && echo x > link/a; echo a"));
    EXPECT_EQ(result.status, equal) << output << result.out << result.err;
    EXPECT_EQ(tree(folder()), before) << output;
    EXPECT_TRUE(contains(result.out, "/a' (2 bytes)")) << result.out;
  }
  // What a wildcard matches in the end is the link itself.
  EXPECT_EQ(verify({"--output", "li*"},
                   shell("test -e link && exit 9; mkdir link; echo x > link/b; echo a"))
                .status,
            equal);
  EXPECT_EQ(tree(folder()), before);
}

TEST_F(Verify, FollowsNoLinkThatARunHasMade) {
  struct Case {
    std::string output, script, says, left;
  };
  for (const Case& one : std::vector<Case>{
           {"out/*/f", "echo x > out/v1/f; ln -sfn ../away out/new",
            "link that was not there before",
            "away/f=theirs link->out out/new->../away out/v1/f=mine "},
           {"out/*/f", "mkdir out/v2; echo x > out/v2/f; ln -sfn v2 out/new", "",
            "away/f=theirs link->out out/new->v2 out/v1/f=mine "},
           {"link/v1/f", "rm link; ln -s away link; echo x > link/x", "does not lead any more",
            "away/f=theirs away/x=x\n link->away out/v1/f=mine "},
           {"link/v1/f", "rm link; mkdir -p link/v1; echo x > link/v1/f", "does not lead any more",
            "away/f=theirs link/v1/f=x\n out/v1/f=mine "},
           {"out/v1", "rmdir out/v1; ln -s ../away out/v1", "is a link to '../away'",
            "away/f=theirs link->out out/v1/f=mine "}}) {
    for (const char* const path : {"out", "away", "link"})
      fs::remove_all(folder() / path);
    fs::create_directories(folder() / "out/v1");
    fs::create_directories(folder() / "away");
    fs::create_directory_symlink("out", folder() / "link");
    write("out/v1/f", "mine");
    write("away/f", "theirs");
    const Result result = verify({"--output", one.output}, shell(one.script + "; echo a"));
    EXPECT_EQ(result.status, one.says.empty() ? equal : unverified)
        << one.script << result.out << result.err;
    EXPECT_TRUE(contains(result.out, one.says)) << result.out << result.err;
    EXPECT_EQ(tree(folder()), one.left) << one.script << result.out;
  }
}

TEST_F(Verify, LeavesWhatItCannotPutBackWhereItSaysThatItIs) {
  fs::create_directories(folder() / "out");
  fs::create_directories(folder() / "away");
  write("out/f", "mine");
  write("away/f", "theirs");
  const Result result = verify({"--output", "out/*"}, shell("rmdir out; ln -s away out; echo a"));
  EXPECT_EQ(result.status, wrong_use);
  EXPECT_EQ(complaints(result.err).size(), 1u) << result.err;
  EXPECT_TRUE(contains(result.err, in_quotes(kept() / "before"))) << result.err;
  EXPECT_EQ(tree(folder()), "away/f=theirs out->away ");
  EXPECT_EQ(contents(kept() / "before/here/out/f"), "mine");
}

/// As root in the tree of somebody who has put a link there.
TEST_F(Verify, RefusesALinkOfAnotherUserToWhatIsNotTheirs) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "needs two users";
  fs::create_directory(folder() / "roots");
  write("roots/f", "precious");
  fs::create_directory_symlink("roots", folder() / "link");
  ASSERT_EQ(::lchown((folder() / "link").c_str(), 65534, 65534), 0);
  const Result result = verify({"--output", "link/*"}, shell(": > ran"));
  EXPECT_EQ(result.status, wrong_use);
  EXPECT_EQ(complaints(result.err).size(), 1u) << result.err;
  EXPECT_TRUE(contains(result.err, " 65534 ")) << result.err;
  EXPECT_TRUE(contains(result.err, in_quotes(folder() / "roots"))) << result.err;
  EXPECT_FALSE(fs::exists(folder() / "ran"));
  ASSERT_EQ(::chown((folder() / "roots").c_str(), 65534, 65534), 0);
  EXPECT_EQ(verify({"--output", "link/*"}, shell("echo x > link/f; echo a")).status, equal);
  EXPECT_EQ(read("roots/f"), "precious");
}

/// As root in the tree of somebody who renames what is root's to where an output was.
TEST_F(Verify, GivesAwayNoFolderThatWasRenamedOntoAnOutput) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "needs two users";
  const fs::path out = folder() / "out", roots = folder() / "roots";
  for (const fs::path& path : {out, roots})
    fs::create_directory(path);
  write("roots/key", "secret");
  ::chmod(roots.c_str(), 0700);
  ::chmod(out.c_str(), 0755);
  ASSERT_EQ(::chown(out.c_str(), 65534, 65534), 0);
  verify({"--output", "out/*.txt"}, shell("[ -d gone ] || { mv out gone; mv roots out; }"));
  struct stat status = {};
  ASSERT_EQ(::stat(out.c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 0u);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
}

TEST_F(Verify, PutsBackOnRequestWhatAKilledOneHadSetAside) {
  write("out", "mine");
  Running running(words({"--output", "out"}, shell("echo $$ > pid; exec sleep 1000")), {},
                  folder());
  while ((!fs::exists(folder() / "pid") || read("pid").empty()) && !running.has_ended())
    std::this_thread::yield();
  send_signal(running.process(), SIGKILL);
  running.wait();
  EXPECT_FALSE(fs::exists(folder() / "out"));
  const Result restored = run({DETSHIM_COMMAND, "verify", "--restore"}, {}, folder());
  EXPECT_EQ(restored.status, 0) << restored.err;
  EXPECT_TRUE(is_put_back(restored.err, kept() / "before")) << restored.err;
  EXPECT_EQ(read("out"), "mine");
  EXPECT_EQ(
      run({DETSHIM_COMMAND, "verify", "--restore"}, {}, folder()).err,
      "detshim: nothing to put back: no `verify` that was killed has left files set aside here\n");
}

/// Not what has ended and was not waited for.
bool is_running(const std::string& process) {
  const std::string status = contents("/proc/" + process + "/stat");
  const std::size_t behind_name = status.rfind(')');
  return behind_name != status.npos && status.substr(behind_name + 2, 1) != "Z";
}

/// Starts `detshim verify` on a program that goes on writing in a process of its own.
std::unique_ptr<Running> start_writing(const Words& command, const fs::path& where) {
  auto running = std::make_unique<Running>(command, Environment{}, where);
  while ((!fs::exists(where / "pid") || !contents(where / "pid").ends_with('\n')) &&
         !running->has_ended())
    std::this_thread::yield();
  return running;
}
const std::string writes_in_a_child =
    "sh -c 'echo $$ > pid; while :; do echo half > out; done'; true";

// The second one has no environment that would name the run.
struct VerifyWhoseChildWrites : Verify, testing::WithParamInterface<const char*> {
  std::string writes() { return GetParam() + writes_in_a_child; }
};
INSTANTIATE_TEST_SUITE_P(, VerifyWhoseChildWrites, testing::Values("", "env -i "));

// Else it would write over what was put back.
TEST_P(VerifyWhoseChildWrites, TakesItsProgramAlongWhenItIsKilled) {
  write("out", "mine");
  const auto running = start_writing(words({"--output", "out"}, shell(writes())), folder());
  const std::string writer = std::to_string(std::stoi("0" + read("pid")));
  send_signal(running->process(), SIGKILL);
  running->wait();
  const Result restored = run({DETSHIM_COMMAND, "verify", "--restore"}, {}, folder());
  EXPECT_FALSE(is_running(writer));
  send_signal(std::stoi(writer), SIGKILL);
  EXPECT_EQ(restored.status, 0) << restored.err;
  EXPECT_TRUE(is_put_back(restored.err, kept() / "before")) << restored.err;
  EXPECT_EQ(read("out"), "mine");
}

// What would have ended it is gone too.
TEST_P(VerifyWhoseChildWrites, PutsNothingBackWhileItsProgramRuns) {
  write("out", "mine");
  const auto running = start_writing(words({"--output", "out"}, shell(writes())), folder());
  const std::string writer = std::to_string(std::stoi("0" + read("pid"))),
                    verify = std::to_string(running->process());
  std::istringstream children(contents("/proc/" + verify + "/task/" + verify + "/children"));
  for (std::string child; children >> child;)
    if (contents("/proc/" + child + "/comm") == "detshim-watch\n")
      send_signal(std::stoi(child), SIGKILL);
  send_signal(running->process(), SIGKILL);
  running->wait();
  ASSERT_TRUE(is_running(writer));
  for (const Words& more : {Words{"--restore"}, Words{"--output", "out", "--", "true"}}) {
    Words command = {DETSHIM_COMMAND, "verify"};
    command.insert(command.end(), more.begin(), more.end());
    const Result refused = run(command, {}, folder());
    EXPECT_EQ(refused.status, wrong_use);
    EXPECT_TRUE(contains(refused.err, "process " + writer + " (sh) ")) << refused.err;
    EXPECT_EQ(complaints(refused.err).size(), 1u) << refused.err;
  }
  send_signal(std::stoi(writer), SIGKILL);
  EXPECT_EQ(run({DETSHIM_COMMAND, "verify", "--restore"}, {}, folder()).status, 0);
  EXPECT_EQ(read("out"), "mine");
}

// At whatever moment it was killed, a request ends with a word, and the user's file is there.
TEST_F(Verify, SaysWhatItPutBackWheneverItWasKilled) {
  std::mt19937 random(7);
  for (int i = 0; i < 12; ++i) {
    fs::remove_all(kept());
    write("out", "mine");
    Running running(words({"--output", "out"}, shell(writes_in_a_child)), {}, folder());
    while (!fs::exists(kept()) && !running.has_ended())
      std::this_thread::yield();
    for (std::size_t left = random() % 3000; left > 0; --left)
      std::this_thread::yield();
    send_signal(running.process(), SIGKILL);
    running.wait();
    const Result restored = run({DETSHIM_COMMAND, "verify", "--restore"}, {}, folder());
    EXPECT_EQ(restored.status, 0) << restored.err;
    EXPECT_EQ(lines(restored.err).size(), 1u) << restored.err;
    EXPECT_EQ(read("out"), "mine") << restored.err;
  }
}

TEST_F(Verify, PutsBackWhatAKilledOneHadSetAside) {
  for (const std::string where :
       {"second", "elsewhere/second"}) { // beside the killed one's folder, and not
    fs::remove_all(kept());
    fs::remove_all(folder() / "second");
    fs::remove_all(folder() / "out");
    fs::create_directories(folder() / "out/below");
    write("out/below/f", "mine");
    Running running(words({"--output", "out"}, shell("rm -r out; mkdir out; echo half > out/below; "
                                                     "echo $$ > pid; exec sleep 1000")),
                    {}, folder());
    while (!running.has_ended() && !contents(folder() / "pid").ends_with('\n'))
      std::this_thread::yield();
    send_signal(running.process(), SIGKILL); // its program ends with it
    running.wait();
    fs::remove(folder() / "pid");
    EXPECT_FALSE(fs::is_directory(folder() / "out/below"));
    Words again = words({"--output", "out/*"}, shell("echo x > out/g; echo a"));
    again[5] = (folder() / where).string();
    const Result result = run(again, {}, folder());
    EXPECT_EQ(result.status, equal) << result.out << result.err;
    EXPECT_EQ(complaints(result.err).size(), 1u) << result.err;
    EXPECT_TRUE(is_put_back(result.err, kept() / "before")) << result.err;
    EXPECT_EQ(contents(folder() / "out/below/f"), "mine");
  }
}

// The program had made the same file anew: that one goes to a folder of its own, and the user's is
// back.
TEST_F(Verify, PutsBackWhatAKilledOneHadSetAsideOverWhatItsProgramMade) {
  write("out", "mine");
  Running running(
      words({"--output", "out"}, shell("echo half > out; echo $$ > pid; exec sleep 1000")), {},
      folder());
  while (!running.has_ended() && !contents(folder() / "pid").ends_with('\n'))
    std::this_thread::yield();
  send_signal(running.process(), SIGKILL);
  running.wait();
  EXPECT_EQ(read("out"), "half\n");
  Words again = words({"--output", "out"}, shell("echo a > out; echo a"));
  again[5] = (folder() / "second").string();
  EXPECT_EQ(run(again, {}, folder()).status, equal);
  EXPECT_EQ(read("out"), "mine");
}

/// `detshim verify` there, ended by SIGKILL while its program runs, and the program too. It keeps
/// its runs in `kept_in`.
void kill_one(Words command, const fs::path& kept_in, const fs::path& where,
              const Environment& environment = {}) {
  command[5] = kept_in.string();
  const fs::path pid = where / "pid";
  Running running(command, environment, where);
  while (!running.has_ended() && !contents(pid).ends_with('\n'))
    std::this_thread::yield();
  send_signal(running.process(), SIGKILL);
  running.wait();
  send_signal(std::stoi("0" + contents(pid)), SIGKILL);
  fs::remove(pid);
}
const std::string sleeps = "echo $$ > pid; exec sleep 1000";

// A folder that was cloned, copied or moved brings its journals along.
TEST_F(Verify, ObeysNoJournalOfOtherFolders) {
  const fs::path before = folder() / "log/old/before", w = folder() / "w", other = folder() / "w2";
  fs::create_directories(before / "here");
  fs::permissions(before, fs::perms::owner_all);
  write("victim", "mine");
  write("log/old/before/here/rc", "theirs");
  const std::string target = (folder() / "victim").string();
  std::ofstream(before / "journal")
      << "file" << '\0' << target << '\0' << "here/rc" << '\0' << "moved" << '\0';
  ::chmod((before / "journal").c_str(), 0600);
  Words command = words({"--output", "x"}, shell("echo x > x; echo a"));
  command[5] = (folder() / "log/new").string();
  const Result cloned = run(command, {}, folder());
  EXPECT_EQ(cloned.status, equal) << cloned.err;
  EXPECT_EQ(complaints(cloned.err).size(), 1u) << cloned.err;
  EXPECT_TRUE(contains(cloned.err, in_quotes(before))) << cloned.err;
  EXPECT_FALSE(is_put_back(cloned.err, before)) << cloned.err;
  EXPECT_EQ(read("victim"), "mine");
  EXPECT_EQ(contents(before / "here/rc"), "theirs");

  for (const bool is_moved : {false, true}) {
    fs::remove_all(w);
    fs::remove_all(other);
    fs::create_directories(w / "out");
    write("w/out/f", "mine");
    kill_one(words({"--output", "out"}, shell("chmod 750 out; " + sleeps)), w / "log/old", w);
    ASSERT_EQ(contents(w / "log/old/before/here/out/f"), "mine");
    if (is_moved) {
      fs::rename(w, other);
      fs::create_directories(w / "out");
    } else {
      ASSERT_EQ(run({"cp", "-a", w.string(), other.string()}).status, 0);
    }
    ::chmod((w / "out").c_str(), 0700);
    command[5] = (other / "log/new").string();
    const Result result = run(command, {}, other);
    EXPECT_EQ(result.status, equal) << result.err;
    EXPECT_EQ(complaints(result.err).size(), 1u) << result.err;
    EXPECT_TRUE(contains(result.err, in_quotes(other / "log/old/before"))) << result.err;
    EXPECT_FALSE(is_put_back(result.err, other / "log/old/before")) << result.err;
    EXPECT_FALSE(fs::exists(w / "out/f")) << is_moved;
    EXPECT_EQ(fs::status(w / "out").permissions(), fs::perms::owner_all) << is_moved;
    EXPECT_EQ(contents(other / "log/old/before/here/out/f"), "mine") << is_moved;
  }
}

TEST_F(Verify, PutsBackWithoutOutputsToo) {
  for (const char* const kept_in : {"log/old", "log/new", "away/new"}) {
    for (const char* const path : {"log", "away", "out"})
      fs::remove_all(folder() / path);
    fs::create_directories(folder() / "out");
    write("out/f", "mine");
    kill_one(words({"--output", "out"}, shell(sleeps)), folder() / "log/old", folder());
    ASSERT_FALSE(fs::exists(folder() / "out/f"));
    Words command = words({}, shell("echo a"));
    command[5] = (folder() / kept_in).string();
    const Result result = run(command, {}, folder());
    EXPECT_TRUE(is_put_back(lines(result.err).at(0), folder() / "log/old/before"))
        << kept_in << result.err;
    EXPECT_EQ(result.status == wrong_use, kept_in == std::string("log/old")) << result.err;
    EXPECT_EQ(read("out/f"), "mine") << kept_in;
  }
}

TEST_F(Verify, KeepsItsClaimsWithTheUsersState) {
  const fs::path home = folder() / "home", state = folder() / "state";
  const std::string nowhere = "/dev/null";
  for (const auto& [environment, claims] : std::vector<std::pair<Environment, fs::path>>{
           {{{"XDG_STATE_HOME", state}, {"HOME", home}}, state / "detshim/outputs"},
           {{{"XDG_STATE_HOME", nowhere}, {"HOME", home}},
            home / ".local/state/detshim/outputs"}}) {
    write("f", "mine");
    kill_one(words({"--output", "f"}, shell(sleeps)), folder() / "log/old", folder(), environment);
    ASSERT_FALSE(fs::exists(folder() / "f"));
    EXPECT_TRUE(fs::exists(claims / "turn")) << claims;
    Words command = words({"--output", "f"}, shell("echo a > f; echo a"));
    command[5] = (folder() / "elsewhere/new").string();
    EXPECT_EQ(run(command, environment, folder()).status, equal);
    EXPECT_EQ(read("f"), "mine");
    fs::remove_all(folder() / "elsewhere");
    fs::remove_all(folder() / "log");
  }
}

/// In a file system of its own at /tmp.
TEST_F(Verify, RefusesToWorkWhereNoClaimCanBeMade) {
  if (::geteuid() != 0 || run({"unshare", "-m", "true"}).status != 0 ||
      folder().string().starts_with("/tmp/"))
    GTEST_SKIP() << "needs mounts, and a scratch folder that is not in /tmp";
  const std::string claims = "/tmp/detshim-outputs-0";
  const auto verify_after = [&](const std::string& made_before) {
    fs::remove_all(kept());
    Words all = {"unshare",
                 "-m",
                 "/bin/sh",
                 "-c",
                 "mount -t tmpfs none /tmp && { " + made_before + "; } && \"$@\"; status=$?; ls " +
                     claims + " >&2; exit $status",
                 "sh"};
    const Words verify = words({"--output", "f"}, shell("echo x > f; echo a; touch ran"));
    all.insert(all.end(), verify.begin(), verify.end());
    return run(all, {{"XDG_STATE_HOME", "/dev/null"}, {"HOME", "/dev/null"}}, folder());
  };
  write("f", "mine");
  const Result fine = verify_after("true");
  EXPECT_EQ(fine.status, equal) << fine.err;
  EXPECT_EQ(complaints(fine.err), Words{"turn"});
  fs::remove(folder() / "ran");
  for (const std::string& made :
       {": >" + claims, "ln -s /root " + claims,
        "mkdir -m 700 " + claims + "; chown 65534 " + claims, "mkdir -m 777 " + claims}) {
    const Result result = verify_after(made);
    EXPECT_EQ(result.status, wrong_use) << made << result.out;
    EXPECT_TRUE(contains(result.err, "'" + claims + "'")) << result.err;
    EXPECT_FALSE(fs::exists(folder() / "ran")) << made;
    EXPECT_EQ(read("f"), "mine");
  }
}

TEST_F(Verify, PutsNothingIntoAFileSystemThatWasMounted) {
  if (::geteuid() != 0 || run({"unshare", "-m", "true"}).status != 0)
    GTEST_SKIP() << "needs mounts";
  fs::create_directories(folder() / "out/below");
  write("out/f", "mine");
  write("out/below/g", "mine too");
  Words all = {"unshare", "-m"};
  const Words verify =
      words({"--output", "out"},
            shell("mount -t tmpfs none out; mkdir out/below; echo x > out/f; echo a"));
  all.insert(all.end(), verify.begin(), verify.end());
  const Result result = run(all, {}, folder());
  EXPECT_EQ(result.status, wrong_use);
  EXPECT_EQ(complaints(result.err).size(), 1u) << result.err;
  EXPECT_TRUE(contains(result.err, in_quotes(folder() / "out"))) << result.err;
  EXPECT_TRUE(contains(result.err, in_quotes(kept() / "before"))) << result.err;
  EXPECT_EQ(contents(kept() / "before/here/out/f"), "mine");
  EXPECT_EQ(contents(kept() / "before/here/out/below/g"), "mine too");
  EXPECT_FALSE(
      fs::exists(kept() / "run-1/outputs/here/out/f")); // what is in it may be somebody's own
}

// What the command names is what was there: not another folder of the same file system, as a
// program that builds a system's tree mounts it and does not always take it away.
TEST_F(Verify, MovesNothingOutOfAFolderThatWasMounted) {
  if (::geteuid() != 0 || run({"unshare", "-m", "true"}).status != 0)
    GTEST_SKIP() << "needs mounts";
  struct Case {
    std::string script, says, left;
  };
  for (const Case& one : std::vector<Case>{
           {"mkdir -p out/new; mount --bind away out/new", "/out/new' was mounted since",
            "away/f=theirs out/f=mine "},
           {"mount --bind away out/old", "/out/old': something was mounted",
            "away/f=theirs out/f=mine "},
           {"mount --bind away out", "/out': something was mounted", "away/f=theirs "},
           {"mkdir out/f; mount --bind away out/f", "/out/f': something was mounted",
            "away/f=theirs "}}) {
    for (const char* const path : {"out", "away"})
      fs::remove_all(folder() / path);
    fs::create_directories(folder() / "out/old");
    fs::create_directories(folder() / "away");
    write("out/f", "mine");
    write("away/f", "theirs");
    Words all = {"unshare", "-m"};
    const Words verify = words({"--output", "out"}, shell(one.script + "; echo a"));
    all.insert(all.end(), verify.begin(), verify.end());
    fs::remove_all(kept());
    const Result result = run(all, {}, folder());
    EXPECT_TRUE(result.status == unverified || result.status == wrong_use)
        << one.script << result.out << result.err;
    EXPECT_TRUE(contains(result.out + result.err, one.says)) << result.out << result.err;
    EXPECT_EQ(tree(folder()), one.left) << one.script << result.out << result.err;
    if (!contains(one.left, "mine")) {
      EXPECT_EQ(contents(kept() / "before/here/out/f"), "mine") << one.script << result.err;
    }
  }
}

TEST_F(Verify, CountsAFileForEachPatternThatMatchesIt) {
  fs::create_directories(folder() / "d/e");
  const Result result = verify({"--output", "d", "--output", "d/e/x", "--output", "d/*/x"},
                               shell("echo x > d/e/x; echo a"));
  EXPECT_EQ(result.status, equal) << result.out;
  EXPECT_EQ(problems(), Words{}) << result.out;
  EXPECT_FALSE(compared("output", "d/e/x").is_null()) << kept_document()["compared"];
}

TEST_F(Verify, RefusesAReportThatIsAnOutput) {
  fs::create_directories(folder() / "d");
  write("d/r", "mine");
  write("d/hard", "mine");
  fs::create_symlink("d/r", folder() / "link");
  fs::create_hard_link(folder() / "d/hard", folder() / "second");
  fs::create_directory_symlink("d", folder() / "to_d");
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  for (const auto& [output, report] : Pairs{{"d", "d/r"},
                                            {"d/*", "link"},
                                            {"d", "to_d/new"},
                                            {"to_d/new", "d/new"},
                                            {"d", "second"}}) {
    const Result result =
        verify({"--output", output, "--junit", report}, shell("touch ran; echo a"));
    EXPECT_EQ(result.status, wrong_use) << output << report << result.out;
    EXPECT_EQ(complaints(result.err).size(), 1u) << result.err;
    EXPECT_TRUE(contains(result.err, "'" + report + "'")) << result.err;
    EXPECT_FALSE(fs::exists(folder() / "ran"));
    EXPECT_EQ(read("d/r") + read("d/hard"), "minemine");
  }
  for (const auto& [output, report] :
       Pairs{{"*.npz", "r.xml"}, {"d", "dr"}, {"d/*/x", "d/r.xml"}, {"*/x", "x"}})
    EXPECT_FALSE(
        contains(verify({"--output", output, "--junit", report}, shell("echo a")).err, "--junit"))
        << output << report;
  const Result redirected = run({"/bin/sh", "-c", "\"$@\" >d/r", "sh", DETSHIM_COMMAND, "verify",
                                 "--library", DETSHIM_LIBRARY, "--json", "--output", "d/*", "echo"},
                                {}, folder());
  EXPECT_EQ(redirected.status, wrong_use);
  EXPECT_EQ(complaints(redirected.err).size(), 1u) << redirected.err;
  EXPECT_TRUE(contains(redirected.err, "--output")) << redirected.err;
}

TEST_F(Verify, IsAloneAtItsOutputsBehindALink) {
  fs::create_directory(folder() / "real");
  fs::create_directory_symlink("real", folder() / "link");
  Running running(words({"--output", "link/*"}, shell(": > begun; exec sleep 1000")), {}, folder());
  while (!fs::exists(folder() / "begun") && !running.has_ended())
    std::this_thread::yield();
  Words second = words({"--output", "real/f"}, shell("echo a"));
  second[5] = (folder() / "second").string();
  const Result refused = run(second, {}, folder());
  EXPECT_EQ(refused.status, wrong_use) << refused.out;
  EXPECT_TRUE(contains(refused.err, std::to_string(running.process()))) << refused.err;
  send_signal(running.process(), SIGTERM);
  running.wait();
}

TEST_F(Verify, ComparesArraysByTheirContents) {
  const std::string script = contents(PROGRAMS_FOLDER "/saves_arrays.py");
  if (run({"/usr/bin/python3", "-c", "import numpy"}).status != 0)
    GTEST_SKIP() << "no numpy";
  const auto with = [&](const std::string& seed) {
    std::string text = script;
    return python(text.replace(text.find("SEED"), 4, seed));
  };
  EXPECT_EQ(verify({"--output", "out.np*"}, with("random.random()")).status, equal);
  const Json document =
      verify_json({"--output", "out.np*"}, with("__import__('time').time_ns() % 10**9"));
  EXPECT_EQ(document["verdict"], "different");
  ASSERT_EQ(document["differences"].size(), 2u) << document;
  EXPECT_EQ(document["differences"][0]["where"], "array [1, 2]");
  EXPECT_EQ(document["differences"][1]["where"], "'w' [1, 2]");
  EXPECT_EQ(document["differences"][0]["count"], 1);
}

TEST_F(Verify, ComparesCheckpointsByTensor) {
  if (run({"/usr/bin/python3", "-c", "import torch"}).status != 0)
    GTEST_SKIP() << "no PyTorch";
  const Json document = verify_json({"--output", "out.pt"},
                                    python(contents(PROGRAMS_FOLDER "/saves_a_checkpoint.py")));
  ASSERT_EQ(document["differences"].size(), 1u) << document;
  EXPECT_TRUE(contains(document["differences"][0]["where"], "(model.bias)' [1]")) << document;
}

// What a link leads to was not compared, be it so in one of the runs alone.
TEST_F(Verify, IsNotEqualWhereALinkLeadsElsewhereInOneRun) {
  for (const char* const program :
       {"test -e n && echo hi > other; : > n; ln -s other l",
        "test -e n && rm -f other || echo hi > other; : > n; ln -s other l"}) {
    fs::remove(folder() / "n");
    fs::remove(folder() / "other");
    const Json document = verify_json({"--output", "l"}, shell(program));
    EXPECT_EQ(document["verdict"], "unverified") << document;
    EXPECT_EQ(document["problems"][0]["kind"], "not_compared") << document;
  }
}

// ------------------------------------------------------------------ metrics

TEST_F(Verify, ComparesMetricsWithATolerance) {
  // The second run sees the file that the first has left.
  const Words program = shell("echo loss=1; test -e n && echo loss=1.0005 || echo loss=1; : > n");
  const auto verdict = [&](Words options) {
    fs::remove(folder() / "n");
    options.insert(options.begin(), {"--metric", R"(loss=(\S+))"});
    return verify_json(options, program);
  };
  const Json exact = verdict({});
  EXPECT_EQ(exact["verdict"], "different");
  EXPECT_EQ(exact["differences"][1]["kind"], "metric") << exact;
  EXPECT_EQ(exact["differences"][1]["where"], "step 2 (stdout line 2)");
  EXPECT_EQ(verdict({"--rtol", "1e-3", "--atol", "1e-3"})["verdict"], "equal");
  EXPECT_EQ(verdict({"--rtol", "1e-5"})["verdict"], "different");
}

/// The rest of what hours of runs gave is compared all the same.
TEST_F(Verify, ComparesTheRestWhereAMetricIsNoNumber) {
  const Words options = {"--metric", R"(loss=(\S+))", "--metric", R"(acc=(\S+))"};
  const Json same = verify_json(options, shell("echo loss=0.5, acc=1"));
  EXPECT_EQ(same["verdict"], "unverified") << same;
  EXPECT_EQ(same["problems"].size(), 1U) << same;
  EXPECT_EQ(same["problems"][0]["kind"], "not_compared") << same;
  const Json other = verify_json(options, shell("echo loss=0.5, acc=$(date +%N)"));
  EXPECT_EQ(other["verdict"], "different") << other;
  EXPECT_EQ(other["differences"][1]["subject"], R"(acc=(\S+))") << other;
}

// ------------------------------------------------------------------ killed and started again

/// A script that goes on from a checkpoint, which it writes after each of six steps. It adds a line
/// to `starts` each time that it is started; the third time it stops behind step 3, until it is
/// killed.
Words resumable(const std::string& name, const fs::path& starts, const std::string& more = "") {
  return {"/bin/sh", "-c", contents(PROGRAMS_FOLDER "/" + name), "sh", starts.string(), more};
}

TEST_F(Verify, ComparesAResumedRunToTheWholeOne) {
  const TemporaryFolder outside;
  const fs::path starts = outside.path() / "starts";
  const auto resumed = [&](const std::string& sum, const std::string& after) {
    fs::remove(starts);
    return verify_json(
        {"--output", "ckpt", "--metric", R"(loss=(\S+))", "--resume", "kill after " + after},
        resumable("resumes_a_sum.sh", starts, sum));
  };
  const Json good = resumed("", "loss=6$");
  EXPECT_EQ(good["verdict"], "equal") << good;
  EXPECT_EQ(good["resumed"].size(), 2u);
  EXPECT_FALSE(fs::exists(folder() / "ckpt"));

  // Killed behind the third step, which is saved before it is printed.
  fs::remove(starts);
  const Json saved =
      verify_json({"--output", "ckpt", "--metric", R"(loss=(\S+))", "--resume", "kill after saved"},
                  resumable("saves_before_it_prints.sh", starts));
  EXPECT_EQ(saved["verdict"], "equal") << saved;
  EXPECT_TRUE(contains(saved["notes"].dump(), "step 3 ")) << saved;

  const Json bad = resumed("0", "loss=6$"); // the sum is forgotten
  EXPECT_EQ(bad["verdict"], "different") << bad;
  ASSERT_EQ(bad["differences"].size(), 2u) << bad;
  EXPECT_EQ(bad["differences"][0]["subject"], "ckpt");
  EXPECT_EQ(bad["differences"][1]["where"], "step 4 (after it was resumed)");
  EXPECT_EQ(bad["differences"][1]["perturbation"], "resume");
  const Result page = run({DETSHIM_COMMAND, "report", kept().string(), "-o", "-"}, {}, folder());
  EXPECT_TRUE(contains(page.out, bad["differences"][1]["where"])) << page.err;

  const Result never = verify({"--output", "ckpt", "--resume", "kill after nothing"},
                              shell("echo a; echo b > ckpt"));
  EXPECT_EQ(never.status, unverified);
  EXPECT_EQ(problems()[0], "not_killed") << never.out;
}

// ------------------------------------------------------------------ ended before their ends

/// Each run prints a result and the end of an epoch, then something else each time, and waits.
Words endless(const std::string& result) {
  return {"/bin/sh", "-c", result + "; echo epoch 1; date +%N; sleep 1000"};
}

TEST_F(Verify, EndsRunsAtALine) {
  const Json same = verify_json({"--until", "epoch 1$"}, endless("echo loss=0.5"));
  EXPECT_EQ(same["verdict"], "equal") << same;
  EXPECT_EQ(same["until"], "epoch 1$");
  EXPECT_EQ(same["runs"][0]["ending"], "ended where it was to end");
  EXPECT_EQ(compared("stdout")["amount"], "2 lines");
  EXPECT_TRUE(compared("exit status").is_null());
  EXPECT_TRUE(compared("result", "loss")["equal"]) << same;
  // Of the rest of such a run nothing is known: it is no evidence for a later one.
  EXPECT_FALSE(fs::exists(folder() / "detshim-evidence.json"));
  const Result attested = run({DETSHIM_COMMAND, "attest", kept().string()}, {}, folder());
  EXPECT_TRUE(contains(attested.out, R"("result": "WARNED")")) << attested.out << attested.err;

  const Json other = verify_json({"--until", "epoch 1$"},
                                 endless("test -e n && echo loss=0.6 || echo loss=0.5; : > n"));
  EXPECT_EQ(other["verdict"], "different") << other;
  EXPECT_EQ(other["differences"][0]["subject"], "loss");
}

/// One run prints the line as its last, and has ended before anybody has seen it.
TEST_F(Verify, EndsAtALineARunThatEndsThereByItself) {
  const Json same = verify_json({"--until", "epoch 1"},
                                shell("echo loss=0.5; echo epoch 1; if test -e n; then echo more; "
                                      "sleep 1000; fi; : > n"));
  EXPECT_EQ(same["verdict"], "equal") << same;
  EXPECT_EQ(compared("stdout")["amount"], "2 lines");
}

TEST_F(Verify, EndsControlsAtTheLineToo) {
  const Json document =
      verify_json({"--control", "--until", "epoch 1$"},
                  {"python3", "-c",
                   "import random, time; print(random.random()); print('epoch 1', flush=True); "
                   "time.sleep(1000)"});
  EXPECT_EQ(document["verdict"], "equal") << document;
}

/// How many seeds such a run has passed is chance.
TEST_F(Verify, LearnsNoSeedsFromRunsThatItEnds) {
  const Words program = {"python3", PROGRAMS_FOLDER "/seeds_by_a_hashed_clock.py"};
  EXPECT_EQ(verify_json({"--until", "epoch 1"}, program)["verdict"], "different");
  fs::remove(folder() / "detshim-evidence.json");
  EXPECT_EQ(verify_json({}, program)["verdict"], "equal");
}

TEST_F(Verify, SaysWhereNoLineEndsARun) {
  const Json whole = verify_json({"--until", "epoch 2"}, shell("echo loss=0.5"));
  EXPECT_EQ(whole["verdict"], "equal") << whole;
  EXPECT_EQ(compared("exit status")["equal"], true);
  EXPECT_TRUE(contains(whole["notes"].dump(), "epoch 2")) << whole;
  const Result refused = verify({"--until", "epoch", "--output", "x"}, shell("echo a"));
  EXPECT_EQ(refused.status, wrong_use);
}

TEST_F(Verify, EndsRunsAtTheFirstValues) {
  const std::string steps =
      "for i in 1 2 3; do echo step $i loss=0.$i acc 0.5; done; date +%N; sleep 1000";
  const Json same = verify_json({"--first", "3"}, shell(steps));
  EXPECT_EQ(same["verdict"], "equal") << same;
  EXPECT_EQ(same["first"], 3);
  EXPECT_EQ(same["until"], Json());
  EXPECT_EQ(compared("stdout")["amount"], "3 lines");
  EXPECT_FALSE(fs::exists(folder() / "detshim-evidence.json"));
  const Result attested = run({DETSHIM_COMMAND, "attest", kept().string()}, {}, folder());
  EXPECT_TRUE(contains(attested.out, R"("result": "WARNED")")) << attested.out << attested.err;

  // Whole numbers are none but for a metric, which counts wherever it stands.
  EXPECT_EQ(verify_json({"--first", "2", "--metric", R"(step (\d+))"}, shell(steps))["verdict"],
            "equal");
  EXPECT_EQ(compared("stdout")["amount"], "2 lines");

  const Json whole = verify_json({"--first", "2"}, shell("echo loss=0.5 acc=0.5; echo step 7"));
  EXPECT_EQ(whole["verdict"], "equal") << whole;
  EXPECT_EQ(compared("stdout")["amount"], "2 lines");
  EXPECT_EQ(verify({"--first", "2", "--until", "x"}, shell("echo a")).status, wrong_use);
  EXPECT_EQ(verify({"--first", "2", "--output", "x"}, shell("echo a")).status, wrong_use);
  EXPECT_EQ(verify({"--first", "0"}, shell("echo a")).status, wrong_use);
}

/// Two where none fits.
TEST_F(Verify, DoesAsManyRunsAsItsBudgetHasTimeFor) {
  const Words reads_a_clock = {"python3", "-S", "-c", "import time; print(time.time() > 1e9)"};
  const Json short_budget = verify_json({"--budget", "0.001s"}, reads_a_clock);
  EXPECT_EQ(short_budget["runs"].size(), 2U) << short_budget;
  EXPECT_TRUE(contains(short_budget["notes"].dump(), "--budget")) << short_budget;
  EXPECT_EQ(verify({"--budget", "soon"}, reads_a_clock).status, wrong_use);
  EXPECT_EQ(verify({"--budget", "1m", "-n", "3"}, reads_a_clock).status, wrong_use);
}

/// A fault of detshim's is not looked for in the program.
TEST_F(Verify, SaysThatAProgramFailsWhenEnforcedAlone) {
  const Words program = shell("echo $DETSHIM_MODE; test $DETSHIM_MODE = observe");
  EXPECT_EQ(verify({"--control"}, program).status, unverified);
  EXPECT_EQ(problems()[0], "fails_when_enforced");
  EXPECT_EQ(problems()[1], "failed");
  verify({"--control"}, shell("date +%N; false"));
  EXPECT_EQ(problems()[0], "failed");
}

/// The second run would wait for ever. Where no number of runs is given, the difference ends it.
TEST_F(Verify, EndsARunAtItsFirstDifference) {
  Words all =
      words({"--json"}, shell("if test -e n; then echo loss=0.6; echo more; sleep 1000; fi; "
                              "echo loss=0.5; echo more; : > n"));
  all.erase(std::ranges::find(all, "-n"), std::ranges::find(all, "-n") + 2);
  fs::remove_all(kept());
  const Result result = run(all, {}, folder());
  const Json document = Json::parse(result.out, nullptr, false);
  EXPECT_EQ(document["verdict"], "different") << result.out << result.err;
  EXPECT_EQ(document["runs"][1]["ending"], "ended at a difference");
  ASSERT_EQ(document["differences"].size(), 2u) << document;
  EXPECT_EQ(document["differences"][0]["kind"], "result");
  EXPECT_EQ(document["differences"][1]["kind"], "stdout");
  EXPECT_EQ(document["differences"][1]["of"], 2);
  EXPECT_TRUE(compared("exit status").is_null());
}

// ------------------------------------------------------------------ planted faults

struct Fault {
  std::string name, perturbation;
};

class Faults : public Verify, public testing::WithParamInterface<Fault> {};
INSTANTIATE_TEST_SUITE_P(All, Faults,
                         testing::Values(Fault{"clock", ""}, Fault{"threads", ""},
                                         Fault{"address", "aslr"}, Fault{"memory", "fill"},
                                         Fault{"folder", "readdir"}, Fault{"ranks", ""}),
                         [](const auto& tested) {
                           return tested.param.name;
                         });

TEST_P(Faults, AreFound) {
  if (GetParam().perturbation == "aslr" && run({"setarch", "-R", "true"}).status != 0)
    GTEST_SKIP() << "the kernel refuses a fixed layout";
  Words options = {"-n", "3", "--output", "result.*"};
  if (!GetParam().perturbation.empty()) {
    EXPECT_EQ(verify(options, {FAULTS_PROGRAM, GetParam().name}).status, equal)
        << "it shows without being perturbed";
    options.push_back("--perturb=" + GetParam().perturbation);
  }
  const Json document = verify_json(options, {FAULTS_PROGRAM, GetParam().name});
  EXPECT_EQ(document["verdict"], "different") << document;
  for (const Json& difference : document["differences"]) {
    EXPECT_EQ(difference["kind"], "output") << difference;
    EXPECT_EQ(difference["perturbation"],
              GetParam().perturbation.empty() ? Json() : Json(GetParam().perturbation))
        << difference;
    const std::string subject = difference["subject"];
    EXPECT_TRUE(subject == "result.bin" || (GetParam().name == "ranks" && subject == "result.2"))
        << difference;
  }
  const Json fixed = verify_json({"-n", "3", "--output", "result.*", "--perturb"},
                                 {FAULTS_PROGRAM, GetParam().name, "fixed"});
  EXPECT_EQ(fixed["verdict"], "equal") << fixed;
}

/// A program that prints what the perturbation turns.
class Perturbations : public Verify,
                      public testing::WithParamInterface<std::pair<std::string, std::string>> {};
INSTANTIATE_TEST_SUITE_P(
    All, Perturbations,
    testing::Values(std::pair("zone", "date -d @0 +%H"), std::pair("locale", "locale charmap"),
                    std::pair("umask", "umask"), std::pair("host", "uname -n"),
                    std::pair("folder", "pwd"), std::pair("user", "echo $LOGNAME; id -u"),
                    std::pair("clock", "python3 -S -c 'import time; print(time.time() > 1.77e9)'"),
                    std::pair("fill_negative", "./smallest"), std::pair("fill", "./largest")),
    [](const auto& tested) {
      return tested.param.first;
    });

TEST_P(Perturbations, ShowWhatDependsOnThem) {
  const auto& [name, command] = GetParam();
  std::ofstream(folder() / "memory.c") << contents(PROGRAMS_FOLDER "/extreme_memory.c");
  for (const auto& [file, of] : {std::pair("smallest", "<"), std::pair("largest", ">")})
    ASSERT_EQ(run({"gcc", "-DOF=" + std::string(of), "-o", file, "memory.c"}, {}, folder()).status,
              0);
  std::string knob = name;
  std::ranges::replace(knob, '_', '-');
  EXPECT_EQ(verify({}, shell(command)).status, equal);
  const Json document = verify_json({"--perturb=" + knob}, shell(command));
  if (contains("host folder user", name) && document["runs"].size() < 3)
    GTEST_SKIP() << "no namespaces here";
  EXPECT_EQ(document["verdict"], "different") << document;
  ASSERT_FALSE(document["differences"].empty()) << document;
  for (const Json& difference : document["differences"])
    EXPECT_EQ(difference["perturbation"], knob) << document;
}

// What a program reads and writes there is the same.
TEST_F(Verify, GivesTheFolderAnotherNameAndNothingElse) {
  write("given", "1\n");
  const Json document = verify_json({"--perturb=folder,user", "--output", "made"},
                                    shell("cat given >made; cat made"));
  EXPECT_EQ(document["verdict"], "equal") << document;
  // Not without being asked: a path is printed by many.
  EXPECT_EQ(verify({"--perturb"}, shell("pwd; id -un")).status, equal);
  const Result wrong = verify({"--perturb=place"}, shell("true"));
  EXPECT_EQ(wrong.status, wrong_use);
  for (const char* perturbation : {"host", "user", "folder", "clock"})
    EXPECT_TRUE(contains(wrong.err, perturbation)) << wrong.err;
}

// A variable more or less would move it, and be blamed.
TEST_F(Verify, LeavesTheStackWhereItIs) {
  if (run({"setarch", "-R", "true"}).status != 0)
    GTEST_SKIP() << "the kernel refuses a fixed layout";
  write("stack.c", contents(PROGRAMS_FOLDER "/place_of_the_stack.c"));
  ASSERT_EQ(run({"gcc", "-o", "stack", "stack.c"}, {}, folder()).status, 0);
  for (const char* more : {"", "x", "123456789"}) { // of each alignment
    const Result result = verify({"--perturb=fill,readdir,workers,events,zone,umask,locale"},
                                 {"./stack"}, {{"SOME_ROOM", more}});
    EXPECT_EQ(result.status, equal) << result.out;
  }
  EXPECT_EQ(verify({"--perturb=aslr"}, {"./stack"}).status, different);
}

// Ready to paste: with it the runs are equal.
TEST_F(Verify, PrintsTheOptionByWhichALineMayDiffer) {
  for (const std::string text : {"step 1 t/s(3)=", "step 1 of ", "step "}) {
    // Half of what differs begins with the same letter.
    const Words program = shell("echo \"" + text + "$(date +%N | rev | tr 0-9 aaaaabcdef)\"");
    const Result result = verify({"-n", "3"}, program);
    EXPECT_EQ(result.status, different) << result.out;
    const Json differences = kept_document()["differences"];
    EXPECT_EQ(differences.size(), 2U) << differences;
    EXPECT_EQ(differences.at(0)["where"], "line 1") << differences;
    const std::string name = "--volatile '";
    const std::size_t at = result.out.find(name) + name.size(), end = result.out.find("'\n", at);
    EXPECT_EQ(verify({"--volatile", result.out.substr(at, end - at)}, program).status, equal)
        << result.out;
  }
  // None for what ends a line, which no pattern matches.
  const Result ends = verify({}, shell("[ -e came ] && printf 'x\\r' || echo x; : >came"));
  EXPECT_EQ(ends.status, different) << ends.out;
  EXPECT_FALSE(contains(ends.out, "--volatile")) << ends.out;
  // None for a loss, nor where no word stands before what differs.
  for (const auto& [first, second] : {std::pair("loss=1.25", "loss=1.5"),
                                      {"alpha step", "beta step"},
                                      {"[12] step", "[77] step"}}) {
    const std::string once = std::string("came-") + first[0];
    const Result result = verify({"-n", "2"}, shell("[ -e " + once + " ] && echo '" + second +
                                                    "' || echo '" + first + "'; : >" + once));
    EXPECT_TRUE(contains(result.out, first) && contains(result.out, second)) << result.out;
    EXPECT_FALSE(contains(result.out, "--volatile")) << result.out;
  }
}

TEST_F(Verify, TurnsNothingWhereRunsDifferAnyway) {
  const Words program = shell("date +%N | tr 0-9 a-j");
  const Json document = verify_json({"--perturb"}, program);
  EXPECT_EQ(document["verdict"], "different") << document;
  for (const Json& run : document["runs"])
    EXPECT_EQ(run["perturbation"], Json()) << run;
  const std::size_t notes_without = verify_json({}, program)["notes"].size();
  EXPECT_EQ(document["notes"].size(), notes_without + 1) << document;
}

TEST_F(Verify, EndsARunThatTakesTooLong) {
  const Result result = verify({"--timeout", "1"}, shell("echo a; sleep 1000"));
  EXPECT_EQ(result.status, unverified) << result.out;
  EXPECT_EQ(problems()[0], "timeout") << result.out;
  // One that was to be killed at a line, which did not come.
  const Result killed = verify(
      {"--timeout", "1", "--resume", "kill after never", "--metric", R"(a(\d))"},
      shell("echo a1; [ ! -e third ] || sleep 1000; [ ! -e second ] || : > third; : > second"));
  EXPECT_EQ(killed.status, unverified) << killed.out;
  EXPECT_EQ(problems()[0], "timeout") << killed.out;
  EXPECT_EQ(kept_document()["runs"].size(), 2U) << "the one that was to be killed was too long";
}

// A test that fails must not end what is none of its own.
TEST(Signals, ReachOneProcess) {
  EXPECT_TRUE(send_signal(::getpid(), 0));
  EXPECT_FALSE(send_signal(0, 0));
  EXPECT_FALSE(send_signal(-1, 0));
}

TEST_F(Verify, BeginsEachRunWithEmptyCaches) {
  const Words program =
      shell("cat $XDG_CACHE_HOME/n 2>/dev/null; echo cached > $XDG_CACHE_HOME/n; echo done");
  const std::string caches = (folder() / "caches").string();
  fs::create_directory(caches);
  EXPECT_EQ(verify({"--ignore", "*"}, program, {{"XDG_CACHE_HOME", caches}}).status, different);
  fs::remove(fs::path(caches) / "n");
  EXPECT_EQ(
      verify({"--ignore", "*", "--fresh-cache"}, program, {{"XDG_CACHE_HOME", caches}}).status,
      equal);
}

TEST_F(Verify, NamesWhatARunLeftBehind) {
  const Result result = verify({}, shell("setsid sleep 1000 & echo a"));
  EXPECT_EQ(result.status, unverified) << result.out;
  const std::size_t at = result.out.rfind("behind: "), end = result.out.find(" (sleep)");
  ASSERT_NE(end, std::string::npos) << result.out;
  send_signal(std::stoi(result.out.substr(at + 8, end - at - 8)), SIGKILL);
}

TEST_F(Verify, TakesAPipelineWhoseReaderHasEnoughForAnEnd) {
  const Words pipeline = {"/bin/bash", "-c", "set -o pipefail; yes | head -2"};
  EXPECT_EQ(run(pipeline).status, 128 + SIGPIPE);
  EXPECT_EQ(verify({}, pipeline).status, equal);
}

TEST_F(Verify, SaysEachRunAsItEnds) {
  const Result result = verify({}, shell("echo a"));
  EXPECT_TRUE(contains(result.err, "detshim: run 1: ")) << result.err;
  EXPECT_TRUE(contains(result.err, " s, status 0\n")) << result.err;
}

// ------------------------------------------------------------------ reports, and what is refused

TEST_F(Verify, WritesJsonAndJunit) {
  const Json document =
      verify_json({"--junit", "report.xml", "-n", "3"}, shell("echo '<&>'; date +%N"));
  EXPECT_EQ(document["schema_version"], 1);
  EXPECT_EQ(document["host"].get<std::string>() + "\n", run({"uname", "-n"}).out);
  EXPECT_TRUE(document["date"].get<std::string>().starts_with("20")) << document["date"];
  EXPECT_GE(document["seconds"], document["runs"][0]["seconds"]);
  EXPECT_EQ(document["runs"].size(), 3u);
  EXPECT_EQ(document["bound"], Json());
  const Result parsed =
      run(python("import sys, xml.etree.ElementTree as t; s = t.parse('report.xml').getroot()[0]; "
                 "print(s.get('tests'), s.get('failures'), s.get('errors'))"),
          {}, folder());
  EXPECT_EQ(parsed.out, "4 2 0\n") << parsed.err;
}

TEST_F(Verify, WritesSarifWithTheLineOfTheFirstCause) {
  write("program.py", contents(PROGRAMS_FOLDER "/draws_one_more_each_time.py"));
  EXPECT_EQ(verify({"--sarif", "report.sarif"}, {"/usr/bin/python3", "program.py"}).status,
            different);
  const Json report = Json::parse(read("report.sarif"));
  const Json result = report["runs"][0]["results"].at(0);
  EXPECT_EQ(result["ruleId"], "different");
  EXPECT_EQ(result["level"], "error");
  ASSERT_EQ(result["locations"].size(), 1u) << report;
  const Json& at = result["locations"][0]["physicalLocation"];
  EXPECT_EQ(at["artifactLocation"]["uri"], "program.py");
  EXPECT_EQ(at["region"]["startLine"], 8);
  EXPECT_EQ(verify({"--sarif", "report.sarif"}, shell("echo a")).status, 0);
  EXPECT_EQ(Json::parse(read("report.sarif"))["runs"][0]["results"], Json::array());
}

TEST_F(Verify, WritesSarifWithUrisOfFiles) {
  const TemporaryFolder elsewhere;
  fs::create_directories(folder() / "my project");
  fs::create_directory(elsewhere.path() / "a b");
  const std::string outside = fs::canonical(elsewhere.path()) / "a b" / "t.py";
  for (const auto& [file, uri] : std::vector<std::pair<std::string, std::string>>{
           {"my project/t.py", "my%20project/t.py"},
           {"a#b&%41<c>|d.py", "a%23b%26%2541%3Cc%3E%7Cd.py"},
           {"\xc3\xa4:1.py", "%C3%A4%3A1.py"},
           {outside, "file://" + outside.substr(0, outside.rfind("a b")) + "a%20b/t.py"}}) {
    std::ofstream(folder() / file) << "import time\nprint(time.time_ns() % 9973)\n";
    EXPECT_EQ(verify({"--sarif", "report.sarif"}, {"/usr/bin/python3", file}).status, different);
    const Json result = Json::parse(read("report.sarif"))["runs"][0]["results"].at(0);
    ASSERT_EQ(result["locations"].size(), 1u) << result;
    const Json& at = result["locations"][0]["physicalLocation"];
    EXPECT_EQ(at["artifactLocation"]["uri"], uri);
    EXPECT_EQ(at["region"]["startLine"], 2);
  }
  // Text that is given to Python has no file.
  EXPECT_EQ(verify({"--sarif", "report.sarif"}, python("import time; print(time.time_ns() % 9973)"))
                .status,
            different);
  EXPECT_EQ(Json::parse(read("report.sarif"))["runs"][0]["results"].at(0)["locations"],
            Json::array());
}

// ------------------------------------------------------------------ the first cause

TEST_F(Verify, ShowsTheFirstCause) {
  write("program.py", contents(PROGRAMS_FOLDER "/seeds_libc_by_its_argument.py"));
  const Words from_a_file =
      shell("n=$(cat count 2>/dev/null || echo 0); echo $((n + 1)) > count; exec "
            "/usr/bin/python3 program.py $((n + 7))");
  const Result text = verify({"--junit", "report.xml"}, from_a_file);
  EXPECT_EQ(text.status, different) << text.out << text.err;
  const std::vector<std::string> all = lines(text.out);
  const auto first = std::ranges::find_if(all, [](const auto& line) {
    return line.starts_with("logs ");
  });
  ASSERT_NE(first, all.end()) << text.out;
  const auto command = std::find_if(first, all.end(), [](const auto& line) {
    return contains(line, "detshim log diff ");
  });
  ASSERT_NE(command, all.end()) << text.out;
  EXPECT_LE(command - first, 5) << text.out;
  EXPECT_TRUE(contains(text.out, kept_document()["first_cause"]["place"])) << text.out;
  EXPECT_TRUE(contains(read("report.xml"), "detshim log diff ")) << read("report.xml");
  const Json cause = verify_json({}, from_a_file)["first_cause"];
  EXPECT_EQ(cause["result"], "different") << cause;
  // It was there before the seed that it became.
  EXPECT_EQ(cause["cause"]["fact"]["subject"], "command line") << cause;
  EXPECT_EQ(cause["role"], "origin");
  const Result whole = run(
      shell("exec " DETSHIM_COMMAND + cause["command"].get<std::string>().substr(7)), {}, folder());
  EXPECT_EQ(whole.status, 1) << whole.err;
}

TEST_F(Verify, NamesTheLineOfTheFirstCause) {
  write("program.py", contents(PROGRAMS_FOLDER "/seeds_once_more_each_time.py"));
  write("count", "7");
  const Json cause = verify_json({}, {"/usr/bin/python3", "program.py"})["first_cause"];
  EXPECT_TRUE(contains(cause["place"], "program.py:5 ")) << cause;
  EXPECT_EQ(cause["cause"]["record"]["function"], "srand") << cause;
}

TEST_F(Verify, SaysThatTheLogsShowNoCause) {
  const Json agree = verify_json(
      {}, python("import os, random; print(random.random()); "
                 "print(open('/proc/uptime').read() + str(os.stat('/proc/self').st_ctime_ns))"))
      ["first_cause"];
  EXPECT_NE(agree["result"], "different") << agree;
  EXPECT_EQ(agree["place"], Json());
  EXPECT_EQ(agree["cause"], Json()) << agree;
  EXPECT_NE(agree["text"], Json()) << agree;
  const Json none = verify_json({}, shell("date +%N"))["first_cause"];
  EXPECT_EQ(none["result"], "equal") << none;
  EXPECT_EQ(verify_json({}, shell("echo a"))["first_cause"], Json());
}

TEST_F(Verify, SaysWhatAResumedRunDrewAgain) {
  // Goes on from where it was, and draws the first numbers a second time. The third start is the
  // one that is killed: it stops behind step 3.
  write("train.py", contents(PROGRAMS_FOLDER "/resumes_and_draws_again.py"));
  const Words options = {"--output",      "ckpt",     "--metric",
                         R"(loss=(\S+))", "--resume", "kill after ^step 2"};
  const Json document = verify_json(options, {"/usr/bin/python3", "train.py"});
  ASSERT_FALSE(document["ledger"].empty()) << document;
  const Json& row = document["ledger"][0];
  EXPECT_TRUE(contains(row["place"], "train.py:5 ")) << row;
  EXPECT_TRUE(row["began_anew"].get<bool>()) << row;
  EXPECT_EQ(row["whole"], 6) << row;
  EXPECT_EQ(row["killed"], 3) << row;
  EXPECT_EQ(row["resumed"], 3) << row;
  EXPECT_TRUE(verify_json({}, shell("echo a"))["ledger"].empty());
  // What the program seeds itself is no draw of detshim's.
  write("train.py", contents(PROGRAMS_FOLDER "/resumes_and_draws_itself.py"));
  for (const char* file : {"starts", "ckpt"})
    fs::remove(folder() / file);
  const Result seeded = verify(options, {"/usr/bin/python3", "train.py"});
  EXPECT_EQ(seeded.status, different) << seeded.out;
  EXPECT_TRUE(kept_document()["ledger"].empty()) << seeded.out;
  EXPECT_FALSE(contains(seeded.out, "<string>")) << seeded.out;
}

/// What the suspects of that kind say; of one kind, each in a line.
std::string suspects_of(const Json& cause, const std::string& kind) {
  std::string text;
  for (const Json& suspect : cause["suspects"])
    if (suspect["kind"] == kind)
      text += suspect["text"].get<std::string>() + "\n";
  return text;
}

// Before a first run, which would end by it.
TEST_F(Verify, RefusesAnEnvironmentsModeThatIsNone) {
  const Result refused = verify({}, shell("echo ran >>runs"), {{"DETSHIM_MODE", "fast"}});
  EXPECT_EQ(refused.status, 2) << refused.out << refused.err;
  EXPECT_TRUE(contains(refused.err, "DETSHIM_MODE='fast'")) << refused.err;
  EXPECT_TRUE(contains(refused.err, "enforce, record, observe, strict or off")) << refused.err;
  EXPECT_FALSE(fs::exists(kept())) << "nothing was begun";
  EXPECT_NE(verify({}, shell("echo 1"), {{"DETSHIM_MODE", "observe"}}).status, 2);
}

// A duration is twice as long where clocks go by steps that are, and what is made of one is not.
TEST_F(Verify, TellsTimesByClocksThatGoBySteps) {
  const auto verdict_of = [&](const std::string& part) {
    write("t.py", section(PROGRAMS_FOLDER "/prints_times.py", part));
    return verify_json({}, {"/usr/bin/python3", "t.py"})["verdict"];
  };
  EXPECT_EQ(verdict_of("shown"), "equal");
  EXPECT_EQ(verdict_of("used"), "different");
  EXPECT_EQ(verdict_of("written_and_used"), "different");
  EXPECT_EQ(verdict_of("in_a_dated_folder"), "equal");
  EXPECT_EQ(verdict_of("of_a_dated_folder"), "unverified") << "a file that no --output names";
  EXPECT_EQ(verdict_of("in_a_pickle"), "equal");
  EXPECT_EQ(verdict_of("of_a_pickle"), "unverified");
  EXPECT_FALSE(contains(contents(folder() / "times.csv"), "\n2.500\n")) << "of the run before";
}

TEST_F(Verify, NamesWhatLeavesNoRecord) {
  const std::string draw = "import random, os, sys, threading, time; random.random(); ";
  // Which of two programs' variables is not the same; its value is not shown, and a secret's not
  // compared.
  const std::string begin =
      "n=$(cat count); echo $((n + 1)) >count; AN_EXAMPLE=value$n MY_TOKEN=secret$n ";
  write("count", "7");
  const Json cause = verify_json({}, shell(begin + "exec /usr/bin/python3 -c \"" + draw +
                                           "print(os.environ['AN_EXAMPLE'])\""))["first_cause"];
  EXPECT_EQ(cause["suspects"].size(), 1u) << cause;
  EXPECT_TRUE(contains(suspects_of(cause, "variable"), " AN_EXAMPLE ")) << cause;
  // The line that reads a folder, where that perturbation was turned, and nothing else.
  write("folder.py", contents(PROGRAMS_FOLDER "/prints_names_of_a_folder.py"));
  const Json folder =
      verify_json({"--perturb=readdir"}, {"/usr/bin/python3", "folder.py"})["first_cause"];
  EXPECT_EQ(folder["suspects"].size(), 1u) << folder;
  EXPECT_TRUE(contains(suspects_of(folder, "folder"), "folder.py:5 ")) << folder;
  // What a perturbation shows, which is not that it was turned.
  write("address.py", contents(PROGRAMS_FOLDER "/prints_an_address.py"));
  const Json address =
      verify_json({"--perturb=aslr"}, {"/usr/bin/python3", "address.py"})["first_cause"];
  EXPECT_EQ(address["suspects"].at(0)["kind"], "address") << address;
  EXPECT_TRUE(address["place"].is_null()) << address;
  // A line that reads a clock.
  write("clock.py", contents(PROGRAMS_FOLDER "/prints_a_reading.py"));
  const Json clock = verify_json({}, {"/usr/bin/python3", "clock.py"})["first_cause"];
  EXPECT_TRUE(contains(suspects_of(clock, "clock"), "clock.py:3 ")) << clock;
}

TEST_F(Verify, BoundsTheRateOfRunsThatDiffer) {
  const Json document = verify_json({"-n", "4"}, shell("echo a"));
  EXPECT_NEAR(document["bound"], 1 - std::pow(0.05, 1.0 / 3), 1e-12);
}

TEST_F(Verify, RefusesWhatItCannotTake) {
  for (const Words& options : std::vector<Words>{{"-n", "1"},
                                                 {"-n", "many"},
                                                 {"--perturb=earthquake"},
                                                 {"--metric", "("},
                                                 {"--metric", "no group"},
                                                 {"--rtol", "-1"},
                                                 {"--rtol", "1"},
                                                 {"--resume", "after 3"},
                                                 {"--resume", "kill after ("},
                                                 {"--output", ""},
                                                 {"--output", "out/**/*.npy"},
                                                 {"--output", "--"},
                                                 {"--output", "--control"},
                                                 {"--junit", "no/such/folder.xml"},
                                                 {"--junit", "."},
                                                 {"--accept", "anything"},
                                                 {"--seed", "x"}}) {
    const Result result = verify(options, shell("echo a"));
    EXPECT_EQ(result.status, 2) << options.back();
    EXPECT_EQ(complaints(result.err).size(), 1u) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_FALSE(fs::exists(kept()));
  }
  EXPECT_EQ(verify({}, {"no-such-program"}).status, 2);
  fs::create_directory(kept());
  std::ofstream(kept() / "mine") << "kept";
  EXPECT_EQ(run(words({}, shell("echo a")), {}, folder()).status, 2);
  EXPECT_EQ(contents(kept() / "mine"), "kept");
}

} // namespace
