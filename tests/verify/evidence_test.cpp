// What `detshim verify` keeps beside the project, and what `detshim log` says of later runs by it.
#include "report/verdict_texts.h"
#include "run.h"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <sys/resource.h>
#include <sys/xattr.h>

namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;
namespace fs = std::filesystem;

class Evidence : public testing::Test {
protected:
  Result detshim(Words words, const Words& program, const Environment& environment = {}) const {
    words.insert(words.begin(), DETSHIM_COMMAND);
    words.insert(words.end(), {"--library", DETSHIM_LIBRARY, "--"});
    words.insert(words.end(), program.begin(), program.end());
    return run(words, environment, scratch_.path());
  }
  Result verify(const Words& program) const { return detshim({"verify", "--seed", "42"}, program); }

  /// The log of one run of it.
  Json log_of(const Words& program, const Environment& environment = {}) const {
    EXPECT_EQ(detshim({"run", "--quiet", "--seed", "42"}, program, environment).status, 0);
    const Result log = run({DETSHIM_COMMAND, "log", "--json"}, {}, scratch_.path());
    said_ = log.err;
    return Json::parse(log.out, nullptr, false);
  }

  void write(const std::string& file, const std::string& text) const {
    std::ofstream(scratch_.path() / file) << text;
  }
  fs::path kept() const { return scratch_.path() / "detshim-evidence.json"; }

  const Words timed_ = {"/usr/bin/python3", "train.py"};
  static std::string checks_a_clock(const std::string& more) {
    return section(PROGRAMS_FOLDER "/checks_a_clock.py", more);
  }
  const std::string script_ = checks_a_clock("and_nothing_more");
  const TemporaryFolder scratch_;
  mutable std::string said_; ///< by the last `log`, on stderr
};

TEST_F(Evidence, OfEqualRunsMakesALaterOneVerified) {
  write("train.py", script_);
  write("mine.py", "x = 1\n");
  const Json before = log_of(timed_);
  EXPECT_EQ(before["verdict"], "unverified");
  EXPECT_EQ(before["evidence"]["answer"], "none");
  ASSERT_EQ(verify(timed_).status, 0);
  const Json after = log_of(timed_);
  EXPECT_EQ(after["verdict"], "verified") << after.dump(1);
  EXPECT_EQ(after["evidence"]["runs"], 5); // since something can differ
  EXPECT_EQ(run({DETSHIM_COMMAND, "log", "--check"}, {}, scratch_.path()).status, 0);
  const Result text = run({DETSHIM_COMMAND, "log"}, {}, scratch_.path());
  EXPECT_NE(text.out.find(" 87 %"), std::string::npos) << text.out; // for a rate of 1 in 3
}

TEST_F(Evidence, HoldsForTheSameProgramOnly) {
  write("train.py", script_);
  write("mine.py", "x = 1\n");
  ASSERT_EQ(verify(timed_).status, 0);
  const auto changed = [&](const Json& log) {
    EXPECT_EQ(log["verdict"], "unverified");
    EXPECT_EQ(log["evidence"]["answer"], "changed");
    return log["evidence"]["names"].dump();
  };
  EXPECT_EQ(changed(log_of(timed_, {{"LR", "0.2"}})), "[\"others: variable LR\"]");
  EXPECT_EQ(changed(log_of(timed_, {{"OMP_NUM_THREADS", "1"}})),
            "[\"settings: variable OMP_NUM_THREADS\"]");
  write("mine.py", "x = 2\n");
  EXPECT_EQ(changed(log_of(timed_)), "[\"code: file mine.py\"]");
  write("run.sh", "python3 -S train.py >/dev/null; date >/dev/null; echo 1\n");
  const Words shell = {"/bin/sh", "run.sh"};
  ASSERT_EQ(verify(shell).status, 0);
  EXPECT_EQ(log_of(shell)["verdict"], "verified");
  write("run.sh", "python3 -S train.py >/dev/null; date >/dev/null; echo 2\n");
  EXPECT_EQ(changed(log_of(shell)), "[\"code: file run.sh\"]");
  const Json other = log_of({"/usr/bin/python3", "train.py", "--lr"});
  EXPECT_EQ(other["evidence"]["names"][0], "code: arguments"); // and mine.py
}

