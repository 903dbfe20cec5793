// `detshim verify --allocations`: names the allocation that was planted, and none where it is none; and what
// libdetshim_heap.so changes keeps an allocator's promises.
#include "common/heap_search.h"
#include "run.h"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <sys/stat.h>

namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;
namespace fs = std::filesystem;

constexpr const char* python3 = "/usr/bin/python3";

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// "allocations.cpp:42", of the line that ends in a comment with the fault's name.
std::string line_of(const std::string& source, const std::string& fault) {
  std::ifstream in(fs::path(PROGRAMS_FOLDER) / source);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.ends_with("// " + fault) || contains(line, "/* " + fault + " */"))
      return source + ":" + std::to_string(number) + " ";
  }
  return "nowhere";
}

bool has_module(const std::string& module) { return run({python3, "-c", "import " + module}).status == 0; }

class Allocations : public testing::Test {
protected:
  Words words(const std::string& perturbation, const Words& options, const Words& program) const {
    Words all = {DETSHIM_COMMAND, "verify",        "--library",     DETSHIM_LIBRARY,
                 "--log",         kept().string(), "--allocations", "--perturb=" + perturbation};
    all.insert(all.end(), options.begin(), options.end());
    all.push_back("--");
    all.insert(all.end(), program.begin(), program.end());
    return all;
  }

  Result verify(const std::string& perturbation, const Words& program, const Environment& environment = {}) {
    fs::remove_all(kept());
    return run(words(perturbation, {"--json"}, program), environment, folder());
  }

  /// The one search.
  Json search(const std::string& perturbation, const Words& program, const Environment& environment = {}) {
    const Result result = verify(perturbation, program, environment);
    const Json document = Json::parse(result.out, nullptr, false);
    EXPECT_TRUE(document.is_object()) << result.out << result.err;
    EXPECT_EQ(document["allocations"].size(), 1U) << result.out;
    return document["allocations"].empty() ? Json::object() : document["allocations"][0];
  }

  void expect_named(const std::string& perturbation, const Words& program, const std::string& place) {
    const Json found = search(perturbation, program);
    EXPECT_EQ(found["result"], "proved") << found;
    EXPECT_TRUE(contains(found["place"].get<std::string>() + " ", place)) << found << place;
  }

  void expect_not_searched(const std::string& perturbation, const Words& program) {
    const Result result = verify(perturbation, program);
    EXPECT_EQ(result.status, 0) << result.out;
    EXPECT_TRUE(Json::parse(result.out)["allocations"].empty()) << result.out;
  }

  /// A program with all its allocations changed and nothing else of detshim.
  Result run_changed(detshim::HeapChange change, const Words& program, detshim::HeapSearch& said) {
    detshim::HeapSearch search = {};
    search.magic = detshim::is_heap_search;
    search.change = change;
    search.sites_are = detshim::HeapSites::all;
    search.last = ~std::uint64_t{0};
    search.distance = 0x2012'3456'7000;
    const fs::path file = folder() / "heap";
    std::ofstream(file, std::ios::binary).write(reinterpret_cast<const char*>(&search), sizeof search);
    fs::resize_file(file, detshim::heap_search_size);
    const Result result =
        run(program, {{"LD_PRELOAD", HEAP_LIBRARY}, {detshim::heap_search_variable, file.string()}});
    std::ifstream(file, std::ios::binary).read(reinterpret_cast<char*>(&said), sizeof said);
    return result;
  }

  std::string script(const std::string& text) const {
    const fs::path file = folder() / "script.py";
    std::ofstream(file) << text;
    return file.string();
  }

  fs::path folder() const { return scratch_.path(); }
  fs::path kept() const { return scratch_.path() / "kept"; }

private:
  const TemporaryFolder scratch_;
};

// ------------------------------------------------------------------ named

TEST_F(Allocations, NamesMemoryThatACProgramReadsUnwritten) {
  expect_named("fill", {C_PROGRAM}, line_of("uninitialised.c", "make"));
  expect_not_searched("fill", {C_PROGRAM, "fixed"});
}

