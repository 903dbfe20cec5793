// What no hook sees, in the program or in a library that it opened, is found through the log.
#include "log_files.h"
#include "run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace {

using Files = std::vector<std::string>;

const Environment seed_42{{"DETSHIM_SEED", "42"}};
#ifdef __x86_64__
const std::string instruction = "rdrand";
#else
const std::string instruction = "rndr";
#endif

/// The files of all "modules" records, in their order.
Files modules(const TemporaryFolder& scratch) {
  Files files;
  for (const ProcessLog& process : read_log(scratch.log()))
    for (const auto& record : process.records)
      if (record["t"] == "modules")
        for (const auto& file : record["files"])
          files.push_back(file);
  return files;
}

Result check(const TemporaryFolder& scratch) {
  return run({DETSHIM_COMMAND, "log", scratch.log().string(), "--check"});
}

/// The places in a file that draw around every hook, by function and kind.
std::multiset<std::string> draws_in(const TemporaryFolder& scratch, const std::string& file) {
  const Result log = run({DETSHIM_COMMAND, "log", scratch.log().string(), "--json"});
  const auto document = nlohmann::json::parse(log.out);
  std::multiset<std::string> draws;
  for (const auto& place : document["uncovered_code"])
    if (place["at"].get<std::string>().starts_with(file + "+0x"))
      draws.insert(place["function"].is_null() ? place["kind"].get<std::string>()
                                               : place["function"].get<std::string>() + " " +
                                                     place["kind"].get<std::string>());
  return draws;
}

bool mentions(const Files& files, const std::string& part) {
  return std::ranges::any_of(files, [&](const std::string& file) {
    return file.find(part) != std::string::npos;
  });
}

TEST(LoadedCode, IsNamedInTheOrderOfLoading) {
  const TemporaryFolder scratch;
  EXPECT_EQ(run({OPENS_PROGRAM, RAW_DRAWS_LIBRARY}, under_shim(scratch, seed_42)).status, 0);
  const Files files = modules(scratch);
  ASSERT_GE(files.size(), 3u);
  EXPECT_EQ(files.front(), OPENS_PROGRAM);
  EXPECT_EQ(files.back(), RAW_DRAWS_LIBRARY);
  EXPECT_TRUE(mentions(files, "/libc.so.6"));
  EXPECT_FALSE(mentions(files, "libdetshim"));
  EXPECT_FALSE(mentions(files, "vdso"));
}

TEST(LoadedCode, IsNamedByAForkedChildAndAtAnEndByExitToo) {
  const TemporaryFolder scratch;
  const Result result =
      run({"/usr/bin/python3", "-c", contents(PROGRAMS "draws_in_a_forked_child.py")},
          under_shim(scratch, seed_42));
  EXPECT_EQ(result.status, 0) << result.err;
  const std::vector<ProcessLog> logs = read_log(scratch.log());
  EXPECT_EQ(logs.size(), 2u);
  for (const ProcessLog& process : logs)
    EXPECT_EQ(std::ranges::count(process.records, "modules",
                                 [](const auto& record) {
                                   return record["t"];
                                 }),
              1)
        << process.name;
}

TEST(LoadedCode, GoesOverSeveralLinesWhereItIsMuch) {
  const TemporaryFolder scratch;
  Files libraries;
  for (int i = 0; i < 60; ++i) {
    const std::string name = std::string(150, 'x') + std::to_string(i) + ".so";
    std::filesystem::copy_file(RAW_DRAWS_LIBRARY, scratch.path() / name);
    libraries.push_back((scratch.path() / name).string());
  }
  std::string script = "import ctypes, os\nos.urandom(4)\n";
  for (const std::string& library : libraries)
    script += "ctypes.CDLL('" + library + "')\n";
  EXPECT_EQ(run({"/usr/bin/python3", "-c", script}, under_shim(scratch, seed_42)).status, 0);
  Files files = modules(scratch);
  ASSERT_GT(files.size(), libraries.size());
  files.erase(files.begin(), files.end() - static_cast<std::ptrdiff_t>(libraries.size()));
  EXPECT_EQ(files, libraries);
}

TEST(LoadedCode, IsFoundInAnOpenedLibrary) {
  const TemporaryFolder scratch;
  run({OPENS_PROGRAM, RAW_DRAWS_LIBRARY}, under_shim(scratch, seed_42));
  const Result result = check(scratch);
  EXPECT_EQ(result.status, 3);
  EXPECT_TRUE(draws_in(scratch, RAW_DRAWS_LIBRARY).contains("draw_by_processor " + instruction))
      << result.out;

  const TemporaryFolder without;
  run({OPENS_PROGRAM}, under_shim(without, seed_42));
  EXPECT_EQ(check(without).status, 0) << check(without).out;
}

TEST(LoadedCode, OfTheSystemIsNamedAndFailsNoCheck) {
  const std::string library =
      "/usr/lib/" MULTIARCH "/libQt5Core.so.5"; // holds RDRAND; libtorch needs it
  if (!std::filesystem::exists(library))
    GTEST_SKIP() << "needs libQt5Core";
  const TemporaryFolder scratch;
  EXPECT_EQ(run({OPENS_PROGRAM, library}, under_shim(scratch, seed_42)).status, 0);
  const Result result = check(scratch);
  EXPECT_EQ(result.status, 0) << result.out;
  EXPECT_FALSE(draws_in(scratch, library).empty());
}

TEST(LoadedCode, IsFoundInAProgramThatWasKilled) {
  const TemporaryFolder scratch;
  const std::filesystem::path copy = scratch.path() / "killed";
  std::filesystem::copy_file(RAW_DRAWS_PROGRAM, copy);
  EXPECT_EQ(run({copy.string(), "kill"}, under_shim(scratch, seed_42)).status, 128 + 9);
  EXPECT_EQ(modules(scratch), Files{});
  const Result result = check(scratch);
  EXPECT_EQ(result.status, 3);
  EXPECT_FALSE(draws_in(scratch, copy).empty()) << result.out;
}

} // namespace
