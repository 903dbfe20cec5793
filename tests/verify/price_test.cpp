// `detshim price` with a real program, which needs what it draws and, with an argument, the layout.
#include "run.h"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;
namespace fs = std::filesystem;

class PriceVerb : public testing::Test {
protected:
  Result price(Words words, const Words& program) const {
    words.insert(words.begin(), {DETSHIM_COMMAND, "price", "--seed", "42"});
    words.insert(words.end(), {"--library", DETSHIM_LIBRARY, "--"});
    words.insert(words.end(), program.begin(), program.end());
    return run(words, {}, scratch_.path());
  }
  Json priced(Words words, const Words& program, int status = 0) const {
    words.emplace_back("--json");
    const Result result = price(words, program);
    EXPECT_EQ(result.status, status) << result.err;
    return Json::parse(result.out, nullptr, false);
  }
  static Json needed(const Json& document, const std::string& name) {
    for (const Json& part : document["parts"])
      if (part["name"] == name)
        return part["needed"];
    return "no such part";
  }
  std::size_t trials(const std::string& folder) const {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(scratch_.path() / folder))
      count += entry.is_directory() ? 1 : 0;
    return count;
  }

  const TemporaryFolder scratch_;
};

TEST_F(PriceVerb, SaysWhichPartsAreNeeded) {
  if (run({"setarch", "-R", "true"}).status != 0)
    GTEST_SKIP() << "the kernel refuses a fixed layout";
  const Json with_address = priced({}, {NEEDS_PROGRAM, "address"});
  EXPECT_EQ(needed(with_address, "libc"), true) << with_address;
  EXPECT_EQ(needed(with_address, "layout"), true) << with_address;
  EXPECT_EQ(needed(priced({}, {NEEDS_PROGRAM}), "layout"), false);
}

TEST_F(PriceVerb, GoesOnWhereItsTimeWasUp) {
  const Json first = priced({"--budget", "0.001s", "--log", "kept"}, {NEEDS_PROGRAM}, 3);
  EXPECT_EQ(first["out_of_time"], true);
  EXPECT_TRUE(needed(first, "libc").is_null()) << first;
  EXPECT_EQ(trials("kept"), 1u);
  // A trial that was cut off is done anew.
  fs::create_directories(scratch_.path() / "kept/trial-2/run-1");
  std::ofstream(scratch_.path() / "kept/price.jsonl", std::ios::app) << "{\"without\":\"lib";
  const Json second = priced({"--log", "kept"}, {NEEDS_PROGRAM});
  const std::string lines = contents(scratch_.path() / "kept/price.jsonl");
  const std::size_t first_trial = lines.find("\"without\":\"\"");
  ASSERT_NE(first_trial, std::string::npos) << lines;
  EXPECT_EQ(lines.find("\"without\":\"\"", first_trial + 1), std::string::npos) << lines;
  EXPECT_EQ(needed(second, "libc"), true);
  EXPECT_EQ(price({"--log", "kept"}, {NEEDS_PROGRAM, "address"}).status, 2);
}

TEST_F(PriceVerb, TimesStepsByWhatIsPrinted) {
  const Words program = {"sh", "-c", "head -c 4 /dev/urandom | od -An -tu4; echo step took 25 ms"};
  const Json document = priced({"--step", "took (\\d+) ms"}, program);
  EXPECT_EQ(document["all"]["seconds"], 25) << document;
  EXPECT_EQ(price({"--step", "took (\\d+) hours"}, program).status, 2);
}

TEST_F(PriceVerb, RefusesWhatDoesNotRepeatAtAll) {
  const Result result = price({}, {"sh", "-c", "date +%N"});
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(price({"--budget", "10x"}, {"true"}).status, 2);
  fs::create_directory(scratch_.path() / "mine");
  std::ofstream(scratch_.path() / "mine/file") << 1;
  EXPECT_EQ(price({"--log", "mine"}, {"true"}).status, 2);
}

} // namespace
