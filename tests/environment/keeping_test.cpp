// What is kept beside a log: into which files, of what, by which machine; and that a secret is
// neither shown nor called equal.
#include "document.h"
#include "log_files.h"
#include "run.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;
using Json = nlohmann::json;

const Arguments draw = {"/usr/bin/od", "-An", "-N4", "/dev/urandom"};

std::string host() {
  utsname names = {};
  uname(&names);
  return names.nodename;
}

class Keeping : public testing::Test {
protected:
  static void file(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }
  static std::string text(const fs::path& path) {
    std::ifstream input(path);
    return {std::istreambuf_iterator<char>(input), {}};
  }

  fs::path at(const std::string& name) const { return scratch_.path() / name; }

  /// Words that begin a command with these variables and no other.
  Arguments with(const Environment& variables) const {
    Arguments words = {"env", "-i", "PATH=/usr/bin:/bin", "HOME=" + scratch_.path().string()};
    for (const auto& [name, value] : variables)
      words.push_back(name + "=" + value);
    return words;
  }

  Arguments run_words(const std::string& log) const {
    return {DETSHIM_COMMAND, "run",           "--seed", "42",    "--quiet",
            "--library",     DETSHIM_LIBRARY, "--log",  at(log), "--"};
  }

  std::string run_with_log(const std::string& name, const Arguments& program,
                           const Environment& variables = {}, const Arguments& before = {}) const {
    Arguments command = with(variables);
    for (const Arguments& words : {before, run_words(name), program})
      command.insert(command.end(), words.begin(), words.end());
    const Result result = run(command);
    EXPECT_EQ(result.status, 0) << result.err;
    return at(name);
  }

  /// By LD_PRELOAD alone: nothing is handed over.
  std::string preloaded_log(const std::string& name) const {
    EXPECT_EQ(run(draw, {{"LD_PRELOAD", DETSHIM_LIBRARY},
                         {"DETSHIM_SEED", "42"},
                         {"DETSHIM_LOG", at(name)},
                         {"DETSHIM_QUIET", "1"}})
                  .status,
              0);
    return at(name);
  }

  std::string capture(const std::string& name, const Environment& variables) const {
    Arguments command = with(variables);
    command.insert(command.end(), {DETSHIM_COMMAND, "env", "capture", "-o", at(name)});
    const Result result = run(command);
    EXPECT_EQ(result.status, 0) << result.err;
    return at(name);
  }

  /// What a reader sees, who gives up after a while.
  static Result look(const std::string& log) {
    return run({"timeout", "60", DETSHIM_COMMAND, "log", log});
  }

  static Json kept(const std::string& log) {
    return Json::parse(text(log + "/environment.json"), nullptr, false);
  }
  static Json fact(const Json& environment, const std::string& section,
                   const std::string& subject) {
    return by_subjects(environment["sections"])[section]["facts"].value(subject, Json());
  }
  static std::string unknown(const Json& environment, const std::string& section,
                             const std::string& subject) {
    return by_subjects(environment["sections"])[section]["unknown"].value(subject, std::string());
  }

  static Json compare(const std::string& a, const std::string& b) {
    return Json::parse(run({DETSHIM_COMMAND, "env", "diff", "--json", a, b}).out, nullptr, false);
  }
  /// What `detshim log` says of a file that is no environment that it can read.
  static std::string remark_on(const std::string& log) {
    const Json document =
        Json::parse(run({DETSHIM_COMMAND, "log", "--json", log}).out, nullptr, false);
    return document["run_environment"].value("remark", "");
  }
  /// Subjects of one of its lists.
  static std::set<std::string> subjects(const Json& comparison, const std::string& list) {
    std::set<std::string> found;
    if (comparison.contains(list))
      for (const Json& one : comparison[list])
        found.insert(one["subject"].get<std::string>());
    return found;
  }

  TemporaryFolder scratch_;
};