/// What a program prints of its addresses in each of the ways in which it is run: by `verify`, and
/// by `run` with other options, before there is evidence and after.
class SameAddresses : public Evidence {
protected:
  void SetUp() override {
    if (run({"setarch", "-R", "true"}).status != 0)
      GTEST_SKIP() << "the kernel refuses a fixed layout";
  }

  std::string shown(const Words& options, const Words& program) const {
    Words words = {"run"};
    words.insert(words.end(), options.begin(), options.end());
    const Result result = detshim(words, program, {{"OF_USER", "1"}});
    EXPECT_EQ(result.status, 0) << result.err;
    return result.out;
  }

  /// By their names.
  std::map<std::string, std::string> of(const Words& program,
                                        const std::vector<Words>& more = {}) const {
    fs::remove(kept());
    fs::remove_all(scratch_.path() / "kept");
    const std::string long_name(200, 'l');
    std::map<std::string, std::string> all = {
        {"run", shown({}, program)},
        {"run --seed", shown({"--seed", "42"}, program)},
        {"run --quiet", shown({"--seed", "42", "--quiet"}, program)},
        {"run --log", shown({"--seed", "42", "--log", "of/" + long_name + "/its/own"}, program)},
        {"run --disable", shown({"--seed", "42", "--disable", "drand48,rand_r"}, program)}};
    for (const Words& options : more)
      all[options.back()] = shown(options, program);
    const Result verified = detshim({"verify", "-n", "2", "--seed", "42", "--log", "kept"}, program,
                                    {{"OF_USER", "1"}});
    EXPECT_EQ(verified.status, 0) << verified.out << verified.err;
    all["verify"] = contents(scratch_.path() / "kept/run-1/stdout");
    EXPECT_TRUE(fs::exists(kept()));
    all["run after verify"] = shown({"--seed", "42"}, program);
    return all;
  }

  static void expect_one(const std::map<std::string, std::string>& all) {
    for (const auto& [name, text] : all)
      EXPECT_EQ(text, all.at("run")) << name;
    EXPECT_NE(all.at("run"), "");
  }
};

TEST_F(SameAddresses, InAProgramAndInItsChildren) {
  const std::string quoted = std::string("'") + ADDRESSES_PROGRAM + "'";
  const std::vector<Words> seeds = {{"--seed", "7"}, {"--seed", "18446744073709551615"}};
  for (const Words& program :
       {Words{ADDRESSES_PROGRAM}, Words{"/bin/sh", "-c", quoted + "; " + quoted},
        Words{"/bin/sh", "-c", "exec " + quoted},
        Words{"/usr/bin/python3", "-c", "import subprocess; subprocess.run([" + quoted + "])"},
        Words{"/usr/bin/python3", "-c", "import os; os.system(\"" + quoted + "\")"}})
    expect_one(of(program, seeds));
}

TEST_F(SameAddresses, InWhatGoesByThem) {
  for (const Words& program :
       {Words{"/usr/bin/python3", "-c",
              "print(id(object()), [type(x).__name__ for x in {type('T%d' % i, (), {})() for i in "
              "range(40)}])"},
        Words{"/usr/bin/perl", "-e", "my %h; $h{$_} = 1 for 'a'..'z'; print keys %h, \\%h"},
        Words{"/usr/bin/lua5.4", "-e",
              "local t = {} for i = 1, 9 do t[{}] = i end "
              "for _, i in pairs(t) do io.write(i) end print(t)"}})
    if (fs::exists(program[0]))
      expect_one(of(program));
}

// Outside, and to what sees no library, the room is there; the program does not see it.
TEST_F(SameAddresses, ByARoomThatNoProgramSees) {
  const std::string seen = shown({}, {"/bin/sh", "-c", "env; exec env"});
  EXPECT_NE(seen.find("OF_USER=1"), std::string::npos) << seen;
  EXPECT_EQ(seen.find("_DETSHIM_ROOM"), std::string::npos) << seen;
}