// What new memory is filled with is no small number, which a sum would hide.
TEST_F(Allocations, NamesOneUnwrittenElementOfASum) {
  std::ofstream(folder() / "sum.c") << "#include <stdio.h>\n#include <stdlib.h>\nint main() {\n"
                                       "  TYPE* numbers = malloc(64 * sizeof(TYPE)), sum = 1000;\n"
                                       "  for (int i = 1; i < 64; ++i) numbers[i] = i;\n"
                                       "  for (int i = 0; i < 64; ++i) sum += numbers[i];\n"
                                       "  printf(\"%.6g\\n\", (double)sum);\n}\n";
  for (const std::string type : {"double", "float"}) {
    ASSERT_EQ(run({"gcc", "-g", "-O0", "-DTYPE=" + type, "-o", "sum", "sum.c"}, {}, folder()).status, 0);
    expect_named("fill", {(folder() / "sum").string()}, "sum.c:4 ");
  }
}

TEST_F(Allocations, NamesMemoryOfNew) {
  expect_named("fill", {CPP_PROGRAM, "new"}, line_of("allocations.cpp", "new"));
  expect_named("fill", {CPP_PROGRAM, "unique"}, line_of("allocations.cpp", "unique"));
}

TEST_F(Allocations, NamesTheAddressOfAVector) {
  expect_named("aslr", {CPP_PROGRAM, "vector"}, line_of("allocations.cpp", "vector"));
}

TEST_F(Allocations, NamesAnAddressThatDecidesAnOrder) {
  expect_named("aslr", {CPP_PROGRAM, "order"}, line_of("allocations.cpp", "order"));
}

TEST_F(Allocations, NamesMemoryOfAThreadBesideOthersThatRace) {
  expect_named("fill", {CPP_PROGRAM, "thread"}, line_of("allocations.cpp", "thread"));
}

TEST_F(Allocations, NamesMemoryOfAChild) {
  expect_named("fill", {CPP_PROGRAM, "child"}, line_of("allocations.cpp", "new"));
}

TEST_F(Allocations, NamesTheLineOfPython) {
  if (!has_module("numpy")) GTEST_SKIP() << "no numpy";
  const std::string file = script("import numpy as np\n"
                                  "rest = [np.ones(5000) for _ in range(20)]\n"
                                  "read = np.empty(9000)\n"
                                  "print(read[4000])\n");
  expect_named("fill", {python3, file}, "script.py:3 ");
}

TEST_F(Allocations, NamesTheLineOfAPythonObjectWhoseAddressIsItsHash) {
  const std::string file = script("class Thing:\n"
                                  "    pass\n"
                                  "rest = [Thing() for _ in range(9)]\n"
                                  "thing = Thing()\n"
                                  "print(hash(thing))\n");
  expect_named("aslr", {python3, file}, "script.py:4 ");
}

// ------------------------------------------------------------------ not named

TEST_F(Allocations, SaysWhereItIsNoneOfThem) {
  const Json found = search("aslr", {CPP_PROGRAM, "stack"});
  EXPECT_EQ(found["result"], "elsewhere") << found;
  EXPECT_TRUE(contains(found["text"], "addresses of the stack")) << found;
  EXPECT_TRUE(found["place"].is_null()) << found;
}

TEST_F(Allocations, ProvesNoneWhereSeveralMatterTogether) {
  const Json found = search("fill", {CPP_PROGRAM, "together"});
  EXPECT_EQ(found["result"], "together") << found;
  EXPECT_TRUE(found["place"].is_null()) << found;
}

TEST_F(Allocations, SaysThatAnotherAllocatorIsNotSearched) {
  const fs::path other = "/usr/lib/" MULTIARCH "/libjemalloc.so.2";
  if (!fs::exists(other)) GTEST_SKIP() << "no jemalloc";
  const Json found = search("aslr", {CPP_PROGRAM, "vector"}, {{"LD_PRELOAD", other.string()}});
  EXPECT_EQ(found["result"], "stopped") << found;
  EXPECT_TRUE(contains(found["text"], "allocator is not libc's")) << found;
}

TEST_F(Allocations, SearchesNothingWhereRunsDifferAnyway) {
  const Result result = verify("aslr", {"/bin/date", "+%N"});
  const Json document = Json::parse(result.out);
  EXPECT_TRUE(document["allocations"].empty()) << result.out;
  EXPECT_TRUE(contains(document["notes"].dump(), "nothing was searched")) << result.out;
}

