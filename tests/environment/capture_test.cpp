// What a capture takes, and what it leaves: parts of it, and the command in a repository and an
// installation that stand for a user's. Git's programs are planted; none may run.
#include "document.h"
#include "environment/capture.h"
#include "log_files.h"
#include "run.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;
using Json = nlohmann::json;
using detshim::GitQuestion;
using detshim::Known;

void file(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

void git(const fs::path& folder, const Arguments& words) {
  Arguments command = {"git",
                       "-C",
                       folder,
                       "-c",
                       "user.name=a",
                       "-c",
                       "user.email=a@b",
                       "-c",
                       "protocol.file.allow=always"};
  command.insert(command.end(), words.begin(), words.end());
  const Result result = run(command);
  ASSERT_EQ(result.status, 0) << result.err;
}

void repository(const fs::path& folder) {
  file(folder / "train.py", "print(1)\n");
  for (const Arguments& words :
       {Arguments{"init", "-q"}, {"add", "."}, {"commit", "-q", "-m", "first"}})
    git(folder, words);
}

class Capture : public testing::Test {
protected:
  fs::path work() const { return scratch_.path() / "work"; }
  fs::path site() const { return scratch_.path() / "venv/lib/python3.11/site-packages"; }
  std::string planted() const { return scratch_.path() / "planted"; }
  bool is_planted() const { return fs::exists(planted()); }

  detshim::GitState state() const { return detshim::git_state(work(), {}); }

  /// `variables`: added to, or in place of, those of an empty environment.
  Json capture(const Arguments& variables = {}, const std::string& log = "") const {
    Arguments command = {"env",
                         "-i",
                         "-C",
                         work(),
                         "PATH=/usr/bin:/bin",
                         "HOME=" + (scratch_.path() / "home").string(),
                         "VIRTUAL_ENV=" + (scratch_.path() / "venv").string()};
    command.insert(command.end(), variables.begin(), variables.end());
    const std::string to = scratch_.path() / "captured.json";
    command.insert(command.end(), {DETSHIM_COMMAND, "env", "capture", "-o", to});
    if (!log.empty())
      command.push_back(log);
    const Result result = run(command);
    EXPECT_EQ(result.status, 0) << result.err;
    std::ifstream input(to);
    return Json::parse(input, nullptr, false);
  }

  /// In the repository, by what stands in `log`.
  std::string log_of(const std::string& log, const Arguments& program,
                     const Arguments& variables = {}) const {
    Arguments command = {"env",
                         "-i",
                         "-C",
                         work(),
                         "PATH=/usr/bin:/bin",
                         "PYTHONDONTWRITEBYTECODE=1",
                         "GIT_CEILING_DIRECTORIES=" + scratch_.path().parent_path().string(),
                         "HOME=" + (scratch_.path() / "home").string()};
    command.insert(command.end(), variables.begin(), variables.end());
    command.insert(command.end(), {DETSHIM_COMMAND, "run", "--seed", "42", "--quiet", "--library",
                                   DETSHIM_LIBRARY, "--log", log, "--"});
    command.insert(command.end(), program.begin(), program.end());
    const Result result = run(command);
    EXPECT_EQ(result.status, 0) << result.err;
    const fs::path folder = fs::path(log).is_absolute() ? fs::path(log) : work() / log;
    return folder;
  }

  Json completed(const std::string& log) const {
    run({DETSHIM_COMMAND, "log", log});
    std::ifstream input(log + "/environment.json");
    return by_subjects(Json::parse(input, nullptr, false)["sections"]);
  }

  TemporaryFolder scratch_;
};

const Arguments draw = {"/usr/bin/od", "-An", "-N4", "/dev/urandom"};

TEST_F(Capture, RunsNoProgramThatARepositoryNames) {
  repository(work());
  const std::string program = "touch '" + planted() + "'; cat";
  file(work() / ".gitattributes", "*.py filter=planted diff=planted\n*.txt filter=process\n");
  file(work() / "a.txt", "1\n");
  git(work(), {"add", "."});
  git(work(), {"commit", "-q", "-m", "second"});
  for (const auto& [name, value] :
       std::map<std::string, std::string>{{"filter.planted.clean", program},
                                          {"filter.planted.smudge", program},
                                          {"filter.planted.required", "true"},
                                          {"filter.process.process", program},
                                          {"diff.planted.textconv", program},
                                          {"diff.planted.command", program},
                                          {"diff.external", program},
                                          {"core.fsmonitor", program},
                                          {"core.sshCommand", program}})
    git(work(), {"config", name, value});
  file(work() / "train.py", "print(2)\n");
  file(work() / "a.txt", "2\n");
  const detshim::GitState found = state();
  EXPECT_EQ(found.problem(), "");
  EXPECT_NE(found.changes.text, "none");
  EXPECT_FALSE(is_planted());
  // An include, and a name that an option of git's cannot hold.
  file(work() / ".git/more", "[filter \"a=b\"]\n\tclean = " + program + "\n");
  git(work(), {"config", "include.path", "more"});
  file(work() / ".gitattributes", "*.py filter=a=b\n");
  EXPECT_EQ(state().problem(), "its configuration names programs that cannot be switched off");
  EXPECT_FALSE(is_planted());
}

TEST_F(Capture, RunsNoProgramThatASubmoduleNames) {
  repository(scratch_.path() / "other");
  repository(work());
  git(work(), {"submodule", "--quiet", "add", scratch_.path() / "other", "sub"});
  git(work(), {"commit", "-q", "-m", "second"});
  EXPECT_EQ(state().problem(), "");
  const std::string before = state().changes.text;
  git(work() / "sub", {"config", "filter.planted.clean", "touch '" + planted() + "'; cat"});
  file(work() / ".git/modules/sub/info/attributes", "*.py filter=planted\n");
  file(work() / "sub/train.py", "print(2)\n");
  EXPECT_EQ(state().problem(), "");
  EXPECT_NE(state().changes.text, before);
  EXPECT_FALSE(is_planted());
}

// By these flags people keep local settings; git's own diff is then empty.
TEST_F(Capture, LooksAtFilesThatGitPassesOver) {
  for (const std::string flag : {"--assume-unchanged", "--skip-worktree"}) {
    fs::remove_all(work());
    repository(work());
    file(work() / "settings.txt", "rate 1\n");
    git(work(), {"add", "settings.txt"});
    git(work(), {"commit", "-q", "-m", "second"});
    git(work(), {"update-index", flag, "settings.txt"});
    const detshim::GitState before = state(), again = state();
    EXPECT_EQ(before.problem(), "");
    EXPECT_EQ(before.changes.text, again.changes.text);
    file(work() / "settings.txt", "rate 2\n");
    EXPECT_NE(state().changes.text, before.changes.text) << flag;
  }
}

// The words arise where the reason does: whoever captures, and not the command alone.
TEST_F(Capture, SaysWhyNothingIsKnownOfTheStart) {
  detshim::Log log;
  log.run = "20200101T000000-1";
  const detshim::Environment found = detshim::capture_run(log, nullptr);
  for (const auto section :
       {detshim::EnvironmentSection::session, detshim::EnvironmentSection::driver})
    EXPECT_EQ(found.of(section).values.at(detshim::whole_section).state,
              detshim::ValueState::unknown);
}

TEST_F(Capture, ReadsRegularFilesAndNotWithoutEnd) {
  repository(work());
  fs::create_symlink("/dev/zero", work() / "zero");
  EXPECT_EQ(state().problem(), "");
  EXPECT_TRUE(state().untracked.text.starts_with("1 untracked file ")) << state().untracked.text;
  EXPECT_EQ(detshim::read_file("/dev/zero"), "");
  EXPECT_EQ(detshim::hash_of_file("/dev/zero").problem, "it is no regular file, or cannot be read");
  ASSERT_EQ(mkfifo((scratch_.path() / "fifo").c_str(), 0600), 0);
  EXPECT_NE(detshim::hash_of_file(scratch_.path() / "fifo").problem, "");
  file(scratch_.path() / "two", "12");
  EXPECT_EQ(detshim::hash_of_file(scratch_.path() / "two", 1).problem, "it holds more than 0 MB");
  EXPECT_EQ(detshim::hash_of_file(scratch_.path() / "two", 2).text, detshim::hash_text("12"));
}

TEST_F(Capture, DoesNotWaitForeverForAnAnswer) {
  using std::chrono::milliseconds;
  EXPECT_EQ(detshim::ask({"sleep", "1000"}, {milliseconds(0), 1000}).problem,
            "sleep did not answer within 0 s");
  // One that has closed its output, and one whose child has it.
  EXPECT_EQ(detshim::ask({"sh", "-c", "exec >&-; sleep 1000"}, {milliseconds(1000), 1000}).problem,
            "sh did not answer within 1 s");
  EXPECT_EQ(detshim::ask({"sh", "-c", "sleep 1000 & exit 0"}, {milliseconds(1000), 1000}).problem,
            "sh did not answer within 1 s");
  EXPECT_EQ(detshim::ask({"yes"}, {milliseconds(100'000), 1U << 20}).problem,
            "yes answers with more than 1 MB");
  EXPECT_EQ(detshim::ask({"echo", "1"}).text, "1\n");
  EXPECT_EQ(detshim::ask({"/no/such"}).problem, "/no/such is not here, or cannot be run");
  repository(work());
  GitQuestion question;
  question.limits.time = milliseconds(0);
  EXPECT_EQ(detshim::git_state(work(), question).problem(), "git did not answer within 0 s");
}

TEST_F(Capture, LooksIntoARepositoryWithin) {
  repository(work());
  repository(work() / "dep");
  const std::string clean = state().untracked.text;
  EXPECT_TRUE(clean.starts_with("1 untracked repository ")) << state().problem();
  file(work() / "dep/train.py", "print(2)\n");
  const std::string changed = state().untracked.text;
  EXPECT_NE(changed, clean);
  git(work() / "dep", {"commit", "-q", "-a", "-m", "second"});
  EXPECT_NE(state().untracked.text, clean);
  EXPECT_NE(state().untracked.text, changed);
  repository(work() / "dep/deeper");
  EXPECT_NE(state().untracked.problem, "");
}

TEST_F(Capture, TellsDamagesApart) {
  repository(work());
  const fs::path info = site() / "foo-1.dist-info";
  file(info / "METADATA", "Name: foo\nVersion: 1\n");
  file(info / "RECORD", "foo/__init__.py,sha256=x,4\n");
  const auto fact = [&](const std::string& text) {
    file(site() / "foo/__init__.py", text);
    return by_subjects(capture()["sections"])["versions"]["facts"].value("python foo", "");
  };
  EXPECT_EQ(fact("1234"), "1");
  const std::string one = fact("patch 1"), other = fact("patch 2");
  EXPECT_NE(one, "");
  EXPECT_NE(one, other);
}

// Whatever becomes of them later: they were looked at as the run began.
TEST_F(Capture, KnowsTheFilesThatARunBeganWith) {
  repository(work());
  file(work() / "a/b/new.py", "1\n");
  file(scratch_.path() / "home/.triton/cache/kernel", "1\n");
  const auto captured = [&](const std::string& name, const std::string& then) {
    Json sections = completed(log_of(
        scratch_.path() / name, {"/usr/bin/python3", "-c", "import os; os.urandom(4); " + then}));
    sections["code"]["facts"].erase("arguments");
    return sections;
  };
  const Json left = captured("left", "");
  EXPECT_EQ(left["code"]["facts"].value("git changes", ""), "none") << left;
  const Json changed = captured("changed", "import shutil; shutil.rmtree('a'); "
                                           "open('train.py', 'w').write('2'); "
                                           "os.remove('../home/.triton/cache/kernel')");
  for (const char* subject : {"git changes", "git untracked files"})
    EXPECT_EQ(changed["code"]["facts"][subject], left["code"]["facts"][subject]);
  EXPECT_EQ(changed["caches"], left["caches"]);
  const Json after = captured("after", "");
  for (const char* subject : {"git changes", "git untracked files"})
    EXPECT_NE(after["code"]["facts"][subject], left["code"]["facts"][subject]) << subject;
  EXPECT_NE(after["caches"], left["caches"]);
}

// Of a Python whose user has distributions of their own.
TEST_F(Capture, DoesNotTakeAnotherEnvironmentForTheRuns) {
  repository(work());
  const fs::path local = scratch_.path() / "home/.local",
                 folder = local / "lib/python3.11/site-packages";
  file(folder / "old.egg-info/PKG-INFO", "Name: old\nVersion: 1\n");
  file(folder / "foo-1.dist-info/METADATA", "Name: foo\nVersion: 1\n");
  file(folder / "start.pth", "a\n");
  file(scratch_.path() / "home/other/lib/python3.11/site-packages/foo-2.dist-info/METADATA",
       "Name: foo\nVersion: 2\n");
  const Arguments python = {"/usr/bin/python3", "-c", "import os; os.urandom(4)"};
  const std::string edited = log_of(scratch_.path() / "edited", python);
  file(folder / "old.egg-info/PKG-INFO", "Name: old\nVersion: 2\n");
  const std::string replaced = log_of(scratch_.path() / "replaced", python);
  fs::rename(local, scratch_.path() / "home/before");
  fs::rename(scratch_.path() / "home/other", local);
  const Json first = completed(edited)["versions"]["facts"],
             second = completed(replaced)["versions"]["facts"];
  EXPECT_EQ(first.value("python old", ""), "1") << first;
  EXPECT_EQ(second.value("python old", ""), "2") << second;
  EXPECT_EQ(second.value("python foo", ""), "1") << second;
}

// Which Pythons a script starts is known once it has run: what they had is looked into then, unless
// it was changed.
TEST_F(Capture, LooksLaterIntoDistributionsOfAPythonThatItCouldNotForetell) {
  repository(work());
  const fs::path bin = scratch_.path() / "venv/bin";
  fs::create_directories(bin);
  fs::create_symlink("/usr/bin/python3", bin / "python3");
  file(scratch_.path() / "venv/pyvenv.cfg", "home = /usr/bin\n");
  file(site() / "foo-1.dist-info/METADATA", "Name: foo\nVersion: 1\n");
  const std::string draws = (bin / "python3").string() + " -c 'import os; os.urandom(4)';";
  const auto versions = [&](const std::string& name, const std::string& script) {
    return completed(log_of(scratch_.path() / name, {"/bin/sh", "-c", script}))["versions"];
  };
  const Json unforeseen = versions("unforeseen", draws);
  EXPECT_FALSE(unforeseen["unknown"].contains("python *")) << unforeseen;
  EXPECT_EQ(unforeseen["facts"].value("python foo", ""), "1") << unforeseen;
  const Json added = versions("added", draws + " touch '" + (site() / "new.pth").string() + "'");
  EXPECT_EQ(added["unknown"].value("python *", ""),
            site().string() + " was not looked into as the run began")
      << added;
  const std::string metadata = (site() / "foo-1.dist-info").string();
  const Json edited = versions("edited", draws + " touch '" + metadata + "/new'");
  EXPECT_EQ(edited["unknown"].value("python *", ""), metadata + " was changed since the run began")
      << edited;
}

// A shim of pyenv's is a script that executes the Python.
TEST_F(Capture, KnowsThePythonBehindAShim) {
  fs::create_directories(work());
  const fs::path shims = scratch_.path() / "shims", version = scratch_.path() / "versions/3.11";
  fs::create_directories(version / "bin");
  fs::copy_file(fs::canonical("/usr/bin/python3"), version / "bin/python3.11");
  file(version / "lib/python3.11/site-packages/foo-1.dist-info/METADATA",
       "Name: foo\nVersion: 1\n");
  file(shims / "python3",
       "#!/bin/sh\nexec '" + (version / "bin/python3.11").string() + "' \"$@\"\n");
  fs::permissions(shims / "python3", fs::perms::owner_all);
  const Json versions = completed(
      log_of(scratch_.path() / "log", {shims / "python3", "-c", "import os; os.urandom(4)"},
             {"PATH=" + shims.string() + ":/usr/bin:/bin"}))["versions"];
  EXPECT_EQ(versions["facts"].value("python foo", ""), "1") << versions;
  EXPECT_TRUE(versions["facts"].value("interpreter", "").starts_with((version / "bin").string()))
      << versions;
  EXPECT_EQ(versions["unknown"], Json::object()) << versions;
}

// Logs lie in the repository: their files are no changes of the program's.
TEST_F(Capture, LeavesOutTheFilesOfLogs) {
  repository(work());
  file(work() / "new.py", "1\n");
  const auto untracked = [&](const std::string& log) {
    return completed(log_of(log, draw))["code"]["facts"].value("git untracked files", "");
  };
  const std::string first = untracked("o1");
  EXPECT_TRUE(first.starts_with("1 untracked file ")) << first;
  EXPECT_EQ(untracked("o1"), first) << "with a log in it";
  EXPECT_EQ(untracked("o2"), first) << "with another log beside it";
  file(work() / "o2/new.py", "1\n"); // none of a log's
  EXPECT_NE(untracked("o3"), first);
}

// What the run used by itself: neither a module that nothing imports nor what it wrote.
TEST_F(Capture, NamesAChangedFileThatTheRunUsed) {
  fs::create_directories(work());
  const fs::path helpers = scratch_.path() / "helpers", beside = scratch_.path() / "app";
  file(helpers / "package/__init__.py", "");
  file(helpers / "package/part.py", "value = 1\n");
  file(helpers / "unused.py", "");
  file(work() / "numbers.txt", "1\n");
  file(beside / "train.py", "import package.part, os; os.urandom(4); open('numbers.txt').read()\n"
                            "open('out.txt', 'w').write(str(os.getpid()))\n");
  const Arguments program = {"/usr/bin/python3", beside / "train.py"};
  int runs = 0;
  const auto next = [&] {
    const std::string log = log_of(scratch_.path() / ("log" + std::to_string(++runs)), program,
                                   {"PYTHONPATH=" + helpers.string()});
    completed(log);
    return log;
  };
  const auto compare = [](const std::string& a, const std::string& b) {
    return Json::parse(run({DETSHIM_COMMAND, "env", "diff", "--json", a, b}).out, nullptr, false);
  };
  next(); // writes the caches of the modules
  std::string before = next();
  file(helpers / "unused.py", "value = 2\n");
  const Json same = compare(before, next());
  EXPECT_EQ(same["result"], "equal") << same;
  for (const fs::path& used :
       {helpers / "package/part.py", beside / "train.py", work() / "numbers.txt"}) {
    SCOPED_TRACE(used);
    std::ofstream(used, std::ios::app) << "# 2\n";
    const std::string after = next();
    const Json found = compare(before, after);
    ASSERT_EQ(found["differences"].size(), 1U) << found;
    EXPECT_EQ(found["differences"][0]["section"], "code");
    EXPECT_EQ(found["differences"][0]["subject"],
              "file " + (used.parent_path() == work() ? "numbers.txt" : used.string()));
    before = after;
  }
}

TEST_F(Capture, DoesNotKnowWhatWasChangedAsTheRunWent) {
  fs::create_directories(work());
  file(work() / "state.txt", "1\n");
  file(work() / "old.txt", "1\n");
  const auto code = [&](const std::string& name, const std::string& script) {
    return completed(
        log_of(scratch_.path() / name,
               {"/usr/bin/python3", "-c", "import os; os.urandom(4)\n" + script}))["code"];
  };
  const Json counted =
      code("counted", "n = open('state.txt').read(); open('state.txt', 'w').write(n + '1')");
  EXPECT_EQ(counted["unknown"].value("file state.txt", ""), "it was changed since the run began")
      << counted;
  const Json renamed = code(
      "renamed", "open('old.txt').read(); open('t', 'w').write('2'); os.rename('t', 'old.txt')");
  EXPECT_EQ(renamed["unknown"].value("file old.txt", ""), "it was changed since the run began")
      << renamed;
  const Json own =
      code("own", "open('t', 'w').write('2'); os.rename('t', 'own.txt'); open('own.txt').read()");
  EXPECT_FALSE(own["unknown"].contains("file own.txt")) << own;
  EXPECT_FALSE(own["facts"].contains("file own.txt")) << own;
}

// A data set is one fact.
TEST_F(Capture, FoldsTheFilesOfAFolder) {
  fs::create_directories(work());
  for (int i = 0; i < 100; ++i)
    file(work() / ("set/" + std::to_string(i)), "1\n");
  const auto facts = [&](const std::string& name) {
    return completed(log_of(
        scratch_.path() / name,
        {"/usr/bin/python3", "-c",
         "import os; os.urandom(4)\nfor i in range(100): open(f'set/{i}').read()"}))["code"]
                                                                                    ["facts"];
  };
  const Json one = facts("one");
  EXPECT_NE(one.value("files in set", ""), "") << one;
  EXPECT_FALSE(one.contains("file set/1")) << one;
  EXPECT_EQ(facts("two"), one);
  file(work() / "set/99", "22\n"); // beyond what is named one by one
  EXPECT_NE(facts("three")["files in set"], one["files in set"]);
}

TEST_F(Capture, KnowsTheInterpreterOfAProgramThatIsToRun) {
  const fs::path bin = scratch_.path() / "own/bin";
  fs::create_directories(bin);
  fs::create_symlink("/usr/bin/python3", bin / "python");
  file(scratch_.path() / "own/pyvenv.cfg", "home = /usr/bin\n");
  file(scratch_.path() / "own/lib/python3.11/site-packages/foo-1.dist-info/METADATA",
       "Name: foo\nVersion: 1\n");
  file(bin / "script", "#!" + (bin / "python").string() + "\n");
  fs::permissions(bin / "script", fs::perms::owner_all);
  for (const char* program : {"python", "script"}) {
    detshim::CaptureOptions options;
    options.program = bin / program;
    detshim::Environment found;
    detshim::capture_distributions(options, found);
    EXPECT_EQ(found.of(detshim::EnvironmentSection::versions)
                  .fact_text({detshim::SubjectKind::python, "foo"}),
              "1")
        << program;
  }
  const fs::path log = scratch_.path() / "verify";
  const Result result = run({DETSHIM_COMMAND, "verify", "--library", DETSHIM_LIBRARY, "--log", log,
                             "--", bin / "python", "-c", "import os; os.urandom(4)"});
  std::ifstream verified(log / "verify.json");
  EXPECT_EQ(Json::parse(verified)["environment_changes"], Json::array()) << result.out;
  std::ifstream input(log / "environment.json");
  const Json sections = by_subjects(Json::parse(input)["sections"]);
  EXPECT_EQ(sections["versions"]["facts"].value("python foo", ""), "1");
}

/// "settings", "others, hashed", "settings, hidden": where a variable stands, and how; empty where
/// it is left out.
std::string captured_variable(const std::string& name, const std::string& value) {
  const char* const before = ::getenv(name.c_str());
  const std::string kept = before == nullptr ? "" : before;
  ::setenv(name.c_str(), value.c_str(), 1);
  detshim::Environment environment;
  detshim::capture_variables(environment);
  if (before == nullptr)
    ::unsetenv(name.c_str());
  else
    ::setenv(name.c_str(), kept.c_str(), 1);
  for (std::size_t i = 0; i < detshim::environment_sections; ++i) {
    const auto& values = environment.sections[i].values;
    const auto found = values.find({detshim::SubjectKind::variable, name});
    if (found == values.end())
      continue;
    const bool is_hashed = found->second.text.starts_with(detshim::hashed_value);
    const bool is_hidden = found->second.state == detshim::ValueState::hidden;
    return std::string(detshim::environment_section_names[i]) + (is_hidden   ? ", hidden"
                                                                 : is_hashed ? ", hashed"
                                                                             : "");
  }
  return "";
}

// By its name, and where the name says that its value may be shown, by its value.
TEST(CapturedVariables, StandWhereTheirNameSays) {
  const struct {
    const char *name, *value, *where;
  } variables[] = {
      {"LD_BIND_NOW", "", "loader"},
      {"LANGUAGE", "C", "session"},
      {"LC_TIME", "C", "session"},
      {"LOADEDMODULES", "a", "packages"},
      {"PYTHONUTF8", "1", "settings"},
      {"MY_DETERMINISTIC", "1", "settings"},
      {"MY_TUNING", "1", "settings"},
      {"OMP_MINE", "4", "settings"},
      {"HF_MINE", "4", "settings, hashed"},
      {"MINE", "4", "others, hashed"},
      {"MY_OMP_", "4", "others, hashed"},
      {"PMIX_ID", "4", ""},
      {"PMIX_SERVER_URI2", "4", ""},
      {"PMIX_DSTORE_21_PATH", "/x", ""},
      {"PMIX_DSTORE_21", "/x", "settings, hashed"},
      {"MY_DSTORE_PATH", "/x", "others, hashed"},
      {"DETSHIM_SEED", "7", ""},
      {"DETSHIM_MINE", "7", "settings, hashed"},
      {"_DETSHIM_MINE", "7", ""},
  };
  for (const auto& [name, value, where] : variables)
    EXPECT_EQ(captured_variable(name, value), where) << name;
}

TEST(CapturedVariables, AreNotShownWhereTheyMayHoldASecret) {
  for (const char* value : {"4", "mlx5_0:1", "1.5:2.5", ":a", "a:b:c", "a:/b", "a:b,c", "a:b=c",
                            "/a:b", "a,b:c", "a=b:c", "tcp://host"})
    EXPECT_EQ(captured_variable("OMP_MINE", value), "settings") << value;
  for (const char* value : {"name:password", "name:1x", "me@host", "a token", "key=1", "access=1",
                            "A Secret", "\xC3\xA4", "a\nb"})
    EXPECT_NE(captured_variable("OMP_MINE", value), "settings") << value;
}

/// What a file that was mapped is known by.
TEST(CapturedLibraries, AreKnownByTheirBuildOrTheirContents) {
  const TemporaryFolder folder;
  const std::string library = (folder.path() / "libx.so").string();
  file(library, "x");
  constexpr std::int64_t before = 1, later = std::numeric_limits<std::int64_t>::max();
  const auto captured = [&](const std::string& build, std::int64_t began) {
    detshim::Log log;
    detshim::Process& process = log.processes.emplace_back();
    process.path = "0";
    process.starts.emplace_back().begun = 1;
    process.end.emplace();
    process.modules = detshim::SharedTexts(
        std::make_shared<const std::vector<std::string>>(std::vector{library}));
    if (!build.empty())
      log.builds[library] = {build};
    detshim::Environment environment;
    environment.began = began;
    detshim::capture_libraries(log, environment);
    const auto& values = environment.of(detshim::EnvironmentSection::libraries).values;
    EXPECT_EQ(values.size(), 1U);
    return values.begin()->second;
  };
  EXPECT_EQ(captured("1234", before).text, "build 1234");
  EXPECT_EQ(captured("", later).state, detshim::ValueState::known);
  EXPECT_EQ(captured("", before).state, detshim::ValueState::unknown) << "it was changed since";
  const std::string text = captured("", later).text;
  file(library, "y");
  EXPECT_NE(captured("", later).text, text);
}

} // namespace
