// What the tests of recorded tuning share: DETSHIM_AUTOTUNE=record:FILE and replay:FILE.
#pragma once

#include "cuda_test.h"

/// A program that searches, and the file that keeps what it chose.
class TuningTest : public CudaTest {
protected:
  static Environment fastest(const std::string& algo) { return {{"DOUBLE_FASTEST", algo}}; }
  Environment recording() const {
    return enforce + Environment{{"DETSHIM_AUTOTUNE", "record:" + file_}};
  }
  Environment replaying() const {
    return enforce + Environment{{"DETSHIM_AUTOTUNE", "replay:" + file_}};
  }

  /// A run that the library ends before the program has done anything.
  void refused(const Arguments& program, const Environment& environment,
               const std::string& because) {
    const Shimmed run = ended(program, environment, 2);
    EXPECT_EQ(run.result.out, "");
    const Lines said = lines(run.result.err);
    ASSERT_EQ(said.size(), 1u) << run;
    EXPECT_TRUE(said[0].starts_with("detshim: the tuning file \"" + file_ + "\" ")) << run;
    EXPECT_NE(said[0].find(because), std::string::npos) << run;
    EXPECT_NE(said[0].find("accepted is"), std::string::npos) << run;
  }

  std::string text() const { return contents(file_); }
  void put(const std::string& content) const { std::ofstream(file_, std::ios::trunc) << content; }
  /// The choices that count in the file: of each problem the last.
  std::vector<nlohmann::json> choices() const {
    std::vector<nlohmann::json> last;
    for (const std::string& line : lines(text())) {
      nlohmann::json choice = nlohmann::json::parse(line);
      std::erase_if(last, [&](const nlohmann::json& before) {
        return before["problem"] == choice["problem"] &&
               before["operation"] == choice["operation"] && before["library"] == choice["library"];
      });
      last.push_back(std::move(choice));
    }
    return last;
  }

  TemporaryFolder tuning_;
  std::string file_ = (tuning_.path() / "tuning.json").string();
};
