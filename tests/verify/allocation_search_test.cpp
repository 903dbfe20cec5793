// `detshim verify --allocations` where it could prove too much, hang, or take the verdict with it.
#include "common/heap_search.h"
#include "run.h"
#include "verify/allocations.h"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace detshim;
using Json = nlohmann::json;
using Words = std::vector<std::string>;
namespace fs = std::filesystem;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// ------------------------------------------------------------------ what counts as proved

HeapRun run_of(bool differs) {
  HeapRun run;
  run.differs = differs;
  run.answer.processes = 1;
  run.answer.longest = 200;
  run.answer.sites = {2, 4, 6};
  return run;
}

AllocationSearch search_with(const RunWithHeap& run, const std::string& perturbation = "fill") {
  return search_allocations(perturbation, run, [] { return std::vector<HeapSite>{{4, 100, "here"}}; });
}

TEST(AllocationSearch, ProvesNothingOfAProgramThatDiffersAtRandom) {
  for (unsigned one_of : {2U, 3U, 5U})
    for (unsigned seed = 0; seed < 100; ++seed) {
      std::mt19937 chance(seed);
      unsigned reference = 0, alone = 2;
      const AllocationSearch found = search_with([&](const HeapChoice&, HeapRole role) {
        const unsigned printed = chance() % one_of == 0 ? 1 : 0;
        if (role == HeapRole::reference) reference = printed;
        if (role == HeapRole::alone && alone == 2) alone = printed;
        HeapRun run = run_of(printed != reference);
        run.differs_from_alone = printed != alone;
        return run;
      });
      EXPECT_NE(found.result, AllocationSearch::Result::proved) << "1 of " << one_of << ", seed " << seed;
    }
}

/// The allocation of that number decides.
bool is_changed(const HeapChoice& choice, std::uint64_t number) {
  return choice.sites_are != HeapSites::listed && choice.first <= number && number <= choice.last;
}

TEST(AllocationSearch, RepeatsBothSidesOfWhatItProves) {
  int alone = 0, nothing = 0;
  const AllocationSearch found = search_with([&](const HeapChoice& choice, HeapRole role) {
    alone += role == HeapRole::alone ? 1 : 0;
    nothing += choice.sites_are == HeapSites::listed && choice.chosen.empty() ? 1 : 0;
    return run_of(is_changed(choice, 77));
  });
  EXPECT_EQ(found.result, AllocationSearch::Result::proved) << found.text;
  EXPECT_EQ(alone, 5);
  EXPECT_EQ(nothing, 1 + 5); // the reference
  EXPECT_TRUE(contains(found.text, "filling it alone changes the result")) << found.text;
}

TEST(AllocationSearch, WantsTheSameResultEachTime) {
  int alone = 0;
  const AllocationSearch found = search_with([&](const HeapChoice& choice, HeapRole role) {
    HeapRun run = run_of(is_changed(choice, 77));
    run.differs_from_alone = role == HeapRole::alone && ++alone == 5;
    return run;
  });
  EXPECT_EQ(found.result, AllocationSearch::Result::stopped) << found.text;
  EXPECT_TRUE(contains(found.text, "not repeatable")) << found.text;
}

TEST(AllocationSearch, EndsAfterABoundedNumberOfRuns) {
  const AllocationSearch found = search_with([&](const HeapChoice& choice, HeapRole) {
    HeapRun run = run_of(choice.sites_are != HeapSites::listed);
    run.answer.longest = ~std::uint64_t{0} >> 1;
    for (std::uint64_t site = 1; site < 100; ++site) run.answer.sites.push_back(site * 2);
    return run;
  });
  EXPECT_LE(found.runs, 200U) << found.text;
}

TEST(AllocationSearch, TriesSeveralDistancesAndSaysWhatItTried) {
  std::vector<std::uint64_t> distances, masks;
  const AllocationSearch found = search_with(
      [&](const HeapChoice& choice, HeapRole role) {
        if (role == HeapRole::usual && choice.mask == 0) distances.push_back(choice.distance);
        if (choice.mask != 0) masks.push_back(choice.mask);
        return run_of(false);
      },
      "aslr");
  EXPECT_EQ(found.result, AllocationSearch::Result::elsewhere);
  EXPECT_EQ(distances.size(), 4U);
  EXPECT_EQ(masks.size(), 3U);
  for (const std::uint64_t distance : distances) EXPECT_EQ(distance % 4096, 0U);
  EXPECT_TRUE(contains(found.text, "was not found among")) << found.text;
  EXPECT_TRUE(contains(found.text, "each of 4 distances")) << found.text;
}

// ------------------------------------------------------------------ with programs

class SearchedProgram : public testing::Test {
protected:
  Words words(const std::string& perturbation, const Words& options, const Words& program) const {
    Words all = {DETSHIM_COMMAND, "verify",        "--library",     DETSHIM_LIBRARY,
                 "--log",         kept().string(), "--allocations", "--perturb=" + perturbation};
    all.insert(all.end(), options.begin(), options.end());
    all.push_back("--");
    all.insert(all.end(), program.begin(), program.end());
    return all;
  }

  Json search(const std::string& perturbation, const Words& program, const Environment& environment = {}) {
    const Result result = run(words(perturbation, {"--json"}, program), environment, folder());
    const Json document = Json::parse(result.out, nullptr, false);
    EXPECT_EQ(result.status, 1) << result.out << result.err;
    EXPECT_TRUE(document.is_object() && document["allocations"].size() == 1) << result.out << result.err;
    return document.is_object() && !document["allocations"].empty() ? document["allocations"][0]
                                                                    : Json::object();
  }