// A stranger's folder: names in it can be foretold.
TEST_F(Keeping, FollowsNoLinkInAFolder) {
  const std::string log = preloaded_log("log");
  const std::string run_name = [&] {
    look(log);
    return kept(log)["run"].get<std::string>();
  }();
  file(at("victim"), "mine");
  const auto plant = [&](const std::string& name) {
    fs::remove(log + "/environment.json");
    for (const fs::path& place :
         {fs::path(log) / "environment.json",
          fs::path(log) / ("environment." + run_name + "..json"),
          fs::path(log) / ("environment." + run_name + "." + host() + ".json")}) {
      fs::remove(place);
      if (name == "link")
        fs::create_symlink(at("victim"), place);
      else
        ASSERT_EQ(mkfifo(place.c_str(), 0600), 0);
    }
  };
  for (const std::string what : {"link", "pipe"}) {
    plant(what);
    EXPECT_EQ(look(log).status, 0) << what;
    EXPECT_EQ(run({"timeout", "60", DETSHIM_COMMAND, "env", "capture", log}).status, 2) << what;
    EXPECT_EQ(text(at("victim")), "mine");
  }
  // One that is an environment is not read by a link either.
  const std::string own = run_with_log("own", draw);
  fs::rename(own + "/environment.json", at("elsewhere.json"));
  fs::create_symlink(at("elsewhere.json"), own + "/environment.json");
  EXPECT_NE(remark_on(own), "");
}