// A command line that fills what the kernel takes is handed on without it.
TEST_F(SameAddresses, LeavesThePlaceToACommandLineThatNeedsIt) {
  const Words program = {"/usr/bin/python3", PROGRAMS_FOLDER "/longest_command_line.py"};
  constexpr int most_of_ours = 5; // KiB: the internal variable is 4 at most
  EXPECT_GE(std::stoi("0" + shown({}, program)) + most_of_ours,
            std::stoi("0" + run(program, {{"OF_USER", "1"}}, scratch_.path()).out));
}

// What is kept with a file and is not in it.
TEST_F(Evidence, HoldsWhileLinksAndAttributesAreTheSame) {
  write("mine.py", "x = 1\n");
  write("data", "1\n");
  write("train.py", checks_a_clock("and_reads_a_link_and_an_attribute"));
  fs::create_symlink("one", scratch_.path() / "link");
  ASSERT_EQ(verify(timed_).status, 0);
  EXPECT_EQ(log_of(timed_)["verdict"], "verified");
  fs::remove(scratch_.path() / "link");
  fs::create_symlink("other", scratch_.path() / "link");
  EXPECT_EQ(log_of(timed_)["evidence"]["names"], Json({"code: link link"}));
  fs::remove(scratch_.path() / "link");
  fs::create_symlink("one", scratch_.path() / "link");
  if (::setxattr((scratch_.path() / "data").c_str(), "user.set", "1", 1, 0) != 0)
    GTEST_SKIP() << "no extended attributes here";
  EXPECT_EQ(log_of(timed_)["evidence"]["names"], Json({"code: attributes of data"}));
}

// The kernel's files are no part of a program's state, but for the one that stays until the next
// start.
TEST_F(Evidence, HoldsUntilTheMachineStartsAgainWhereTheProgramReadsItsId) {
  const std::string id = "/proc/sys/kernel/random/boot_id";
  write("train.py", "print(len(open('" + id + "').read()))\n");
  write("other", "00000000-0000-4000-8000-000000000000\n");
  ASSERT_EQ(verify(timed_).status, 0);
  EXPECT_EQ(log_of(timed_)["verdict"], "verified");
  const std::string command = DETSHIM_COMMAND;
  const Result later =
      run({"unshare", "-m", "/bin/sh", "-c",
           "mount --bind other " + id + " && " + command +
               " run --quiet --seed 42 --library " DETSHIM_LIBRARY " -- " + timed_[0] + " " +
               timed_[1] + " >/dev/null && exec " + command + " log --json"},
          {}, scratch_.path());
  if (later.status != 0)
    GTEST_SKIP() << "no mounts here: " << later.err;
  const Json log = Json::parse(later.out, nullptr, false);
  EXPECT_EQ(log["evidence"]["names"], Json({"code: file " + id}));
}

// What a fortified program calls by another name.
TEST_F(Evidence, HoldsWhileALinkThatAFortifiedProgramReadsIsTheSame) {
  write("link.c", contents(PROGRAMS_FOLDER "/read_link.c"));
  ASSERT_EQ(run({"gcc", "-O2", "-D_FORTIFY_SOURCE=2", "-w", "-o", "link.bin", "link.c"}, {},
                scratch_.path())
                .status,
            0);
  const Words command = {"./link.bin", "link", "60"};
  fs::create_symlink("one", scratch_.path() / "link");
  ASSERT_EQ(verify(command).status, 0);
  EXPECT_EQ(log_of(command)["verdict"], "verified");
  fs::remove(scratch_.path() / "link");
  fs::create_symlink("other", scratch_.path() / "link");
  EXPECT_EQ(log_of(command)["evidence"]["names"], Json({"code: link link"}));
}

// The first run fills a cache, which the others read.
TEST_F(Evidence, HoldsFromTheSecondRunOn) {
  write("mine.py", "x = 1\n");
  write("train.py", checks_a_clock("and_fills_a_cache"));
  ASSERT_EQ(verify(timed_).status, 0);
  const Json log = log_of(timed_);
  EXPECT_EQ(log["verdict"], "verified") << log["evidence"];
  EXPECT_EQ(log["evidence"]["runs"], 4);
}