  /// With all its allocations moved, and told apart by all that is known of them.
  Result run_moved(const Words& program) {
    HeapSearch search = {};
    search.magic = is_heap_search;
    search.change = HeapChange::move;
    search.sites_are = HeapSites::all;
    search.last = ~std::uint64_t{0};
    search.refined = every_heap_site;
    search.distance = 0x2012'3456'7000;
    const fs::path file = folder() / "heap";
    std::ofstream(file, std::ios::binary).write(reinterpret_cast<const char*>(&search), sizeof search);
    fs::resize_file(file, heap_search_size);
    return run(program, {{"LD_PRELOAD", HEAP_LIBRARY}, {heap_search_variable, file.string()}});
  }

  fs::path folder() const { return scratch_.path(); }
  fs::path kept() const { return scratch_.path() / "kept"; }

private:
  const TemporaryFolder scratch_;
};

TEST_F(SearchedProgram, ForksWhileItsThreadsAllocate) {
  const Result result = run_moved({"timeout", "-s", "KILL", "60", SEARCHED_PROGRAM, "forks"});
  EXPECT_EQ(result.status, 0) << result.err;
}

TEST_F(SearchedProgram, GetsWhatAnAllocatorPromises) {
  const Result result = run_moved({SEARCHED_PROGRAM, "promises"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "");
}

TEST_F(SearchedProgram, HasADistanceBetweenTwoBlocksInItsResult) {
  const Json found = search("aslr", {SEARCHED_PROGRAM, "distance"});
  EXPECT_EQ(found["result"], "proved") << found;
  EXPECT_TRUE(contains(found["text"], "moving it alone changes the result")) << found;
}

TEST_F(SearchedProgram, IsJudgedByWhatThePerturbedRunShowed) {
  // Which prints a line more in the search, another one each time.
  const Json found = search("fill", {SEARCHED_PROGRAM, "ticks"});
  EXPECT_EQ(found["result"], "proved") << found;
}

TEST_F(SearchedProgram, HasAMallocOfItsOwn) {
  const Json found = search("aslr", {OWN_MALLOC_PROGRAM});
  EXPECT_EQ(found["result"], "stopped") << found;
  EXPECT_TRUE(contains(found["text"], "has a malloc of its own")) << found;
}

TEST_F(SearchedProgram, WritesOutputsOfWhichTwoAreKept) {
  const std::string program = std::string(C_PROGRAM) + " >result; cat result";
  const Result result = run(words("fill", {"--output", "result"}, {"/bin/sh", "-c", program}), {}, folder());
  EXPECT_TRUE(contains(result.out, "proved")) << result.out << result.err;
  int with_outputs = 0, runs = 0;
  for (const auto& one : fs::directory_iterator(kept())) {
    if (!one.path().filename().string().starts_with("search-")) continue;
    ++runs;
    with_outputs += fs::exists(one.path() / "outputs") ? 1 : 0;
  }
  EXPECT_GT(runs, 10);
  EXPECT_EQ(with_outputs, 2);
}

TEST_F(SearchedProgram, IsJudgedWhereTheSearchBreaksOff) {
  const fs::path output = folder() / "result";
  std::ofstream(output) << "mine";
  // A file where the folder of the second run is to be.
  const std::string program = "[ -z \"$_DETSHIM_HEAP\" ] || : >kept/search-fill-2; " +
                              std::string(C_PROGRAM) + " >result; cat result";
  const Result result = run(words("fill", {"--output", "result"}, {"/bin/sh", "-c", program}), {}, folder());
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_TRUE(contains(result.out, "\ndifferent ")) << result.out;
  EXPECT_TRUE(contains(result.out, "cannot make the folder")) << result.out;
  EXPECT_EQ(contents(output), "mine");
}

TEST_F(SearchedProgram, IsJudgedWhereFilesMayNotGrow) {
  const fs::path output = folder() / "result";
  std::ofstream(output) << "mine";
  const std::string program = std::string(C_PROGRAM) + " >result; cat result";
  Words limited = {"/bin/sh", "-c", "ulimit -f 16000; exec \"$@\"", "sh"};
  const Words verify = words("fill", {"--output", "result"}, {"/bin/sh", "-c", program});
  limited.insert(limited.end(), verify.begin(), verify.end());
  const Result result = run(limited, {}, folder());
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_TRUE(contains(result.out, "File too large")) << result.out;
  EXPECT_EQ(contents(output), "mine");
}

TEST_F(SearchedProgram, IsJudgedWhereTheSearchIsInterrupted) {
  const std::string program =
      "[ -z \"$_DETSHIM_HEAP\" ] || { kill -TERM $PPID; sleep 1000; }; " + std::string(C_PROGRAM);
  const Result result = run(words("fill", {}, {"/bin/sh", "-c", program}), {}, folder());
  EXPECT_EQ(result.status, 128 + SIGTERM) << result.err;
  EXPECT_TRUE(contains(result.out, "\ndifferent ")) << result.out;
  EXPECT_TRUE(contains(result.out, "it was interrupted")) << result.out;
}

TEST_F(SearchedProgram, IsNotSearchedToAnExtent) {
  const Result result =
      run({DETSHIM_COMMAND, "verify", "--perturb=fill", "--allocations=3", "--", "/bin/true"}, {}, folder());
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
}

} // namespace
