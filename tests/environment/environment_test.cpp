// `detshim env` from outside: a folder that represents a user's, in which one thing after the other
// is changed.
#include "document.h"
#include "log_files.h"
#include "run.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <functional>

#include <sys/stat.h>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;
using Json = nlohmann::json;

class Env : public testing::Test {
protected:
  Env() {
    fs::create_directories(home());
    fs::create_directories(work());
    distribution("numpy", "1.26.4", "");
    distribution("torch", "2.3.1", "");
    file(site() / "numpy/core.so", "code");
    file(site() / "numpy-1.26.4.dist-info/RECORD",
         "numpy/core.so,sha256=x,4\nnumpy-1.26.4.dist-info/RECORD,,\n");
    file(site() / "paths.pth", "import example\n");
    file(conda() / "conda-meta/mkl-2023.1.0-h213fc3f_46344.json", "{}");
    file(home() / ".triton/cache/kernel/matmul.json", "{}");
    fs::create_directories(home() / ".local/lib/python3.11/site-packages");
    for (const fs::path& folder : {work(), home() / "editable"}) {
      file(folder / "train.py", "print(1)\n");
      for (const Arguments& words :
           {Arguments{"init", "-q"}, {"add", "."}, {"commit", "-q", "-m", "first"}})
        git(folder, words);
    }
    distribution("mine", "0.1",
                 R"({"url":"file://)" + (home() / "editable").string() +
                     R"(","dir_info":{"editable":true}})");
    environment_ = {{"HOME", home()},
                    {"VIRTUAL_ENV", venv()},
                    {"CONDA_PREFIX", conda()},
                    {"PATH", "/usr/bin:/bin"},
                    {"LD_LIBRARY_PATH", "/opt/a"},
                    {"OMP_NUM_THREADS", "4"},
                    {"AN_EXAMPLE", "1"},
                    {"LANG", "C"},
                    {"TZ", "UTC"},
                    {"XDG_CACHE_HOME", home() / ".cache"},
                    {"LOADEDMODULES", "cuda/12.4"},
                    {"NCCL_TOPO_FILE", home() / "topology.xml"}};
  }

  fs::path home() const { return scratch_.path() / "home"; }
  fs::path work() const { return scratch_.path() / "work"; }
  fs::path venv() const { return scratch_.path() / "venv"; }
  fs::path conda() const { return scratch_.path() / "conda"; }
  fs::path site() const { return venv() / "lib/python3.11/site-packages"; }

  static void file(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

  void distribution(const std::string& name, const std::string& version,
                    const std::string& origin) const {
    const fs::path info = site() / (name + "-" + version + ".dist-info");
    file(info / "METADATA",
         "Metadata-Version: 2.1\nName: " + name + "\nVersion: " + version + "\n\nVersion: none\n");
    if (!origin.empty())
      file(info / "direct_url.json", origin);
  }

  static void git(const fs::path& folder, const Arguments& words) {
    Arguments command = {"git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@b"};
    command.insert(command.end(), words.begin(), words.end());
    const Result result = run(command);
    ASSERT_EQ(result.status, 0) << result.err;
  }

  /// `before`: words in front of the command.
  std::string capture(const std::string& name, const Arguments& before = {},
                      const Arguments& after = {}) const {
    Arguments command = {"env", "-i", "-C", work()};
    for (const auto& [variable, value] : environment_)
      command.push_back(variable + "=" + value);
    command.insert(command.end(), before.begin(), before.end());
    const std::string to = scratch_.path() / name;
    command.insert(command.end(), {DETSHIM_COMMAND, "env", "capture", "-o", to});
    command.insert(command.end(), after.begin(), after.end());
    const Result result = run(command);
    EXPECT_EQ(result.status, 0) << result.err;
    return to;
  }

  /// Written so much after the run began that the kernel's clock, from which files have their
  /// times, has moved.
  static void file_later(const std::string& log, const fs::path& path, const std::string& text) {
    struct stat state = {};
    const auto began = kept(log)["began"].get<std::int64_t>();
    do {
      file(path, text);
      ASSERT_EQ(stat(path.c_str(), &state), 0);
    } while (state.st_ctim.tv_sec * std::int64_t{1'000'000'000} + state.st_ctim.tv_nsec <= began);
  }

  /// The log of a run in the user's folder, as it was captured when that began.
  std::string run_with_log(const std::string& name, const Arguments& program,
                           const Arguments& options = {}) const {
    Arguments command = {"env", "-i", "-C", work()};
    for (const auto& [variable, value] : environment_)
      command.push_back(variable + "=" + value);
    const std::string log = scratch_.path() / name;
    command.insert(command.end(), {DETSHIM_COMMAND, "run", "--seed", "42", "--quiet", "--library",
                                   DETSHIM_LIBRARY, "--log", log});
    command.insert(command.end(), options.begin(), options.end());
    command.emplace_back("--");
    command.insert(command.end(), program.begin(), program.end());
    const Result result = run(command);
    EXPECT_EQ(result.status, 0) << result.err;
    return log;
  }

  /// What is kept beside a log.
  static Json kept(const std::string& log) {
    std::ifstream input(log + "/environment.json");
    return Json::parse(input, nullptr, false);
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
    const Result result = run({DETSHIM_COMMAND, "env", "diff", "--json", a, b});
    Json document = Json::parse(result.out, nullptr, false);
    EXPECT_EQ(result.status, document.value("result", "") == "equal"       ? 0
                             : document.value("result", "") == "different" ? 1
                                                                           : 2)
        << result.err;
    return document;
  }

  /// Makes the change, and expects one difference: of that section, whose subject is so.
  void expect_difference(const std::string& section, const std::string& subject,
                         const std::function<void()>& change, const Arguments& before = {}) {
    SCOPED_TRACE(section + ": " + subject);
    const std::string a = capture("a.json");
    change();
    const Json found = compare(a, capture("b.json", before));
    EXPECT_EQ(found["result"], "different") << found;
    ASSERT_EQ(found["differences"].size(), 1u) << found["differences"];
    EXPECT_EQ(found["differences"][0]["section"], section);
    EXPECT_EQ(found["differences"][0]["subject"], subject);
    ++planted_;
  }

  void expect_variable(const std::string& section, const std::string& name,
                       const std::string& value) {
    expect_difference(section, "variable " + name, [&] {
      environment_[name] = value;
    });
  }

  Environment environment_;
  int planted_ = 0;
  TemporaryFolder scratch_;
};

TEST_F(Env, NamesEachPlantedDifferenceAndNoOther) {
  EXPECT_TRUE(compare(capture("a.json"), capture("b.json"))["differences"].empty());
  expect_variable("loader", "LD_LIBRARY_PATH", "/opt/b");
  expect_variable("loader", "LD_BIND_NOW", "1");
  expect_variable("loader", "PYTHONPATH", "/opt/python");
  expect_variable("loader", "GLIBC_TUNABLES", "glibc.cpu.hwcaps=-AVX2");
  expect_variable("settings", "OMP_NUM_THREADS", "8");
  expect_variable("settings", "MKL_CBWR", "COMPATIBLE");
  expect_variable("settings", "NCCL_ALGO", "ring");
  expect_variable("settings", "CUDA_VISIBLE_DEVICES", "1");
  expect_variable("settings", "PYTHONHASHSEED", "7");
  expect_variable("settings", "XLA_FLAGS", "--xla_gpu_deterministic_ops");
  expect_variable("session", "LANG", "C.UTF-8");
  expect_variable("session", "LC_NUMERIC", "C");
  expect_variable("session", "TZ", "Europe/Zurich");
  expect_variable("packages", "LOADEDMODULES", "cuda/12.8");
  expect_variable("others", "AN_EXAMPLE", "2");
  expect_difference("others", "variable AN_EXAMPLE", [&] {
    environment_.erase("AN_EXAMPLE");
  });
  expect_difference("versions", "python torch", [&] {
    fs::remove_all(site() / "torch-2.3.1.dist-info");
    distribution("torch", "2.4.0", "");
  });
  expect_difference("versions", "python new", [&] {
    distribution("new", "1", "");
  });
  expect_difference("versions", "python new", [&] {
    distribution(
        "new", "1",
        R"({"url":"https://example.org/new","vcs_info":{"vcs":"git","commit_id":"0123"}})");
  });
  expect_difference("versions", "python numpy", [&] {
    file(site() / "numpy/core.so", "other code");
  });
  expect_difference("versions", "python numpy", [&] {
    fs::remove(site() / "numpy/core.so");
  });
  expect_difference("versions", "start file paths.pth", [&] {
    file(site() / "paths.pth", "import other\n");
  });
  expect_difference("code", "source of mine", [&] {
    file(home() / "editable/train.py", "print(2)\n");
  });
  expect_difference("versions", "conda mkl", [&] {
    fs::rename(conda() / "conda-meta/mkl-2023.1.0-h213fc3f_46344.json",
               conda() / "conda-meta/mkl-2024.0.0-h213fc3f_1.json");
  });
  const std::string untracked = "git untracked files";
  expect_difference("code", "git changes", [&] {
    file(work() / "train.py", "print(3)\n");
  });
  git(work(), {"checkout", "-q", "train.py"});
  expect_difference("code", "git commit", [&] {
    git(work(), {"commit", "-q", "--allow-empty", "-m", "second"});
  });
  expect_difference("code", untracked, [&] {
    file(work() / "new.py", "");
  });
  expect_difference("caches", "Triton's", [&] {
    file(home() / ".triton/cache/kernel/other.json", "{}");
  });
  expect_difference("caches", "FlashInfer's", [&] {
    file(home() / ".cache/flashinfer/a", "1");
  });
  expect_difference("caches", "CUDA's", [&] {
    file(home() / ".nv/ComputeCache/a", "1");
  });
  for (const auto& [subject, name] :
       std::map<std::string, std::string>{{"Inductor's", "TORCHINDUCTOR_CACHE_DIR"},
                                          {"JAX's", "JAX_COMPILATION_CACHE_DIR"},
                                          {"MIOpen's", "MIOPEN_USER_DB_PATH"},
                                          {"TensorRT's timing", "ORT_TENSORRT_TIMING_CACHE_PATH"},
                                          {"TensorRT's engines", "ORT_TENSORRT_CACHE_PATH"}}) {
    environment_[name] = home() / name; // the cache itself is the one difference
    expect_difference("caches", subject, [&] {
      file(home() / name / "cache", "1");
    });
  }
  expect_difference("driver", "NCCL topology file", [&] {
    file(home() / "topology.xml", "<system/>");
  });
  expect_difference("versions", "interpreter", [&] {
    fs::create_directories(venv() / "bin");
    fs::copy_file("/bin/true", venv() / "bin/python3");
  });
  expect_difference("session", "limit of stack size", [] {}, {"prlimit", "--stack=1000000"});
  expect_difference("session", "limit of open files", [] {}, {"prlimit", "--nofile=100"});
  expect_difference("session", "umask", [] {}, {"sh", "-c", "umask 77; exec \"$@\"", "sh"});
  expect_difference("versions", "start file sitecustomize.py", [&] {
    file(site() / "sitecustomize.py", "import os\n");
  });
  expect_difference("code", untracked, [&] {
    file(work() / "new.py", "other contents of a file that git does not follow\n");
  });
  expect_difference("versions", "python local", [&] {
    file(home() / ".local/lib/python3.11/site-packages/local-1.dist-info/METADATA",
         "Name: local\nVersion: 1\n");
    file(home() / ".local/lib/python3.11/site-packages/local-1.dist-info/RECORD", "");
  });
  EXPECT_GE(planted_, 40);
}

TEST_F(Env, KnowsTheProcessorsThatAreAllowed) {
  if (run({"taskset", "-c", "0", "sh", "-c", "test $(nproc) = 1 && test $(nproc --all) -gt 1"})
          .status != 0)
    GTEST_SKIP() << "one processor";
  expect_difference("machine", "processors allowed", [] {}, {"taskset", "-c", "0"});
}

// What was mapped is known by a log, and is unknown without one: never equal.
TEST_F(Env, KnowsTheLibrariesOfARunByTheirBuilds) {
  const std::string without = capture("without.json");
  EXPECT_EQ(compare(without, capture("other.json"))["result"], "equal") << "neither is of a run";
  const std::string program = scratch_.path() / "program",
                    library = scratch_.path() / "libexample.so";

  const auto build = [&](const std::string& value) {
    file(scratch_.path() / "example.c", "int example(void) { return " + value + " - " + value +
                                            "; }\nint number = " + value + ";\n");
    ASSERT_EQ(run({"gcc", "-shared", "-fPIC", "-Wl,--build-id", scratch_.path() / "example.c", "-o",
                   library})
                  .status,
              0);
  };
  build("1");
  ASSERT_EQ(run({"gcc", "-DSEEDED", PROGRAMS "calls_a_library.c", library, "-o", program}).status,
            0);
  const auto log_of = [&](const std::string& name) {
    return run_with_log(name, {program});
  };
  const std::string a = capture("a.json", {}, {log_of("log_a")});
  EXPECT_EQ(compare(a, capture("same.json", {}, {log_of("log_same")}))["result"], "equal");
  build("2");
  const Json found = compare(a, capture("b.json", {}, {log_of("log_b")}));
  ASSERT_EQ(found["differences"].size(), 1u) << found;
  EXPECT_EQ(found["differences"][0]["subject"], "libexample.so");
  const Json beside = compare(a, without);
  EXPECT_EQ(beside["result"], "different") << "variables: one under detshim, one not";
  EXPECT_EQ(beside["unknown"].size(), 3u)
      << "the program, libraries and their packages: " << beside;
}

// What has no build id is told by its contents, which were kept: in `log diff` too.
TEST_F(Env, KnowsALibraryWithoutABuildByItsContents) {
  const std::string program = scratch_.path() / "program",
                    library = scratch_.path() / "libexample.so";

  const auto build = [&](const std::string& value) {
    file(scratch_.path() / "example.c",
         "int number = " + value + ";\nint example(void) { return 0; }\n");
    ASSERT_EQ(run({"gcc", "-shared", "-fPIC", "-Wl,--build-id=none", scratch_.path() / "example.c",
                   "-o", library})
                  .status,
              0);
  };
  build("1");
  ASSERT_EQ(
      run({"gcc", PROGRAMS "calls_a_library.c", library, "-o", program, "-Wl,--build-id"}).status,
      0);
  const std::string a = run_with_log("a", {program}), same = run_with_log("same", {program});
  const Result equal = run({DETSHIM_COMMAND, "log", "diff", a, same});
  EXPECT_EQ(equal.status, 0) << equal.out;
  build("2");
  const Result other =
      run({DETSHIM_COMMAND, "log", "diff", "--json", a, run_with_log("other", {program})});
  EXPECT_EQ(other.status, 1) << other.out;
  const Json facts = Json::parse(other.out)["sections"]["libraries"]["facts"];
  ASSERT_EQ(facts.size(), 1u) << other.out;
  EXPECT_EQ(facts[0]["subject"], "file libexample.so") << other.out;
  EXPECT_EQ(facts[0]["process"], "0") << other.out;
}

const Arguments draw = {"/usr/bin/od", "-An", "-N4", "/dev/urandom"};

// The cheap part is there as the run has begun; the first `detshim log` adds the rest.
TEST_F(Env, IsKeptBesideARunsLog) {
  const std::string log = run_with_log("log", draw);
  const Json start = kept(log);
  EXPECT_EQ(start["complete"], false) << start;
  EXPECT_EQ(fact(start, "code", "arguments"), "/usr/bin/od -An -N4 /dev/urandom");
  EXPECT_EQ(fact(start, "settings", "variable OMP_NUM_THREADS"), "4");
  EXPECT_FALSE(fact(start, "code", "git commit").is_null());
  EXPECT_EQ(fact(start, "code", "git changes"), "none");
  EXPECT_NE(unknown(start, "libraries", ""), "");
  const Result shown = run({DETSHIM_COMMAND, "log", log});
  EXPECT_EQ(shown.out.find("environment"), std::string::npos)
      << "nothing is to be said: " << shown.out;
  const Json whole = kept(log);
  EXPECT_EQ(whole["complete"], true);
  EXPECT_EQ(whole["run"], start["run"]);
  EXPECT_FALSE(fact(whole, "libraries", "libc.so.6").is_null());
  EXPECT_EQ(fact(whole, "code", "git changes"), "none");
  EXPECT_EQ(fact(whole, "code", "git commit"), fact(start, "code", "git commit"));
  EXPECT_EQ(std::ranges::distance(fs::directory_iterator(log)), 4) << "no half file is left";
}

// Nobody has to look at a log before: both are completed alike.
TEST_F(Env, IsEqualForTwoEqualRuns) {
  const std::string a = run_with_log("a", draw), b = run_with_log("b", draw);
  EXPECT_EQ(compare(a, b)["result"], "equal");
  const std::string c = run_with_log("c", draw), d = run_with_log("d", draw);
  run({DETSHIM_COMMAND, "log", c});
  const Json files = compare(c + "/environment.json", d + "/environment.json");
  EXPECT_EQ(files["result"], "equal") << files;
  EXPECT_EQ(compare(c, d + "/environment.json")["result"], "equal");
}

TEST_F(Env, IsTheSameWhenItIsCapturedAgain) {
  const std::string log =
      run_with_log("log", {"/usr/bin/python3", "-c", "import os; os.urandom(4)"});
  run({DETSHIM_COMMAND, "log", log});
  const Json first = kept(log);
  EXPECT_EQ(run({DETSHIM_COMMAND, "env", "capture", log}).status, 0);
  EXPECT_EQ(kept(log)["sections"], first["sections"]);
  // What could be told once is not lost.
  file_later(log, work() / "train.py", "print(2)\n");
  EXPECT_EQ(run({DETSHIM_COMMAND, "env", "capture", log}).status, 0);
  EXPECT_EQ(fact(kept(log), "code", "git changes"), "none");
}

TEST_F(Env, TellsASecretFromAValueThatIsNone) {
  expect_variable("settings", "HF_TOKEN", "abcdefgh"); // not there before
  expect_variable("settings", "HF_TOKEN", "1");
}

// Two long lists that begin alike.
TEST_F(Env, ShowsWhatOneOfTwoLongListsHas) {
  std::string folders;
  for (int i = 0; i < 30; ++i)
    folders += ":/opt/folder" + std::to_string(i);
  environment_["LD_LIBRARY_PATH"] = "/opt/a" + folders + ":/opt/old/lib";
  const std::string a = capture("a.json");
  environment_["LD_LIBRARY_PATH"] = "/opt/a" + folders + ":/opt/new/lib:/opt/more/lib";
  const Result shown = run({DETSHIM_COMMAND, "env", "diff", a, capture("b.json")});
  for (const char* alone : {": /opt/old/lib\n", ": /opt/more/lib /opt/new/lib\n"})
    EXPECT_NE(shown.out.find(alone), std::string::npos) << shown.out;
  EXPECT_EQ(shown.out.find("/opt/folder"), std::string::npos) << shown.out;
  environment_["LD_LIBRARY_PATH"] = "/opt/a:/opt/old/lib" + folders;
  const Result moved = run({DETSHIM_COMMAND, "env", "diff", a, capture("b.json")});
  EXPECT_NE(moved.out.find("    A …:/opt/folder0:"), std::string::npos) << moved.out;
  EXPECT_NE(moved.out.find("    B …:/opt/old/lib:"), std::string::npos) << moved.out;
}

TEST_F(Env, NamesTheSwitchForOtherProcessors) {
  const std::string a = capture("a.json"), b = scratch_.path() / "b.json";
  std::ifstream input(a);
  Json other = Json::parse(input);
  file(b, other.dump());
  EXPECT_EQ(run({DETSHIM_COMMAND, "env", "diff", a, b}).out.find("DETSHIM_PORTABLE"),
            std::string::npos);
  other["sections"]["machine"]["known"]["plain"]["instructions"] = "sse4_2";
  file(b, other.dump());
  EXPECT_NE(run({DETSHIM_COMMAND, "env", "diff", a, b}).out.find("DETSHIM_PORTABLE=1"),
            std::string::npos);
}

// A Python by a name in a PATH that the program itself has set: the run says which one it was.
TEST_F(Env, KnowsTheVirtualEnvironmentThatRan) {
  environment_.erase("VIRTUAL_ENV");
  environment_.erase("CONDA_PREFIX");
  const auto versions = [&](const std::string& version) {
    const fs::path own = scratch_.path() / ("venv" + version);
    fs::create_directories(own / "bin");
    fs::create_symlink("/usr/bin/python3", own / "bin/python3");
    file(own / "pyvenv.cfg", "home = /usr/bin\ninclude-system-site-packages = false\n");
    file(own / "lib/python3.11/site-packages/example.dist-info/METADATA",
         "Name: example\nVersion: " + version + "\n");
    const std::string log = run_with_log(
        "log" + version,
        {"/bin/sh", "-c", "PATH=$0:$PATH; python3 -c 'import os; os.urandom(4)'", own / "bin"});
    EXPECT_EQ(run({DETSHIM_COMMAND, "log", log}).status, 0);
    EXPECT_EQ(fact(kept(log), "versions", "python example"), version);
    // Looked into in advance: the Python of the PATH that `detshim run` had. But not twice.
    environment_["VIRTUAL_ENV"] = own;
    const std::string direct =
        run_with_log("direct" + version, {own / "bin/python3", "-c", "import os; os.urandom(4)"});
    EXPECT_EQ(run({DETSHIM_COMMAND, "log", direct}).status, 0);
    environment_["PATH"] = (own / "bin").string() + ":/usr/bin:/bin";
    const std::string by_path =
        run_with_log("path" + version, {"python3", "-c", "import os; os.urandom(4)"});
    EXPECT_EQ(run({DETSHIM_COMMAND, "log", by_path}).status, 0);
    for (const std::string& one : {direct, by_path})
      EXPECT_EQ(fact(kept(one), "versions", "python's folders").dump().find("/usr/"),
                std::string::npos)
          << one;
    environment_["PATH"] = "/usr/bin:/bin";
    environment_.erase("VIRTUAL_ENV");
    return log;
  };
  const Json found = compare(versions("1"), versions("2"));
  EXPECT_TRUE(std::ranges::any_of(found["differences"], [](const Json& difference) {
    return difference["subject"] == "python example";
  })) << found;
}

// pyenv's python3 is a script, which another program reads.
TEST_F(Env, AsksAScriptThatStartsAPython) {
  environment_.erase("VIRTUAL_ENV");
  environment_.erase("CONDA_PREFIX");
  const fs::path shim = scratch_.path() / "shims/python3";
  file(shim, "#!/bin/sh\nexec /usr/bin/python3 \"$@\"\n");
  fs::permissions(shim, fs::perms::owner_all);
  environment_["PATH"] = shim.parent_path().string() + ":/usr/bin:/bin";
  const std::string a = capture("a.json");
  EXPECT_EQ(compare(a, a)["result"], "equal") << compare(a, a);
  std::ifstream input(a);
  EXPECT_NE(fact(Json::parse(input), "versions", "interpreter").dump().find("/usr/bin/python3"),
            std::string::npos);
  // A run without a Python has none that could be unknown.
  EXPECT_EQ(compare(run_with_log("b", draw), run_with_log("c", draw))["result"], "equal");
}

TEST_F(Env, KnowsThePackagesOfThePythonThatRan) {
  environment_.erase("VIRTUAL_ENV");
  environment_.erase("CONDA_PREFIX");
  const fs::path other = scratch_.path() / "other";
  fs::create_directories(other / "bin");
  fs::copy_file("/usr/bin/od", other / "bin/python3"); // by its name it is one
  file(other / "conda-meta/mkl-2025.0.0-h1_1.json", "{}");
  const std::string log = run_with_log(
      "log", {"/bin/sh", "-c", "PATH=$0:$PATH; python3 -An -N4 /dev/urandom", other / "bin"});
  EXPECT_EQ(run({DETSHIM_COMMAND, "log", log}).status, 0);
  EXPECT_EQ(fact(kept(log), "versions", "conda mkl"), "2025.0.0-h1_1")
      << kept(log)["sections"]["versions"];
}

// A program that still runs has not said what it has mapped.
TEST_F(Env, IsNotCompleteWhileTheProgramRuns) {
  const std::string log = run_with_log("log", {"/bin/sh", "-c",
                                               "od -An -N4 /dev/urandom; '" DETSHIM_COMMAND
                                               "' log \"$0\"; cp \"$0/environment.json\" "
                                               "\"$0/../within\"; :",
                                               scratch_.path() / "log"});
  std::ifstream within(scratch_.path() / "within");
  EXPECT_EQ(Json::parse(within)["complete"], false);
  run({DETSHIM_COMMAND, "log", log});
  EXPECT_EQ(kept(log)["complete"], true);
}

// Each of them has what was handed over: the shell that started them has no log.
TEST_F(Env, IsKeptOnceForTheProgramsOfARun) {
  const std::string log =
      run_with_log("log", {"/bin/sh", "-c", "od -An -N4 /dev/urandom; od -An -N4 /dev/urandom; :"});
  for (const auto& entry : fs::directory_iterator(log))
    EXPECT_TRUE(entry.path().extension() != ".json" ||
                entry.path().filename() == "environment.json")
        << entry.path();
}

// It is that of the start, whatever was changed since.
TEST_F(Env, DoesNotTakeTodaysStateForThatOfARun) {
  const std::string log = run_with_log("log", draw);
  const Json start = kept(log);
  file_later(log, work() / "train.py", "print(2)\n");
  git(work(), {"commit", "-q", "-a", "-m", "later"});
  EXPECT_EQ(run({DETSHIM_COMMAND, "log", log}).out.find("environment: "), std::string::npos);
  for (const char* subject : {"git commit", "git changes", "git untracked files", "source of mine"})
    EXPECT_EQ(fact(kept(log), "code", subject), fact(start, "code", subject)) << subject;
}

// A distribution whose files were changed after the run.
TEST_F(Env, DoesNotTakeAChangedDistributionForThatOfARun) {
  environment_["PYTHONDONTWRITEBYTECODE"] = "1";
  const fs::path info = home() / ".local/lib/python3.11/site-packages/example-1.dist-info";
  file(info / "METADATA", "Name: example\nVersion: 1\n");
  file(info.parent_path() / "example.py", "a = 1\n");
  file(info / "RECORD", "example.py,sha256=x,6\n");
  const std::string log =
      run_with_log("log", {"/usr/bin/python3", "-c", "import os; os.urandom(4)"});
  file(info.parent_path() / "example.py", "a = 222\n");
  EXPECT_EQ(run({DETSHIM_COMMAND, "log", log}).out.find("environment: "), std::string::npos);
  EXPECT_EQ(fact(kept(log), "versions", "python example"), "1");
  const std::string later =
      run_with_log("later", {"/usr/bin/python3", "-c", "import os; os.urandom(4)"});
  EXPECT_NE(fact(kept(later), "versions", "python example"), "1");
}

// NumPy's RECORD names `__config__.py` twice, as it was before and behind the last step of its
// build.
TEST_F(Env, TakesAFileThatIsNamedTwiceForWholeIfOneLineFits) {
  const fs::path info = home() / ".local/lib/python3.11/site-packages/example-1.dist-info";
  file(info / "METADATA", "Name: example\nVersion: 1\n");
  file(info.parent_path() / "example.py", "a = 1\n");
  const auto version = [&](const std::string& record, const std::string& log) {
    file(info / "RECORD", record);
    return fact(kept(run_with_log(log, {"/usr/bin/python3", "-c", "import os; os.urandom(4)"})),
                "versions", "python example");
  };
  EXPECT_EQ(version("example.py,sha256=x,9\nexample.py,sha256=y,6\n", "last"), "1");
  EXPECT_EQ(version("example.py,sha256=y,6\nexample.py,sha256=x,9\n", "first"), "1");
  EXPECT_NE(version("example.py,sha256=x,9\nexample.py,sha256=y,8\n", "none"), "1");
}

// By LD_PRELOAD alone: what the log has, what cannot have changed, and the rest is unknown.
TEST_F(Env, IsMadeOfALogAlone) {
  const std::string log = scratch_.path() / "log";
  const Result result =
      run({"/usr/bin/od", "-An", "-N4", "/dev/urandom"}, {{"LD_PRELOAD", DETSHIM_LIBRARY},
                                                          {"DETSHIM_SEED", "42"},
                                                          {"DETSHIM_LOG", log},
                                                          {"DETSHIM_QUIET", "1"},
                                                          {"OMP_NUM_THREADS", "3"}});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_FALSE(fs::exists(log + "/environment.json"));
  EXPECT_EQ(run({DETSHIM_COMMAND, "log", log}).status, 0);
  const Json whole = kept(log);
  EXPECT_FALSE(fact(whole, "libraries", "libc.so.6").is_null()) << whole;
  EXPECT_EQ(fact(whole, "settings", "seed"), "42");
  EXPECT_EQ(fact(whole, "code", "arguments"), "/usr/bin/od -An -N4 /dev/urandom");
  EXPECT_TRUE(fact(whole, "session", "limit of stack size").is_null());
  for (const char* section : {"driver", "loader", "settings", "versions", "code", "caches",
                              "machine", "packages", "session", "others"})
    EXPECT_NE(unknown(whole, section, ""), "") << section;
  // Neither is the same as another's, nor as its own twin.
  EXPECT_EQ(compare(log, log)["result"], "unknown");
}

TEST_F(Env, LeavesAFolderThatCannotBeWrittenAsItIs) {
  const std::string log = run_with_log("log", draw);
  const Json start = kept(log);
  fs::permissions(log, fs::perms::owner_read | fs::perms::owner_exec);
  const Arguments as_nobody = {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                               "--inh-caps=-all"};
  Arguments command = {DETSHIM_COMMAND, "log", log};
  if (geteuid() == 0) { // which may write everywhere
    fs::permissions(scratch_.path(), fs::perms::others_all, fs::perm_options::add);
    fs::permissions(log, fs::perms::others_read | fs::perms::others_exec, fs::perm_options::add);
    for (const auto& entry : fs::directory_iterator(log))
      fs::permissions(entry.path(), fs::perms::others_read, fs::perm_options::add);
    command.insert(command.begin(), as_nobody.begin(), as_nobody.end());
  }
  const Result shown = run(command);
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_EQ(kept(log), start);
  fs::permissions(log, fs::perms::owner_all);
}

// Several runs in a folder, and a run on several machines: a file for each.
TEST_F(Env, IsKeptForEachRunAndHost) {
  run_with_log("log", draw);
  const std::string log = run_with_log("log", {"/usr/bin/od", "-An", "-N8", "/dev/urandom"});
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(log))
    if (entry.path().filename().string().starts_with("environment."))
      files.push_back(entry.path());
  ASSERT_EQ(files.size(), 2u);
  EXPECT_NE(run({DETSHIM_COMMAND, "env", "show", log}).out.find("-N8"), std::string::npos)
      << "the newest";
  Json other = kept(log);
  other["host"] = "elsewhere";
  other["places"]["machine"] = "another";
  file(log + "/environment." + other["run"].get<std::string>() + ".elsewhere.json", other.dump());
  EXPECT_NE(run({DETSHIM_COMMAND, "log", log, "--run", other["run"]}).status, 2);
  EXPECT_EQ(kept(log)["complete"], true) << "that of this machine is completed";
}

// A repository can name programs that git runs; a log that somebody hands over names no repository.
TEST_F(Env, RunsNothingThatAStrangersFolderNames) {
  const fs::path planted = scratch_.path() / "planted";
  const std::string program = "touch '" + planted.string() + "'";
  git(work(), {"config", "core.fsmonitor", program});
  const std::string own = run_with_log("own", draw);
  run({DETSHIM_COMMAND, "log", own});
  EXPECT_EQ(fact(kept(own), "code", "git changes"), "none");
  EXPECT_FALSE(fs::exists(planted)) << "fsmonitor";
  git(work(), {"config", "filter.planted.clean", program + "; cat"});
  file(work() / ".gitattributes", "*.py filter=planted\n");
  const std::string log = run_with_log("log", draw);
  Json start = kept(log);
  start["places"]["machine"] = "another";
  file(log + "/environment.json", start.dump());
  file(work() / "train.py", "print(2)\n");
  run({DETSHIM_COMMAND, "log", log});
  EXPECT_EQ(kept(log)["complete"], false) << "its own machine is to be asked";
  EXPECT_FALSE(fs::exists(planted)) << "filter";
  if (geteuid() != 0)
    return; // who alone can make a file another's
  const std::string others = run_with_log("others", draw);
  ASSERT_EQ(chown((others + "/environment.json").c_str(), 65534, 65534), 0);
  run({DETSHIM_COMMAND, "log", others});
  EXPECT_EQ(kept(others)["complete"], false);
  EXPECT_FALSE(fs::exists(planted)) << "of another user";
}

// From a machine that was not in the run: nothing of what lies here is said of it.
TEST_F(Env, SaysNothingOfAnotherMachinesDisk) {
  const std::string log = run_with_log("log", draw);
  Json start = kept(log);
  start["places"]["machine"] = "another";
  file(log + "/environment.json", start.dump());
  const std::string seen = scratch_.path() / "seen.json";
  EXPECT_EQ(run({DETSHIM_COMMAND, "env", "capture", log, "-o", seen}).status, 0);
  std::ifstream input(seen);
  const Json from_here = Json::parse(input);
  EXPECT_EQ(fact(from_here, "code", "git changes"), fact(start, "code", "git changes"));
  EXPECT_TRUE(fact(from_here, "packages", "debian libc6").is_null());
  EXPECT_FALSE(fact(from_here, "libraries", "libc.so.6").is_null()) << "the log has that";
}

TEST_F(Env, TakesAStrangersFileForWhatItIs) {
  const std::string log = run_with_log("log", draw);
  const std::string whole = kept(log).dump();
  const auto one_line = [&](const std::string& text, const std::string& says) {
    file(log + "/environment.json", text);
    const Result shown = run({DETSHIM_COMMAND, "log", log});
    EXPECT_EQ(shown.status, 0) << shown.err;
    EXPECT_NE(shown.out.find("environment: "), std::string::npos) << shown.out;
    EXPECT_NE(shown.out.find(says), std::string::npos) << shown.out;
    EXPECT_EQ(shown.out.find('\x1b'), std::string::npos);
    fs::remove(log + "/environment.json");
  };
  one_line(whole.substr(0, whole.size() / 2), "is no environment");
  one_line("[]", "is no environment");
  one_line(R"({"schema_version":1,"sections":5})", "is no environment");
  one_line(R"({"schema_version":99})", "is of another version");
  file(log + "/environment.json", "");
  fs::resize_file(log + "/environment.json", 1U << 30);
  EXPECT_NE(run({DETSHIM_COMMAND, "log", log}).out.find("is larger than"), std::string::npos);
  fs::remove(log + "/environment.json");
  Json odd = Json::parse(whole);
  odd["complete"] = true;
  odd["sections"]["code"]["unknown"]["plain"]["\x1b[31mred"] = "not looked at \x1b[0m\n\n";
  file(log + "/environment.json", odd.dump());
  const std::string shown = run({DETSHIM_COMMAND, "env", "show", log + "/environment.json"}).out;
  EXPECT_NE(shown.find("not looked at"), std::string::npos) << shown;
  EXPECT_EQ(shown.find('\x1b'), std::string::npos) << shown;
}

// Shown first, and the status is that of the logs.
TEST_F(Env, IsComparedByLogDiff) {
  const std::string a = run_with_log("a", draw), same = run_with_log("same", draw);
  const Result equal = run({DETSHIM_COMMAND, "log", "diff", a, same});
  EXPECT_EQ(equal.status, 0) << equal.out;
  EXPECT_FALSE(equal.out.starts_with("environments")) << equal.out;
  file(work() / "train.py", "print(2)\n");
  environment_["LANG"] = "C.UTF-8";
  const std::string b = run_with_log("b", draw);
  const Result found = run({DETSHIM_COMMAND, "log", "diff", a, b});
  EXPECT_EQ(found.status, 0) << "the logs are equal: " << found.out;
  EXPECT_TRUE(found.out.starts_with("environments")) << found.out;
  const auto environments = [&] {
    const Json document = Json::parse(run({DETSHIM_COMMAND, "log", "diff", "--json", a, b}).out);
    EXPECT_EQ(document["result"], "equal");
    return document["environments"];
  };
  const Json both = environments();
  EXPECT_EQ(both["result"], "different");
  ASSERT_EQ(both["differences"].size(), 2u) << both;
  EXPECT_EQ(both["differences"][0]["section"], "code") << both;
  EXPECT_EQ(both["differences"][0]["subject"], "git changes") << both;
  EXPECT_EQ(both["differences"][0]["a"], "none") << both;
  EXPECT_EQ(both["differences"][1]["section"], "session") << both;
  EXPECT_EQ(both["differences"][1]["subject"], "variable LANG") << both;
  EXPECT_EQ(both["differences"][1]["a"], "C") << both;
  EXPECT_EQ(both["differences"][1]["b"], "C.UTF-8") << both;
  fs::remove(b + "/environment.json");
  EXPECT_EQ(environments(), Json()) << "B has none";
}

TEST_F(Env, IsComparedByVerify) {
  const auto verify = [&](const std::string& script) {
    Arguments command = {"env", "-i", "-C", work()};
    for (const auto& [variable, value] : environment_)
      command.push_back(variable + "=" + value);
    command.insert(command.end(),
                   {DETSHIM_COMMAND, "verify", "--library", DETSHIM_LIBRARY, "--log",
                    scratch_.path() / "verify", "--json", "--", "/bin/sh", "-c", script});
    const Result result = run(command);
    fs::remove_all(scratch_.path() / "verify");
    // What changed, by its section and subject.
    std::set<std::string> changes;
    const Json document = Json::parse(result.out);
    for (const std::string change : document["environment_changes"])
      changes.insert(change.substr(0, change.find(": ", change.find(": ") + 1)));
    return changes;
  };
  using Changes = std::set<std::string>;
  EXPECT_EQ(verify("od -An -N4 /dev/urandom"), Changes{});
  EXPECT_EQ(verify("od -An -N4 /dev/urandom; echo 1 >train.py"), Changes{"code: git changes"});
  EXPECT_EQ(
      verify("od -An -N4 /dev/urandom; echo edoc >'" + (site() / "numpy/core.so").string() + "'"),
      Changes{"versions: python numpy"});
}

// An argument may hold one; what `run` and `verify` write is held to the same as a capture.
TEST_F(Env, KeepsNoSecretOfARun) {
  std::vector<std::string> secrets;
  const auto secret = [&] {
    return secrets.emplace_back("s3cr3t" + std::to_string(secrets.size()) + "Zq8LxV1mTb");
  };
  for (int i = 0; i < 25; ++i)
    environment_["A_TOKEN_" + std::to_string(i)] = secret();
  for (int i = 0; i < 25; ++i)
    environment_["OMP_EXAMPLE_" + std::to_string(i)] = secret();
  secrets.emplace_back("sesame");
  const Arguments program = {"/bin/sh",
                             "-c",
                             "od -An -N4 /dev/urandom",
                             "--token=sesame",
                             "--password",
                             "sesame",
                             "--api-key=sesame",
                             "--url=https://me:sesame@example.org",
                             "--other",
                             secret(),
                             "PASSWORD=sesame",
                             "--cookie",
                             "sesame",
                             "--auth",
                             "sesame",
                             "--x=" + secret()};
  const auto expect_none = [&](const fs::path& folder) {
    std::size_t files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.path().extension() != ".json" || entry.path().filename() == "verify.json")
        continue;
      std::ifstream input(entry.path());
      const std::string text((std::istreambuf_iterator<char>(input)), {});
      for (const std::string& one : secrets)
        EXPECT_EQ(text.find(one), std::string::npos) << entry.path() << one;
      EXPECT_EQ(fs::status(entry.path()).permissions() & fs::perms::others_all, fs::perms::none);
      ++files;
    }
    return files;
  };
  const std::string log = run_with_log("log", program);
  EXPECT_EQ(expect_none(log), 1u);
  EXPECT_NE(fact(kept(log), "code", "arguments").get<std::string>().find("--token=<hidden>"),
            std::string::npos);
  run({DETSHIM_COMMAND, "log", log});
  EXPECT_EQ(expect_none(log), 1u);
  Arguments command = {"env", "-i", "-C", work()};
  for (const auto& [variable, value] : environment_)
    command.push_back(variable + "=" + value);
  command.insert(command.end(), {DETSHIM_COMMAND, "verify", "--library", DETSHIM_LIBRARY, "--log",
                                 scratch_.path() / "verify", "--"});
  command.insert(command.end(), program.begin(), program.end());
  run(command);
  EXPECT_EQ(expect_none(scratch_.path() / "verify"), 3u);
}