// Whatever the run finds by a path: a module of a folder that it adds itself, data, a script that
// is sourced, a program that a child executes, a plugin that is closed again, a folder's names, a
// file that was not there.
TEST_F(Evidence, HoldsWhileEachFileThatTheRunUsedIsTheSame) {
  fs::create_directories(scratch_.path() / "lib");
  fs::create_directories(scratch_.path() / "set");
  write("mine.py", "x = 1\n");
  write("lib/deep.py", "x = 1\n");
  write("data.txt", "1\n");
  write("more.sh", "echo 1\n");
  write("tool", "#!/bin/sh\necho 1\n");
  fs::permissions(scratch_.path() / "tool", fs::perms::owner_all);
  write("set/a", "1\n");
  fs::copy_file("/usr/lib/x86_64-linux-gnu/libz.so.1", scratch_.path() / "plugin.so",
                fs::copy_options::none);
  write("train.py", script_ + contents(PROGRAMS_FOLDER "/uses_files.py"));
  ASSERT_EQ(verify(timed_).status, 0);
  EXPECT_EQ(log_of(timed_)["verdict"], "verified");
  write("unused.py", "x = 1\n");
  write("out", "2\n"); // what the run writes anew is no input
  EXPECT_EQ(log_of(timed_)["verdict"], "verified");
  const auto changed = [&](const char* file, const char* subject) {
    SCOPED_TRACE(file);
    const Json log = log_of(timed_);
    EXPECT_EQ(log["verdict"], "unverified");
    EXPECT_EQ(log["evidence"]["names"], Json({std::string("code: file ") + subject}));
  };
  for (const char* file : {"lib/deep.py", "data.txt", "more.sh", "tool", "plugin.so"}) {
    std::ifstream input(scratch_.path() / file, std::ios::binary);
    const std::string before((std::istreambuf_iterator<char>(input)), {});
    write(file, before + (std::string(file).ends_with(".so") ? "x" : "#\n"));
    changed(file, file);
    write(file, before);
  }
  write("set/b", "1\n");
  changed("set/b", "set/");
  fs::remove(scratch_.path() / "set/b");
  write("flag", "");
  EXPECT_EQ(log_of(timed_)["evidence"]["answer"], "changed");
}

TEST_F(Evidence, IsFoundWhereTheRunBegan) {
  write("mine.py", "x = 1\n");
  fs::create_directories(scratch_.path() / "sub");
  write("train.py", contents(PROGRAMS_FOLDER "/changes_its_folder.py"));
  ASSERT_EQ(verify(timed_).status, 0);
  EXPECT_EQ(log_of(timed_)["verdict"], "verified");
}

// Its constructor runs before detshim's, as that of libselinux does, which `ls` has.
TEST_F(Evidence, IsOfARunInWhichALibraryOpenedAFileBefore) {
  write("early.c", contents(PROGRAMS_FOLDER "/opens_as_it_is_loaded.c"));
  write("main.c", "int main(void) { return 0; }\n");
  const auto compile = [&](Words words) {
    words.insert(words.begin(), "cc");
    return run(words, {}, scratch_.path()).status == 0;
  };
  if (!compile({"-shared", "-fPIC", "early.c", "-o", "libearly.so"}) ||
      !compile({"main.c", "-o", "main", "-Wl,--no-as-needed,-rpath,$ORIGIN", "-L.", "-learly"}))
    GTEST_SKIP() << "no C compiler";
  const Json log = log_of({"./main"});
  EXPECT_EQ(log["verdict"], "unverified") << said_;
  EXPECT_EQ(log["reasons"][0]["kind"], "no_draw") << log["reasons"];
}

TEST_F(Evidence, IsNoneForWhatOneRunLeavesToTheNext) {
  for (const auto& [name, program] : sections(PROGRAMS_FOLDER "/counts_its_runs.py")) {
    write("n", "0");
    write("train.py", program);
    const Json log = log_of(timed_);
    EXPECT_EQ(log["verdict"], "unverified") << name;
    EXPECT_EQ(log["reasons"][0]["kind"], "state") << log["reasons"];
    EXPECT_EQ(log["reasons"][0]["text"],
              detshim::reason_text({.finding = detshim::Finding::state_carried, .names = {"n"}}));
  }
}

