// The order in which a folder is read: by name, in every way of libc's that asks for entries.
#include "log_files.h"
#include "run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

namespace {

namespace fs = std::filesystem;

/// In which they are made: whatever order a file system gives them, it is that of their names for
/// none.
const std::vector<std::string> names = {"zeta", "beta",    "x10",   "alpha", "omega", "x9",
                                        "Ab",   ".hidden", "mu",    "nu",    "xi",    "pi",
                                        "rho",  "tau",     "sigma", "#1"};

/// A folder with a few files and a folder.
class Folder : public testing::Test {
protected:
  Folder() : path_(scratch_.path() / "read") {
    fs::create_directory(path_);
    for (const std::string& name : names)
      std::ofstream{path_ / name} << name;
    fs::create_directory(path_ / "folder");
  }

  std::vector<std::string> command(const std::string& way) const {
    return {DIRECTORIES_PROGRAM, way, path_.string()};
  }
  Result native(const std::string& way) const { return run(command(way)); }
  Result pinned(const std::string& way, Environment more = {}) const {
    more.emplace("DETSHIM_SEED", "42");
    return run(command(way), under_shim(scratch_, more));
  }
  static std::vector<std::string> sorted_names(bool has_dots) {
    std::vector<std::string> sorted = names;
    sorted.emplace_back("folder");
    std::ranges::sort(sorted);
    if (has_dots)
      sorted.insert(sorted.begin(), {".", ".."});
    return sorted;
  }

  TemporaryFolder scratch_;
  fs::path path_;
};

class Way : public Folder, public testing::WithParamInterface<const char*> {};

std::vector<std::string> in_order(std::vector<std::string> some) {
  std::ranges::sort(some);
  return some;
}

// Every way: sorted with the library, by which nothing comes twice or is missing, and native
// without the hook.
TEST_P(Way, GivesTheEntriesByName) {
  const Result without = native(GetParam());
  ASSERT_EQ(without.status, 0) << without.err;
  const Result with = pinned(GetParam());
  EXPECT_EQ(with.status, 0) << with.err;
  EXPECT_EQ(with.err, "");
  EXPECT_NE(with.out, without.out)
      << "the file system has the order of the names, or nothing was sorted";
  EXPECT_EQ(in_order(lines(with.out)), in_order(lines(without.out)));
  EXPECT_EQ(pinned(GetParam(), {{"DETSHIM_DISABLE", "readdir"}}), without);
  EXPECT_EQ(pinned(GetParam(), {{"DETSHIM_READDIR", "off"}}), without);
  EXPECT_EQ(pinned(GetParam(), {{"DETSHIM_MODE", "record"}}), without);
  const Result reversed = pinned(GetParam(), {{"DETSHIM_READDIR", "reversed"}});
  EXPECT_NE(reversed.out, with.out);
  EXPECT_EQ(in_order(lines(reversed.out)), in_order(lines(without.out)));
}

INSTANTIATE_TEST_SUITE_P(All, Way,
                         testing::Values("readdir", "readdir64", "readdir_r", "readdir64_r",
                                         "fdopendir", "vfork", "scandir", "scandir_alike",
                                         "scandir64", "filesystem"),
                         [](const auto& tested) {
                           return std::string{tested.param};
                         });

class Meaning : public Folder, public testing::WithParamInterface<const char*> {};

// What does not depend on the order.
TEST_P(Meaning, IsNative) {
  const Result without = native(GetParam());
  ASSERT_EQ(without.status, 0) << without.err;
  EXPECT_EQ(pinned(GetParam()), without);
}

INSTANTIATE_TEST_SUITE_P(All, Meaning,
                         testing::Values("share", "remove", "scandir_sorted", "glob_sorted"),
                         [](const auto& tested) {
                           return std::string{tested.param};
                         });

TEST_F(Folder, IsReadByNameAndDotsComeFirst) {
  std::vector<std::string> expected = sorted_names(true);
  expected.insert(expected.end(), {"at the end: 1", "closed: 0"});
  EXPECT_EQ(lines(pinned("readdir").out), expected);
  std::ranges::reverse(expected.begin() + 2, expected.end() - 2);
  EXPECT_EQ(lines(pinned("readdir", {{"DETSHIM_READDIR", "reversed"}}).out), expected);
}

TEST_F(Folder, IsReadFromTheStartAfterRewinddir) {
  std::vector<std::string> all = sorted_names(true);
  std::vector<std::string> expected(all.begin(), all.begin() + 5);
  std::vector<std::string> with_added = all;
  with_added.insert(std::ranges::find(with_added, "alpha"), "added");
  expected.insert(expected.end(), with_added.begin(), with_added.end());
  expected.insert(expected.end(), all.begin(), all.end());
  EXPECT_EQ(lines(pinned("rewinddir").out), expected);
}

TEST_F(Folder, HasPlacesToComeBackTo) {
  const std::vector<std::string> all = sorted_names(true);
  std::vector<std::string> expected = {"the end"};
  expected.insert(expected.end(), all.rbegin(), all.rend());
  expected.insert(expected.end(), all.begin() + 1, all.end());
  expected.emplace_back("the end");
  EXPECT_EQ(lines(pinned("telldir").out), expected);
}

TEST_F(Folder, IsReadOnInAForkedChildAndByTwoStreams) {
  const std::vector<std::string> all = sorted_names(true);
  EXPECT_EQ(lines(pinned("fork").out), all);
  std::vector<std::string> expected;
  for (const std::string& name : all)
    expected.push_back(name + " " + name);
  EXPECT_EQ(lines(pinned("two").out), expected);
}

TEST_F(Folder, TakesNoMemoryOnceItIsClosed) {
  EXPECT_EQ(pinned("close_many").out, "given back: 1\n");
}

TEST_F(Folder, IsRecordedWhereItsOrderHadAnInfluence) {
  pinned("filesystem");
  std::vector<ProcessLog> logs = read_log(scratch_.log());
  ASSERT_EQ(logs.size(), 1U);
  const auto calls = logs[0].calls();
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0]["do"], "pin");
  fs::remove_all(scratch_.log());

  for (const fs::path& entry : fs::directory_iterator{path_})
    if (entry.filename() != "zeta")
      fs::remove(entry);
  pinned("readdir");
  EXPECT_FALSE(fs::exists(scratch_.log())) << "one entry has one order";
}

