// What is kept of files from one command to the next: found again, and never believed of another file.
#include "files.h"
#include "run.h"
#include "support/file_cache.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include <sys/stat.h>

namespace detshim {
namespace {

namespace fs = std::filesystem;

/// The cache in a scratch folder.
class FileCacheTest : public testing::Test {
protected:
  FileCacheTest() { ::setenv("XDG_CACHE_HOME", scratch_.path().c_str(), 1); }
  ~FileCacheTest() override { ::unsetenv("XDG_CACHE_HOME"); }

  fs::path entry() const {
    for (const auto& entry : fs::directory_iterator(scratch_.path() / "detshim")) return entry.path();
    return {};
  }

  const TemporaryFolder scratch_;
};

struct stat old_file() {
  struct stat status = {};
  status.st_ino = 7;
  status.st_size = 1 << 20;
  status.st_mtim = {1'700'000'000, 5};
  status.st_ctim = {1'700'000'001, 6};
  return status;
}

TEST_F(FileCacheTest, GivesBackWhatWasKeptOfThatVeryFile) {
  const std::string result("a\0b", 3);
  FileCache("1").keep("code", "/lib/a.so", old_file(), "beef", result);
  EXPECT_EQ(FileCache("1").find("code", "/lib/a.so", old_file(), "beef"), result);
  EXPECT_EQ(fs::status(scratch_.path() / "detshim").permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(entry()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(FileCacheTest, BelievesNothingOfAnotherFile) {
  FileCache("1").keep("code", "/lib/a.so", old_file(), "beef", "x");
  const auto find = [](const struct stat& status, const char* kind = "code", const char* file = "/lib/a.so",
                       const char* build = "beef",
                       const char* maker = "1") { return FileCache(maker).find(kind, file, status, build); };
  EXPECT_TRUE(find(old_file()));
  EXPECT_FALSE(find(old_file(), "symbols"));
  EXPECT_FALSE(find(old_file(), "code", "/lib/b.so"));
  EXPECT_FALSE(find(old_file(), "code", "/lib/a.so", "cafe"));
  EXPECT_FALSE(find(old_file(), "code", "/lib/a.so", "beef", "2"));
  struct stat other = old_file();
  other.st_ino = 8;
  EXPECT_FALSE(find(other));
  other = old_file();
  ++other.st_size;
  EXPECT_FALSE(find(other));
  other = old_file();
  ++other.st_mtim.tv_nsec;
  EXPECT_FALSE(find(other));
  other = old_file();
  ++other.st_ctim.tv_nsec;
  EXPECT_FALSE(find(other)) << "written to, and its time of writing put back";
}

TEST_F(FileCacheTest, KeepsNothingOfAFileThatWasChangedJustNow) {
  struct stat fresh = old_file();
  ::clock_gettime(CLOCK_REALTIME, &fresh.st_ctim);
  FileCache("1").keep("code", "/lib/a.so", fresh, "beef", "x");
  EXPECT_FALSE(FileCache("1").find("code", "/lib/a.so", fresh, "beef"));
}

TEST_F(FileCacheTest, BelievesNothingDamagedOrWrittenByOthers) {
  const FileCache cache("1");
  const auto keep = [&] { cache.keep("code", "/lib/a.so", old_file(), "beef", "some result"); };
  const auto is_found = [&] { return cache.find("code", "/lib/a.so", old_file(), "beef").has_value(); };
  keep();
  const std::string whole = contents(entry());
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
    std::ofstream(entry(), std::ios::binary) << damaged;
    EXPECT_FALSE(is_found()) << "byte " << at;
    std::ofstream(entry(), std::ios::binary) << whole.substr(0, at);
    EXPECT_FALSE(is_found()) << "cut at " << at;
  }
  keep();
  EXPECT_TRUE(is_found()) << "written anew";
  fs::permissions(entry(), fs::perms::others_write, fs::perm_options::add);
  EXPECT_FALSE(is_found());
  keep();
  EXPECT_TRUE(is_found());
  const fs::path name = entry();
  fs::rename(name, scratch_.path() / "elsewhere");
  fs::create_symlink(scratch_.path() / "elsewhere", name);
  EXPECT_FALSE(is_found()) << "a link";
  fs::permissions(scratch_.path() / "detshim", fs::perms::group_write, fs::perm_options::add);
  EXPECT_FALSE(FileCache("1").find("code", "/lib/a.so", old_file(), "beef")) << "a folder of others";
}

TEST_F(FileCacheTest, IsDoneWithoutWhereThereIsNoFolder) {
  for (const char* folder : {"/dev/null", "/proc/no/such", ""}) {
    ::setenv("XDG_CACHE_HOME", folder, 1);
    ::setenv("HOME", "/dev/null", 1);
    FileCache("1").keep("code", "/lib/a.so", old_file(), "beef", "x");
    EXPECT_FALSE(FileCache("1").find("code", "/lib/a.so", old_file(), "beef")) << folder;
  }
}

// The second look at a log takes what the first has kept, and says the same.
TEST(CodeCache, ServesTheSecondLookAtALog) {
  const std::string library = RAW_DRAWS_PROGRAM "_static"; // large enough to be kept, and draws by every way
  struct stat status;
  ASSERT_EQ(::stat(library.c_str(), &status), 0);
  ASSERT_GT(status.st_size, 256 << 10);
  const auto age =
      std::chrono::system_clock::now().time_since_epoch() - std::chrono::seconds(status.st_ctim.tv_sec);
  if (age < std::chrono::seconds(4)) GTEST_SKIP() << "the program was built just now";
  const TemporaryFolder scratch;
  fs::create_directory(scratch.log());
  std::ofstream(scratch.log() / "0-0-1.jsonl")
      << R"({"t":"start","v":1,"run":"r","pid":1,"rank":0,"path":"0","program":")" << library
      << R"(","args":[],"mode":"enforce","policy":"fixed"})"
      << "\n"
      << R"({"t":"modules","files":[")" << library << "\"]}\n{\"t\":\"end\",\"counts\":{}}\n";
  const auto read = [&](const std::string& cache) {
    return run({DETSHIM_COMMAND, "log", scratch.log().string(), "--json"}, {{"XDG_CACHE_HOME", cache}}).out;
  };
  const auto entries = [&] {
    std::map<std::string, ino_t> result;
    for (const auto& entry : fs::directory_iterator(scratch.path() / "cache/detshim")) {
      struct stat of_entry;
      ::stat(entry.path().c_str(), &of_entry);
      result[entry.path().filename().string()] = of_entry.st_ino;
    }
    return result;
  };
  const std::string without = read("/dev/null");
  EXPECT_NE(without.find("rdrand"), std::string::npos) << without;
  const std::string cache = (scratch.path() / "cache").string();
  EXPECT_EQ(read(cache), without);
  const auto kept = entries();
  EXPECT_EQ(kept.size(), 2U) << "its symbols and its code";
  EXPECT_EQ(read(cache), without);
  EXPECT_EQ(entries(), kept) << "not written again";
  for (const auto& entry : kept) fs::resize_file(scratch.path() / "cache/detshim" / entry.first, 40);
  EXPECT_EQ(read(cache), without) << "damaged";
  EXPECT_NE(entries(), kept) << "and mended";
}

} // namespace
} // namespace detshim