// Opened once, to be read and then changed.
TEST_F(Evidence, IsNoneForWhatARunReadsOfTheFileThatItChanges) {
  write("n", "0");
  write("train.py", "import os\nos.urandom(2)\nfile = open('n', 'r+')\n"
                    "n = int(file.read())\nfile.seek(0)\nfile.write(str(n + 1))\n");
  const Json log = log_of(timed_);
  ASSERT_EQ(log["verdict"], "unverified");
  EXPECT_EQ(log["reasons"][0]["kind"], "state") << log["reasons"];
}

TEST_F(Evidence, AndWhatARunLeavesCanBeAccepted) {
  write("train.py", contents(PROGRAMS_FOLDER "/writes_what_it_read.py"));
  write("n", "0");
  ASSERT_EQ(log_of(timed_)["reasons"][0]["kind"], "state");
  const auto log = [&](const Words& options) {
    Words words = {DETSHIM_COMMAND, "log", "--check", "--json"};
    words.insert(words.end(), options.begin(), options.end());
    return run(words, {}, scratch_.path());
  };
  const auto acceptance = [](const char* name) {
    return Json{{"name", name}, {"reasons", 1}};
  };
  EXPECT_EQ(log({}).status, 3);
  const Result accepted = log({"--accept", "state"});
  EXPECT_EQ(accepted.status, 0) << accepted.out;
  EXPECT_EQ(Json::parse(accepted.out)["acceptances"], Json::array({acceptance("state")}));

  const Words program = {"/bin/sh", "-c", "date +%N"};
  ASSERT_EQ(verify(program).status, 1);
  ASSERT_EQ(log_of(program)["reasons"][0]["kind"], "differed");
  const Words others = {"--accept", "script", "--accept", "clock"};
  EXPECT_EQ(log(others).status, 3);
  Words all = others;
  all.insert(all.end(), {"--accept", "differed"});
  const Result taken = log(all);
  EXPECT_EQ(taken.status, 0) << taken.out;
  const Json document = Json::parse(taken.out);
  EXPECT_EQ(document["acceptances"].back(), acceptance("differed")) << taken.out;
  EXPECT_EQ(document["verdict"], "covered") << "and never verified";
}

TEST_F(Evidence, IsNoneForWhatOneRunLooksForAndMakes) {
  write("train.py", contents(PROGRAMS_FOLDER "/looks_for_what_it_makes.py"));
  for (int i = 0; i < 2; ++i) {
    const Json log = log_of(timed_);
    EXPECT_EQ(log["verdict"], "unverified");
    EXPECT_EQ(log["reasons"][0]["kind"], "state") << log["reasons"];
  }
}

// A package's version is looked for in each folder of Python's path, the user's own among them; and
// a copy asks what it is copied over.
TEST_F(Evidence, IsThereForQuestionsThatDecideNothing) {
  for (const auto& [name, program] : sections(PROGRAMS_FOLDER "/asks_that_decide_nothing.py")) {
    write("train.py", program);
    for (int i = 0; i < 2; ++i)
      EXPECT_EQ(log_of(timed_)["verdict"], "covered") << name;
  }
}

// What a later run does not do again is another program to it.
TEST_F(Evidence, IsNoneForWhatTheFirstRunMakes) {
  for (const auto& [name, program] : sections(PROGRAMS_FOLDER "/makes_what_is_not_there.py")) {
    fs::remove(scratch_.path() / "kept");
    fs::remove(scratch_.path() / "kept199");
    write("train.py", program);
    const Json log = log_of(timed_);
    EXPECT_EQ(log["verdict"], "unverified") << name;
    EXPECT_EQ(log["reasons"][0]["kind"], "state") << name << log["reasons"];
  }
  write("train.py", contents(PROGRAMS_FOLDER "/makes_what_it_did_not_look_for.py"));
  EXPECT_EQ(log_of(timed_)["verdict"], "covered");
}