TEST_F(Keeping, RefusesWhatWouldTakeAllMemory) {
  const std::string log = run_with_log("log", draw);
  const auto says = [&](const std::string& document) {
    file(log + "/environment.json", document);
    return remark_on(log);
  };
  const std::string nested = says(std::string(100'000, '['));
  const std::string no_environment = says("{\"a\":\"" + std::string(30, '[') + "\"}");
  const std::string large = says(std::string(5 << 20, ' '));
  EXPECT_EQ(says("{\"a\":" + std::string(30, '[') + std::string(30, ']') + "}"), nested);
  EXPECT_EQ((std::set<std::string>{nested, no_environment, large, ""}).size(), 4u)
      << nested << '\n'
      << no_environment << '\n'
      << large;
}

// What one side has and the other has not must show, though its name has "token" or "pass" in it.
TEST_F(Keeping, ComparesWhatOnlySoundsLikeASecret) {
  const Environment usual = {{"TOKENIZERS_PARALLELISM", "true"},
                             {"TORCHINDUCTOR_POST_GRAD_PASS", "1"},
                             {"OMP_MAX_TOKENS", "some"},
                             {"NCCL_MONKEY", "a"},
                             {"HF_TOKEN", "abc"},
                             {"MYSQL_PW", "abc"}};
  Environment other = usual;
  other["TOKENIZERS_PARALLELISM"] = "false";
  other["TORCHINDUCTOR_POST_GRAD_PASS"] = "0";
  other["OMP_MAX_TOKENS"] = "others";
  other["NCCL_MONKEY"] = "b";
  other["HF_TOKEN"] = "def";
  const std::set<std::string> expected = {"variable TOKENIZERS_PARALLELISM",
                                          "variable TORCHINDUCTOR_POST_GRAD_PASS",
                                          "variable OMP_MAX_TOKENS", "variable NCCL_MONKEY"};
  const Json found = compare(capture("a.json", usual), capture("b.json", other));
  EXPECT_EQ(subjects(found, "differences"), expected) << found;
  EXPECT_EQ(subjects(found, "not_compared"),
            (std::set<std::string>{"variable HF_TOKEN", "variable MYSQL_PW"}));
  // The library's log says the same of them.
  const auto program = [](const std::string& most, const std::string& tokenizer) {
    return Arguments{"/usr/bin/python3",     "-c",          "import os; os.urandom(4)",
                     "--max_tokens=" + most, "--tokenizer", tokenizer,
                     "--token=abc"};
  };
  const std::string a = run_with_log("a", program("128", "gpt2"), usual),
                    b = run_with_log("b", program("4096", "llama"), other);
  look(a);
  look(b);
  const Json runs = compare(a, b);
  std::set<std::string> of_runs = expected;
  of_runs.insert("arguments");
  EXPECT_EQ(subjects(runs, "differences"), of_runs) << runs;
}

TEST_F(Keeping, SaysWhatItDoesNotCompare) {
  const auto one = [&](const std::string& name, const std::string& token) {
    const std::string log = run_with_log(
        name, {"/usr/bin/python3", "-c", "import os; os.urandom(4)", "--token=" + token},
        {{"HF_TOKEN", token}});
    look(log);
    return log;
  };
  const std::string a = one("a", "abc"), b = one("b", "def");
  const Result shown = run({DETSHIM_COMMAND, "env", "diff", a, b});
  for (const char* subject : {" HF_TOKEN (", " arguments ("})
    EXPECT_NE(shown.out.find(subject), std::string::npos) << shown.out;
  EXPECT_EQ(shown.out.find("different"), std::string::npos) << shown.out;
  const Json found = compare(a, b);
  EXPECT_EQ(subjects(found, "not_compared"),
            (std::set<std::string>{"arguments", "variable HF_TOKEN"}));
  EXPECT_TRUE(subjects(found, "differences").empty());
}

// On a shared file system the first to look may be a machine that knows nothing.
TEST_F(Keeping, LeavesItToTheRunsOwnMachine) {
  const std::string log = run_with_log("log", draw), alone = preloaded_log("alone");
  const auto elsewhere = [](const Arguments& words) {
    Arguments command = {"unshare",
                         "--user",
                         "--map-root-user",
                         "--uts",
                         "sh",
                         "-c",
                         "hostname login1 && exec \"$@\"",
                         "sh",
                         DETSHIM_COMMAND};
    command.insert(command.end(), words.begin(), words.end());
    return run(command);
  };
  if (elsewhere({"--version"}).status != 0)
    GTEST_SKIP() << "no namespaces";
  elsewhere({"log", log});
  EXPECT_EQ(kept(log)["complete"], false);
  EXPECT_EQ(elsewhere({"env", "capture", log}).status, 2);
  EXPECT_EQ(elsewhere({"env", "capture", log, "-o", at("elsewhere.json")}).status, 0);
  look(log);
  EXPECT_EQ(kept(log)["complete"], true);
  EXPECT_FALSE(fact(kept(log), "packages", "debian libc6").is_null());
  elsewhere({"log", log});
  EXPECT_FALSE(fact(kept(log), "packages", "debian libc6").is_null());
}

// A child that outlives the run's first process, and has no log yet as somebody looks.
TEST_F(Keeping, IsCompletedAgainOnceTheLogHasGrown) {
  const std::string go = at("go"), done = at("done");
  for (const std::string& pipe : {go, done})
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const std::string log = run_with_log(
      "log",
      {"/bin/sh", "-c",
       "od -An -N4 /dev/urandom; (read line; python3 -c 'import os; os.urandom(4)'; echo >'" +
           done + "') <'" + go + "' >/dev/null 2>&1 &"});
  look(log);
  ASSERT_EQ(kept(log)["complete"], true);
  ASSERT_TRUE(fact(kept(log), "libraries", "libm.so.6").is_null());
  ASSERT_EQ(run({"timeout", "60", "sh", "-c", "echo >'" + go + "'; cat '" + done + "'"}).status, 0);
  look(log);
  EXPECT_FALSE(fact(kept(log), "libraries", "libm.so.6").is_null());
  // And left alone where nothing was written since.
  Json whole = kept(log);
  whole["sections"]["libraries"]["known"]["plain"].erase("libm.so.6");
  file(log + "/environment.json", whole.dump());
  look(log);
  EXPECT_TRUE(fact(kept(log), "libraries", "libm.so.6").is_null());
}

// A shell that takes detshim's variables away hands on what was to be read by its own library.
TEST_F(Keeping, IsOfTheRunWithinNotOfTheOneAround) {
  Arguments inner = run_words("inner");
  inner.insert(inner.end(), draw.begin(), draw.end());
  Arguments program = {"/bin/sh", "-c",
                       "unset DETSHIM_RUN DETSHIM_LOG DETSHIM_SEED LD_PRELOAD; export "
                       "AN_EXAMPLE=2; ls | cat; exec \"$@\"",
                       "sh"};
  program.insert(program.end(), inner.begin(), inner.end());
  run_with_log("outer", program, {{"AN_EXAMPLE", "1"}});
  const Json start = kept(at("inner"));
  ASSERT_FALSE(start.is_discarded());
  EXPECT_EQ(fact(start, "code", "program").get<std::string>().substr(0, 11), "/usr/bin/od")
      << start;
}

TEST_F(Keeping, SaysWhatMayBeWhyNothingWasHandedOver) {
  const std::string log =
      run_with_log("log", draw, {}, {"bash", "-c", "exec 61</dev/null; exec \"$@\"", "sh"});
  EXPECT_FALSE(fs::exists(log + "/environment.json"));
  look(log);
  const std::string why = unknown(kept(log), "session", "");
  EXPECT_NE(why.find("descriptor 61"), std::string::npos) << why;
  EXPECT_EQ(text(log + "/environment.json").find("only `detshim run`"), std::string::npos);
}

TEST_F(Keeping, IsInTheDocumentOfALog) {
  const auto document = [](const std::string& log, const Arguments& more = {}) {
    Arguments command = {DETSHIM_COMMAND, "log", "--json", log};
    command.insert(command.end(), more.begin(), more.end());
    return Json::parse(run(command).out, nullptr, false).value("run_environment", Json("missing"));
  };
  const std::string log = run_with_log("log", draw);
  const Json begun = document(log);
  EXPECT_EQ(begun.value("file", ""), log + "/environment.json") << begun;
  EXPECT_EQ(begun.value("schema_version", 0), kept(log)["schema_version"].get<int>());
  EXPECT_EQ(begun.value("captured_at_start", false), true);
  EXPECT_EQ(document(log, {"--no-scan"}), Json());
  const std::string alone = preloaded_log("alone");
  const Json late = document(alone);
  EXPECT_EQ(late.value("captured_at_start", true), false) << late;
  bool is_told = false;
  for (const Json& one : late.value("unknown", Json::array()))
    is_told |= one["section"] == "session" && one["subject"] == "" &&
               one["why"] == unknown(kept(alone), "session", "");
  EXPECT_TRUE(is_told) << late;
  // One that nobody can read is named.
  file(alone + "/environment.json", "{}");
  EXPECT_NE(document(alone)["remark"].get<std::string>().find("environment.json"),
            std::string::npos);
}

TEST_F(Keeping, LeavesNoDescriptor) {
  file(at("file"), "");
  const auto open_files = [&](const std::string& log, const Arguments& before,
                              const Arguments& program) {
    Arguments command = with({});
    for (const Arguments& words : {run_words(log), before, program})
      command.insert(command.end(), words.begin(), words.end());
    const Result result = run(command);
    EXPECT_EQ(result.status, 0) << result.err;
    return result.out;
  };
  const Arguments list = {"/bin/ls", "-l", "/proc/self/fd"};
  const Arguments draw_and_list = {"/usr/bin/python3", "-c",
                                   "import os, subprocess; os.urandom(4)\n"
                                   "for f in os.listdir('/proc/self/fd'): print(f, "
                                   "os.readlink('/proc/self/fd/' + f) if f == '61' else '')"};
  EXPECT_EQ(open_files("off", {"env", "DETSHIM_MODE=off"}, list).find("detshim-environment"),
            std::string::npos);
  EXPECT_EQ(open_files("blocked", {"env", "DETSHIM_LOG=" + at("file/log").string()}, draw_and_list)
                .find("detshim-environment"),
            std::string::npos);
  EXPECT_EQ(open_files("none", {}, list).find("detshim-environment"), std::string::npos);
}

// The last run's log would be read as that of this one.
TEST_F(Keeping, RefusesALogThatCannotBeWritten) {
  file(at("file"), "");
  Arguments command = with({});
  for (const Arguments& words : {run_words("file/log"), Arguments{"/bin/echo", "ran"}})
    command.insert(command.end(), words.begin(), words.end());
  const Result result = run(command);
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(lines(result.err).size(), 1u) << result.err;
  EXPECT_NE(result.err.find("/file"), std::string::npos) << result.err;
}

TEST_F(Keeping, KeepsNoShortSecret) {
  const Environment variables = {{"CONTAINER_IMAGE", "https://bob:hunter2secret@reg/img"},
                                 {"NCCL_X", "user:hunter2secret"},
                                 {"MYSQL_PW", "hunter2secret"},
                                 {"RAY_ADDRESS", "me:hunter2secret@host"},
                                 {"OMP_PROXY", "https://hunter2secret@host/r"}};
  const Arguments program = {"/bin/sh",
                             "-c",
                             "od -An -N4 /dev/urandom",
                             "sh",
                             "-u",
                             "bob:hunter2secret",
                             "--dsn",
                             "bob:hunter2secret@tcp(h)/db",
                             "x=bob:hunter2secret@tcp(h)/db",
                             "--user=bob:hunter2secret",
                             "login",
                             "-k",
                             "hunter2secret",
                             "https://hunter2secret@host/r"};
  const std::string log = run_with_log("log", program, variables);
  const auto expect_none = [&] {
    for (const auto& entry : fs::directory_iterator(log)) {
      EXPECT_EQ(text(entry.path()).find("hunter2secret"), std::string::npos) << entry.path();
      for (const char* hash : {"MYSQL_PW\":\"hash", "RAY_ADDRESS\":\"hash", "OMP_PROXY\":\"hash"})
        EXPECT_EQ(text(entry.path()).find(hash), std::string::npos) << entry.path() << hash;
    }
  };
  expect_none();
  EXPECT_EQ(fact(kept(log), "machine", "container image"), "https://reg/img");
  EXPECT_NE(fact(kept(log), "code", "arguments").get<std::string>().find("login -k <hidden>"),
            std::string::npos);
  look(log);
  expect_none();
}

// All command lines: tests/unit/secrets_test.cpp. What is written of these goes through it, and of
// a variable no hash is left, by which a guess could be tried.
TEST_F(Keeping, KeepsNoSecretOfACommandWithinAnother) {
  const Environment variables = {{"CONN_STR", "hunter2secret"},
                                 {"CREDS", "hunter2secret"},
                                 {"KUBE_CONFIG_DATA", "hunter2secret"},
                                 {"SOMETHING", "mysql -phunter2secret"},
                                 {"MANY_TOKENS", "4096"}};
  const std::string draws = "od -An -N4 /dev/urandom";
  const std::vector<Arguments> programs = {
      {"/bin/sh", "-c", draws, "sh", "timeout", "5", "mysql", "-phunter2secret"},
      {"/bin/sh", "-c", draws + "; true sshpass -p hunter2secret ssh host"},
      {"/usr/bin/env", "A=B", "/bin/sh", "-c",
       draws + "; true curl -u me:hunter2secret https://example.org"},
      {"/bin/sh", "-c", draws, "sh", "https://hooks.slack.com/services/T0/B0/hunter2secret"}};
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const std::string log = run_with_log("log" + std::to_string(i), programs[i], variables);
    look(log);
    std::size_t files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(log)) {
      if (!entry.is_regular_file())
        continue;
      ++files;
      const std::string all = text(entry.path());
      EXPECT_EQ(all.find("hunter2"), std::string::npos) << entry.path();
      if (entry.path().extension() != ".jsonl")
        continue;
      for (const char* name : {"CONN_STR", "CREDS", "KUBE_CONFIG_DATA", "SOMETHING"})
        EXPECT_NE(all.find(std::string("\"") + name + "\":\"\""), std::string::npos) << name;
      EXPECT_EQ(all.find("\"MANY_TOKENS\":\"\""), std::string::npos) << "no secret, and compared";
    }
    EXPECT_GE(files, 3u);
    for (const char* name : {"CONN_STR", "CREDS", "KUBE_CONFIG_DATA", "SOMETHING"})
      EXPECT_TRUE(kept(log)["sections"]["others"]["hidden"]["variable"].contains(name)) << name;
  }
}

TEST_F(Keeping, LeavesADigestOfAnImage) {
  const std::string image = "reg/img:24.05@sha256:0123456789abcdef";
  const Json found = Json::parse(text(capture("a.json", {{"CONTAINER_IMAGE", image}})));
  EXPECT_EQ(fact(found, "machine", "container image"), image);
}

} // namespace
