// A program that loads and unloads plugins as long as it runs: neither its log nor its memory grows
// with them.
#include "log_files.h"
#include "run.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace {

struct Loads {
  uintmax_t bytes = 0;                    ///< of the log
  long pages = 0;                         ///< of memory, for the second half of the loads
  std::map<std::string, uint64_t> counts; ///< of the draws, by why they are recorded
  size_t records = 0;                     ///< of the draws
  size_t builds = 0;
};

Loads after(int times, bool under_new_names = false) {
  const TemporaryFolder scratch;
  std::vector<std::string> command = {PLUGIN_HOST_PROGRAM, DRAWING_PLUGIN, std::to_string(times)};
  if (under_new_names)
    command.push_back(scratch.path());
  const Result result = run(command, under_shim(scratch, {{"DETSHIM_SEED", "42"}}));
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");
  Loads loads;
  loads.pages = std::stol(lines(result.out).at(1));
  for (const auto& file : std::filesystem::directory_iterator(scratch.log()))
    loads.bytes += file.file_size();
  for (const ProcessLog& process : read_log(scratch.log())) {
    for (const auto& call : process.calls("rand")) {
      EXPECT_EQ(call["do"], "pin");
      loads.counts[call["why"]] += process.count(call);
      ++loads.records;
    }
    for (const auto& record : process.records)
      loads.builds += record["t"] == "build";
  }
  return loads;
}

constexpr uintmax_t few_bytes = 2000;

TEST(Plugins, ThatAreLoadedAgainAreOneCallSite) {
  const Loads some = after(300);
  const Loads many = after(3000);
  EXPECT_EQ(some.counts, (std::map<std::string, uint64_t>{{"own_stream", 300}}));
  EXPECT_EQ(many.counts, (std::map<std::string, uint64_t>{{"own_stream", 3000}}));
  EXPECT_EQ(many.records, 1u);
  EXPECT_EQ(many.builds, some.builds);
  EXPECT_LT(many.bytes, some.bytes + few_bytes);
}

TEST(Plugins, ThatAreLoadedAgainTakeNoMoreMemory) {
  constexpr long most = 40; // pages
  EXPECT_LT(std::stol(lines(run({PLUGIN_HOST_PROGRAM, DRAWING_PLUGIN, "9000"}).out).at(1)), most)
      << "natively";
  EXPECT_LT(after(9000).pages, most);
}

// A copy under a name of its own is another file. So many are told apart, and one record has the
// others.
TEST(Plugins, UnderEverNewNamesAreToldApartUpToANumber) {
  const Loads some = after(400, true);
  const Loads many = after(1200, true);
  const uint64_t apart = many.counts.at("own_stream");
  EXPECT_GT(apart, 200u);
  EXPECT_LT(apart, 300u);
  EXPECT_EQ(many.counts.at("further_files"), 1200 - apart);
  EXPECT_EQ(some.counts.at("further_files"), 400 - apart);
  EXPECT_EQ(many.records, apart + 1);
  EXPECT_LT(many.bytes, some.bytes + few_bytes);
}

// What is drawn does not hang on the log.
TEST(Plugins, DrawTheSameWhereverTheyAreLoaded) {
  const auto drawn = [](const std::vector<std::string>& more) {
    const TemporaryFolder scratch;
    std::vector<std::string> command = {PLUGIN_HOST_PROGRAM, DRAWING_PLUGIN, "500"};
    if (!more.empty())
      command.push_back(scratch.path());
    return lines(run(command, under_shim(scratch, {{"DETSHIM_SEED", "42"}})).out).at(0);
  };
  EXPECT_EQ(drawn({}), drawn({"under new names"}));
}

} // namespace