// A run that looks for the last checkpoint, and writes the next.
TEST_F(Evidence, IsNoneForNewNamesInAFolderThatWasListed) {
  const fs::path counts = PROGRAMS_FOLDER "/counts_its_checkpoints.py";
  for (const char* name : {"new_name", "renamed"}) {
    write("train.py", section(counts, name));
    for (int i = 0; i < 2; ++i) {
      const Json log = log_of(timed_);
      EXPECT_EQ(log["verdict"], "unverified") << name;
      EXPECT_EQ(log["reasons"][0]["kind"], "state") << log["reasons"];
    }
  }
  write("train.py", section(counts, "same_name"));
  EXPECT_EQ(log_of(timed_)["verdict"], "unverified");
  EXPECT_EQ(log_of(timed_)["verdict"], "covered"); // the name was there
  write("train.py", contents(PROGRAMS_FOLDER "/counts_what_it_made.py"));
  EXPECT_EQ(log_of(timed_)["verdict"], "covered"); // its own is among what it lists, in each run
}

// What a run makes for itself and takes away again has another name each time; so has the list of
// processes.
TEST_F(Evidence, HoldsWhereAFolderIsTheRunsOwn) {
  for (const auto& [name, program] : sections(PROGRAMS_FOLDER "/lists_folders.py")) {
    write("train.py", program);
    ASSERT_EQ(verify(timed_).status, 0) << name;
    const Json log = log_of(timed_);
    EXPECT_EQ(log["verdict"], "verified") << log["evidence"];
  }
}

// Two equal runs say no more than a log in which nothing was seen.
TEST_F(Evidence, OfTwoRunsLeavesACoveredOneCovered) {
  write("train.py", "import random\nprint(random.random())\n");
  ASSERT_EQ(verify(timed_).status, 0);
  EXPECT_EQ(log_of(timed_)["verdict"], "covered");
  ASSERT_EQ(detshim({"verify", "--seed", "42", "-n", "3"}, timed_).status, 0);
  EXPECT_EQ(log_of(timed_)["verdict"], "verified");
}

TEST_F(Evidence, DoesNotAnswerForWhatWasNotSeenThen) {
  write("mine.py", "x = 1\n");
  write("train.py", checks_a_clock("and_prints_it_under_a_limit"));
  const auto set_limit = [](rlim_t files) { // which is no part of a program's state
    rlimit limit;
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = files;
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  };
  set_limit(1000);
  ASSERT_EQ(verify(timed_).status, 0);
  EXPECT_EQ(log_of(timed_)["verdict"], "verified");
  set_limit(1001);
  const Json log = log_of(timed_);
  EXPECT_EQ(log["verdict"], "unverified");
  EXPECT_EQ(log["evidence"]["answer"], "new_findings");
  EXPECT_EQ(log["evidence"]["names"], Json({"clock train.py:6"}));
}

TEST_F(Evidence, OfRunsThatDifferMakesALaterOnePartial) {
  EXPECT_EQ(verify({"/bin/sh", "-c", "date +%N"}).status, 1);
  const Json log = log_of({"/bin/sh", "-c", "date +%N"});
  EXPECT_EQ(log["verdict"], "partial");
  EXPECT_EQ(log["reasons"][0]["kind"], "differed");
}

TEST_F(Evidence, IsKeptWholeAndSaysWhatIsWrongWithIt) {
  write("train.py", contents(PROGRAMS_FOLDER "/checks_a_clock_alone.py"));
  ASSERT_EQ(verify(timed_).status, 0);
  const std::string text = contents(kept());
  const Json document = Json::parse(text);
  EXPECT_EQ(document["schema_version"], 1);
  EXPECT_EQ(document["programs"].size(), 1U);
  ASSERT_EQ(verify(timed_).status, 0);
  EXPECT_EQ(Json::parse(contents(kept()))["programs"].size(),
            1U); // in the place of the one for the same
  for (const std::string& damage :
       Words{std::string("{"), text.substr(0, text.size() / 2),
             std::string("{\"schema_version\": 2, \"programs\": []}"), std::string("[]")}) {
    std::ofstream(kept()) << damage;
    EXPECT_EQ(log_of(timed_)["verdict"], "unverified");
    EXPECT_NE(said_.find("detshim-evidence.json"), std::string::npos) << said_;
    EXPECT_EQ(contents(kept()), damage);
  }
}

} // namespace
