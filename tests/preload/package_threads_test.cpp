// Threads that installed packages start for a line of the user's: a reason at that line, unless the
// package is known to give one answer.
#include "files.h"
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

/// The texts of the `threads` reasons of a script of the user's, which is t.py.
Words threads_of(const TemporaryFolder& scratch, const std::string& script) {
  std::ofstream(scratch.path() / "t.py") << script;
  std::filesystem::remove_all(scratch.log());
  const Environment environment =
      under_shim(scratch, {{"DETSHIM_SEED", "42"}, {"PYTHONPATH", "site-packages"}});
  const Result result = run({"/usr/bin/python3", "t.py"}, environment, scratch.path());
  EXPECT_EQ(result.status, 0) << result.err;
  const Result log = run({DETSHIM_COMMAND, "log", "--json", "--no-scan", scratch.log().string()});
  const auto document = nlohmann::json::parse(log.out, nullptr, false);
  Words found;
  if (document.is_object())
    for (const auto& reason : document["reasons"])
      if (reason["kind"] == "threads")
        found.push_back(reason["text"]);
  return found;
}

Words at(const std::string& place) {
  return {detshim::reason_text({.finding = detshim::Finding::threads_started, .names = {place}})};
}

TEST(PackageThreads, OfMachineCodeAreTheLinesThatCallIt) {
  const TemporaryFolder scratch;
  const auto threads = [&](const std::string& package, const std::string& call) {
    const std::filesystem::path folder = scratch.path() / "site-packages" / package;
    std::filesystem::create_directories(folder);
    EXPECT_EQ(run({"gcc", "-shared", "-fPIC", "-fopenmp", "-o", folder / "code.so",
                   PROGRAMS "package_that_races.c"})
                  .status,
              0);
    return threads_of(scratch, "import ctypes\ncode = ctypes.CDLL('" +
                                   (folder / "code.so").string() + "')\ncode." + call + "\n");
  };
  for (const char* call : {"by_threads(2)", "by_openmp(2)"}) {
    EXPECT_EQ(threads("hogwild", call), at("t.py:3")) << call;
    EXPECT_EQ(threads("xgboost", call), Words{}) << call;
  }
  EXPECT_EQ(threads("hogwild", "by_openmp(1)"), Words{});
}

TEST(PackageThreads, OfPoolsAreTheLinesThatCallThem) {
  const TemporaryFolder scratch;
  const auto threads = [&](const std::string& package, const std::string& call) {
    const std::filesystem::path folder = scratch.path() / "site-packages" / package;
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "pools.py") << contents(PROGRAMS "package_with_pools.py");
    return threads_of(scratch, "import " + package + ".pools as pools\npools." + call + "\n");
  };
  for (const std::string call : {"by_executor", "by_pool"}) {
    EXPECT_EQ(threads("helper", call + "(2)"), at("t.py:2")) << call;
    EXPECT_EQ(threads("helper", call + "(1)"), Words{}) << call;
    EXPECT_EQ(threads("huggingface_hub", call + "(2)"), Words{}) << call;
  }
}

} // namespace