TEST_F(Folder, IsRecordedOncePerPlace) {
  run({"python3", "-c", contents(PROGRAMS "lists_a_folder_in_two_lines.py"), path_.string()},
      under_shim(scratch_, {{"DETSHIM_SEED", "42"}}));
  std::size_t found = 0;
  for (const ProcessLog& log : read_log(scratch_.log()))
    for (const auto& call : log.calls())
      if (call["fn"] == "readdir64" || call["fn"] == "readdir") {
        ++found;
        EXPECT_EQ(call["do"], "pin");
        EXPECT_TRUE(call["py"][0].get<std::string>().starts_with("<string>:")) << call;
      }
  EXPECT_EQ(found, 2U) << "imports and Python's own start are none of the user's places";
}

// The system's own programs read folders in hundreds; none of them makes a log of that.
TEST_F(Folder, OfAShellMakesNoLogAndTakesNoName) {
  const Environment seed = {{"DETSHIM_SEED", "42"}};
  run({"/bin/ls", path_.string()}, under_shim(scratch_, seed));
  EXPECT_FALSE(fs::exists(scratch_.log()));
  const std::string draw = std::string{DRAWS_PROGRAM} + " rand none; true";
  const Result alone = run({"sh", "-c", draw}, under_shim(scratch_, seed));
  const Result after = run({"sh", "-c", "echo " + path_.string() + "/* >/dev/null; " + draw},
                           under_shim(scratch_, seed));
  EXPECT_EQ(after, alone);
}

} // namespace