TEST_F(Env, KeepsNoSecret) {
  std::vector<std::string> secrets;
  const auto secret = [&](const std::string& beginning) {
    return secrets.emplace_back(beginning + "s3cr3t" + std::to_string(secrets.size()) +
                                "Zq8LxV1mTb");
  };
  for (const char* name : {"WANDB_API_KEY",     "HF_TOKEN",           "AWS_SECRET_ACCESS_KEY",
                           "AWS_ACCESS_KEY_ID", "GITHUB_TOKEN",       "OPENAI_API_KEY",
                           "DB_PASSWORD",       "PGPASSWORD",         "MYSQL_PWD",
                           "AUTHORIZATION",     "SESSION_COOKIE",     "PRIVATE_DATA",
                           "my_credentials",    "CLIENT_SECRET",      "NCCL_KEY",
                           "TORCH_AUTH",        "OMP_TOKEN",          "CUDA_PASSPHRASE",
                           "SSH_AUTH_SOCK",     "DOCKER_AUTH_CONFIG", "NPM_TOKEN",
                           "PIP_PASSWORD",      "SLACK_TOKEN",        "COMET_API_KEY",
                           "NEPTUNE_API_TOKEN"})
    environment_[name] = secret("");
  // Drawn values in variables whose names say nothing, in paths and addresses.
  for (int i = 0; i < 10; ++i)
    environment_["OMP_EXAMPLE_" + std::to_string(i)] = secret("");
  for (int i = 0; i < 5; ++i)
    environment_["TORCH_URL_" + std::to_string(i)] = "https://me:" + secret("") + "@example.org/a";
  for (int i = 0; i < 5; ++i)
    environment_["JAX_EXAMPLE_" + std::to_string(i)] = "a:/b/" + secret("") + ":c";
  for (int i = 0; i < 5; ++i)
    distribution("private" + std::to_string(i), "1",
                 R"({"url":"https://me:)" + secret("") + R"(@example.org/x"})");
  EXPECT_EQ(secrets.size(), 50u);
  // Short ones, which no look at the value would find.
  const std::map<std::string, std::string> hidden = {
      {"HF_HEADERS", "Bearer concealed"},   {"TF_VAR_pin", "concealed"},
      {"RAY_ADDRESS", "me:concealed@host"}, {"HF_ENDPOINT", "https://h/?access=concealed"},
      {"OMP_A", "--token concealed"},       {"ROCKET_PIN", "concealed"}};
  for (const auto& [name, value] : hidden)
    environment_[name] = value;
  distribution("query", "1",
               R"({"url":"https://example.org/q?token=concealed#password=concealed"})");
  distribution("odd", "1", R"({"url":"https://user:hid/concealed@example.org/o"})");
  distribution("wrong", "1",
               R"({"url":5,"vcs_info":{"commit_id":7},"dir_info":{"editable":"yes"}})");
  file(site() / "secret.pth", "import os; os.environ['A'] = 'concealed'\n");
  secrets.emplace_back("concealed");
  const std::string to = capture("a.json");
  EXPECT_EQ(fs::status(to).permissions() & fs::perms::all,
            fs::perms::owner_read | fs::perms::owner_write);
  std::ifstream input(to);
  const std::string text((std::istreambuf_iterator<char>(input)), {});
  for (const std::string& one : secrets)
    EXPECT_EQ(text.find(one), std::string::npos) << one;
  EXPECT_NE(text.find("HF_TOKEN"), std::string::npos) << "that it is set is kept";
  EXPECT_NE(text.find("https://example.org/x"), std::string::npos);
}

TEST_F(Env, LeavesWhatIsNoFileWhereItIs) {
  const fs::path link = scratch_.path() / "link.json";
  file(scratch_.path() / "target", "kept");
  fs::create_symlink(scratch_.path() / "target", link);
  capture("link.json");
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(run({DETSHIM_COMMAND, "env", "show", link}).status, 0);
}

TEST_F(Env, DoesNotCallEqualWhatItHasNotCaptured) {
  // A repository that git cannot read: an edited program would not show.
  fs::remove_all(work() / ".git");
  file(work() / ".git", "gitdir: /no/such/folder\n");
  const Json unknown = compare(capture("a.json"), capture("b.json"));
  EXPECT_EQ(unknown["result"], "unknown");
  EXPECT_TRUE(std::ranges::any_of(unknown["unknown"], [](const Json& one) {
    return one["section"] == "code";
  })) << unknown;
}

TEST_F(Env, RefusesWhatIsNone) {
  for (const std::string& text :
       {std::string("{"), std::string("[]"), std::string(R"({"schema_version":2})")}) {
    file(scratch_.path() / "bad.json", text);
    const Result result = run({DETSHIM_COMMAND, "env", "diff", scratch_.path() / "bad.json",
                               scratch_.path() / "bad.json"});
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
  }
  EXPECT_EQ(run({DETSHIM_COMMAND, "env", "capture", "-o", "/no/such/folder/a.json"}).status, 2);
  EXPECT_EQ(run({DETSHIM_COMMAND, "env", "capture", scratch_.path() / "no_log"}).status, 2);
}

} // namespace
