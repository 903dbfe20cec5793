// Real programs, run twice: with one thing that differs, which has to be named, and without, where
// nothing may be.
#include "compared.h"
#include "log_files.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

namespace {

using Words = std::vector<std::string>;

const Environment seed_42{{"DETSHIM_SEED", "42"}};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// The number of the source line that holds `text`.
std::string line_of(const std::string& text) {
  std::ifstream source(PLANTED_SOURCE);
  int number = 1;
  for (std::string line; std::getline(source, line); ++number)
    if (contains(line, text))
      return "planted.cpp:" + std::to_string(number) + " ";
  return "no such line";
}

class Planted : public testing::Test {
protected:
  void run_once(const TemporaryFolder& scratch, const Words& command,
                const Environment& environment) {
    Environment all = environment;
    all.insert(seed_42.begin(), seed_42.end());
    const Result result = run(command, under_shim(scratch, all));
    ASSERT_EQ(result.status, 0) << result.err;
  }

  /// Two runs of `planted`, the second under `planted`.
  Compared runs(const Words& command, const Environment& environment = {}) {
    const TemporaryFolder a, b;
    run_once(a, command, {});
    run_once(b, command, environment);
    return compare(a.log(), b.log());
  }

  static Words program(const Words& steps) {
    Words command{PLANTED_PROGRAM};
    command.insert(command.end(), steps.begin(), steps.end());
    return command;
  }

  Compared steps(const Words& steps, const Environment& environment = {}) {
    return runs(program(steps), environment);
  }

  void expect_equal(const Compared& compared) {
    EXPECT_EQ(compared.status, 0) << compared;
    EXPECT_EQ(compared.document["result"], "equal");
    EXPECT_TRUE(compared.first().is_null()) << compared;
    EXPECT_GT(compared.document["identical_records"], 0);
  }