TEST_F(Allocations, WantsAKnobThatItCanSearch) {
  const Result without = run({DETSHIM_COMMAND, "verify", "--allocations", "--", "/bin/true"}, {}, folder());
  EXPECT_EQ(without.status, 2);
  EXPECT_TRUE(contains(without.err, "--perturb=fill or --perturb=aslr is missing")) << without.err;
  EXPECT_EQ(verify("readdir", {"/bin/true"}).status, 2);
  const Result random =
      run({DETSHIM_COMMAND, "verify", "--allocations", "--perturb=fill", "--keep-aslr", "--", "/bin/true"},
          {}, folder());
  EXPECT_EQ(random.status, 2);
  EXPECT_TRUE(contains(random.err, "--keep-aslr")) << random.err;
}

// ------------------------------------------------------------------ around it

TEST_F(Allocations, ReportsForPeopleAndMentionsItselfWithoutTheFlag) {
  fs::remove_all(kept());
  const Result found = run(words("fill", {}, {CPP_PROGRAM, "new"}), {}, folder());
  EXPECT_TRUE(contains(found.out, "\nproved      fill: memory allocated at ")) << found.out;
  EXPECT_TRUE(contains(found.out, "further runs)")) << found.out;
  EXPECT_FALSE(contains(found.out, "it may be  memory")) << found.out;
  fs::remove_all(kept());
  Words plain = words("fill", {}, {CPP_PROGRAM, "new"});
  std::erase(plain, "--allocations");
  EXPECT_TRUE(contains(run(plain, {}, folder()).out, "--allocations names where"));
}

TEST_F(Allocations, PutsOutputsBackAfterTheSearchAndWhenItIsInterrupted) {
  const fs::path output = folder() / "result";
  std::ofstream(output) << "mine";
  const std::string program = std::string(CPP_PROGRAM) + " new >result; cat result";
  const Words search = words("fill", {"--output", "result"}, {"/bin/sh", "-c", program});
  EXPECT_TRUE(contains(run(search, {}, folder()).out, "proved"));
  EXPECT_EQ(contents(output), "mine");

  fs::remove_all(kept());
  // The third run is the perturbed one, the fourth the search's first.
  const std::string stops = "[ -z \"$_DETSHIM_HEAP\" ] || { touch reached; sleep 1000; }; ";
  Running running(words("fill", {"--output", "result"}, {"/bin/sh", "-c", stops + program}), {}, folder());
  while (!fs::exists(folder() / "reached") && !running.has_ended()) std::this_thread::yield();
  ::kill(running.process(), SIGTERM);
  EXPECT_EQ(running.wait().status, 128 + SIGTERM);
  EXPECT_EQ(contents(output), "mine");
}

// ------------------------------------------------------------------ the allocator

TEST_F(Allocations, ChangedMemoryKeepsAnAllocatorsPromises) {
  for (const detshim::HeapChange change : {detshim::HeapChange::fill, detshim::HeapChange::move}) {
    detshim::HeapSearch said = {};
    const Result result = run_changed(change, {CPP_PROGRAM, "chains"}, said);
    EXPECT_EQ(result.status, 0) << result.out << result.err;
    EXPECT_EQ(result.out, "all hold\n");
    EXPECT_GT(said.changed, 1000U);
    EXPECT_EQ(said.unlisted, 0U);
  }
}

TEST_F(Allocations, AMovedBlockGrowsWithoutTouchingWhatNobodyTouched) {
  detshim::HeapSearch said = {};
  const Result result = run_changed(detshim::HeapChange::move, {CPP_PROGRAM, "sparse"}, said);
  EXPECT_EQ(result.status, 0) << result.out << result.err;
  EXPECT_EQ(result.out, "sparse\n");
  EXPECT_GT(said.changed, 4U);
}

TEST_F(Allocations, AFrameworkRunsWithAllItsMemoryMoved) {
  if (!has_module("torch")) GTEST_SKIP() << "no torch";
  detshim::HeapSearch said = {};
  const Result result =
      run_changed(detshim::HeapChange::move,
                  {python3, "-c", "import numpy, torch; print(int(torch.ones(1000, 300).sum()))"}, said);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "300000\n");
  EXPECT_GT(said.changed, 100'000U);
}

} // namespace