  const Environment planted_{{"PLANTED", "1"}};
};

TEST_F(Planted, EqualRunsAreEqual) {
  for (const Words& one : {Words{"draw"},
                           {"seed", "draw", "more", "extra"},
                           {"rank"},
                           {"child", "draw", "no child"},
                           {"thread"},
                           {"threads"}})
    expect_equal(steps(one));
  expect_equal(steps({"library", PLANTED_LIBRARY_1}));
}

TEST_F(Planted, ASeedThatComesFromTheTimeIsVolatile) {
  const Compared compared = steps({"draw", "time", "draw"});
  EXPECT_EQ(compared.status, 1);
  const auto first = compared.first();
  ASSERT_FALSE(first.is_null()) << compared;
  EXPECT_EQ(first["record"]["function"], "srand48") << compared;
  EXPECT_EQ(first["record"]["kind"], "absorbed");
  EXPECT_EQ(first["record"]["volatile"], true);
  EXPECT_TRUE(contains(first["record"]["place"], line_of("the line of the seed"))) << compared;
  EXPECT_EQ(first["before"], 1) << compared;
  EXPECT_EQ(compared.differences("seeds"), 1u);
}

TEST_F(Planted, AClocksSeedIsVolatileAndWasGivenAlike) {
  const Compared compared = steps({"clock"});
  EXPECT_EQ(compared.status, 1);
  EXPECT_EQ(compared.first()["record"]["function"], "srand") << compared;
  EXPECT_EQ(compared.first()["record"]["kind"], "absorbed");
  EXPECT_EQ(compared.first()["record"]["volatile"], true);
}

TEST_F(Planted, AnotherSeedOfTheProgramsIsNamed) {
  const Compared compared = steps({"draw", "seed", "draw"}, planted_);
  EXPECT_EQ(compared.status, 1);
  EXPECT_EQ(compared.first()["record"]["function"], "srand") << compared;
  EXPECT_EQ(compared.first()["record"]["a"]["fields"]["requested"], "7");
  EXPECT_EQ(compared.first()["record"]["b"]["fields"]["requested"], "8");
}

TEST_F(Planted, ASettingIsNamed) {
  const Compared variable = steps({"draw"}, {{"CUBLAS_WORKSPACE_CONFIG", ":16:8"}});
  EXPECT_EQ(variable.status, 1);
  EXPECT_EQ(variable.first()["fact"]["subject"], "CUBLAS_WORKSPACE_CONFIG") << variable;
  EXPECT_EQ(variable.differences("settings"), 1u);
  const Compared seed = steps({"draw"}, {{"DETSHIM_SEED", "43"}});
  EXPECT_EQ(seed.first()["fact"]["subject"], "seed") << seed;
  const TemporaryFolder a, b;
  run_once(a, program({"draw"}), {});
  run_once(b, program({"draw", "none"}), {});
  EXPECT_EQ(compare(a.log(), b.log()).first()["fact"]["subject"], "command line");
}

TEST_F(Planted, AnotherBuildOfALibraryIsNamed) {
  const TemporaryFolder a, b;
  const std::filesystem::path library = a.path() / "libplanted.so";
  std::filesystem::copy_file(PLANTED_LIBRARY_1, library);
  run_once(a, program({"library", library.string()}), {});
  std::filesystem::remove(library);
  std::filesystem::copy_file(PLANTED_LIBRARY_2, library);
  run_once(b, program({"library", library.string()}), {});
  const Compared compared = compare(a.log(), b.log());
  EXPECT_EQ(compared.status, 1);
  EXPECT_EQ(compared.first()["fact"]["subject"], "file libplanted.so") << compared;
  EXPECT_EQ(compared.first()["fact"]["a"], "build " + std::string(40, '1'));
  EXPECT_EQ(compared.first()["fact"]["b"], "build " + std::string(40, '2'));
  EXPECT_EQ(compared.differences("draws"), 0u) << compared; // aligned without offsets
}

TEST_F(Planted, TheSameProgramElsewhereIsTheSame) {
  const TemporaryFolder a, b;
  for (const TemporaryFolder* folder : {&a, &b}) {
    const std::filesystem::path copy = folder->path() / "planted";
    std::filesystem::copy_file(PLANTED_PROGRAM, copy);
    run_once(*folder, {copy.string(), "draw", "thread", "child"}, {});
  }
  const Compared compared = compare(a.log(), b.log());
  expect_equal(compared);
  EXPECT_EQ(compared.document["notes"].size(), 1u) << compared;
}

TEST_F(Planted, OneDrawMoreIsNamed) {
  const Compared more = steps({"draw", "more"}, planted_);
  EXPECT_EQ(more.status, 1);
  EXPECT_EQ(more.first()["record"]["kind"], "count") << more;
  EXPECT_EQ(more.first()["record"]["a"]["calls"], 100);
  EXPECT_EQ(more.first()["record"]["b"]["calls"], 101);
  const Compared extra = steps({"draw", "extra", "draw"}, planted_);
  EXPECT_EQ(extra.first()["record"]["kind"], "only_b") << extra;
  EXPECT_TRUE(contains(extra.first()["record"]["place"], line_of("print(random())"))) << extra;
  const Compared thread = steps({"draw", "thread"}, planted_);
  EXPECT_EQ(thread.first()["thread"], "0.1") << thread;
}

TEST_F(Planted, AProcessThatOneRunLacksIsNamed) {
  const Compared compared = steps({"draw", "no child", "draw"}, planted_);
  EXPECT_EQ(compared.status, 1);
  EXPECT_EQ(compared.differences("processes"), 1u) << compared;
  EXPECT_EQ(compared.document["sections"]["processes"]["facts"][0]["b"], nullptr);
}

TEST_F(Planted, OneRankOfFourIsTheOrigin) {
  const std::string four =
      "for r in 0 1 2 3; do RANK=$r WORLD_SIZE=4 " PLANTED_PROGRAM " rank draw & done; wait";
  expect_equal(runs({"/bin/sh", "-c", four}));
  const Compared compared = runs({"/bin/sh", "-c", four}, planted_);
  EXPECT_EQ(compared.status, 1);
  int origins = 0;
  for (const auto& rank : compared.document["ranks"]) {
    if (rank["role"] == "same")
      continue;
    ++origins;
    EXPECT_EQ(rank["rank"], 2) << compared;
    EXPECT_EQ(rank["role"], "origin");
  }
  EXPECT_EQ(origins, 1) << compared;
  EXPECT_EQ(compared.document["ranks"].size(), 4u) << compared;
}

TEST_F(Planted, AnAlgorithmThatWasTimedIsNamed) {
  const auto with_fastest = [](const char* algorithm) {
    return Environment{{"LD_LIBRARY_PATH", CUBLASLT_FOLDER},
                       {"DETSHIM_AUTOTUNE", "off"},
                       {"DOUBLE_FASTEST", algorithm}};
  };
  const TemporaryFolder a, b, c;
  run_once(a, {CUBLASLT_PROGRAM, "64"}, with_fastest("11"));
  run_once(b, {CUBLASLT_PROGRAM, "64"}, with_fastest("12"));
  run_once(c, {CUBLASLT_PROGRAM, "64"}, with_fastest("11"));
  EXPECT_EQ(compare(a.log(), c.log()).differences("algorithms"), 0u);
  const Compared compared = compare(a.log(), b.log());
  EXPECT_EQ(compared.status, 1);
  EXPECT_EQ(compared.first()["record"]["function"], "cublasLtMatmul") << compared;
  EXPECT_GT(compared.differences("algorithms"), 0u);
}

} // namespace
