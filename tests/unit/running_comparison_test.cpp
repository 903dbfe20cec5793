// What ends a run that goes on: a whole line that differs, and nothing that may differ.
#include "verify/running_comparison.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

namespace {

using namespace detshim;

double seconds_ago(double seconds) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count() - seconds;
}

class Running : public testing::Test {
protected:
  Running() : folder_(testing::TempDir() + "running." + std::to_string(::getpid())) {
    first_.folder = folder_ / "first";
    first_.began = seconds_ago(200);
    first_.ended = seconds_ago(150);
    first_.may_show_times = true;
    now_.folder = folder_ / "now";
    now_.began = seconds_ago(100);
    for (const detshim::Run* const run : {&first_, &now_}) {
      std::filesystem::create_directories(run->folder);
      for (const PrintedStream stream : both_streams)
        std::ofstream(run->printed(stream)).flush();
    }
  }
  ~Running() override { std::filesystem::remove_all(folder_); }

  static void print(const detshim::Run& run, const std::string& text) {
    std::ofstream(run.out(), std::ios::app) << text;
  }

  std::filesystem::path folder_;
  detshim::Run first_, now_;
  ComparisonRules rules_;
};

TEST_F(Running, HasDifferedOnceAWholeLineDoes) {
  print(first_, "loss=0.5\nloss=0.4\nloss=0.3\n");
  RunningComparison comparison(first_, rules_, folder_ / "log");
  EXPECT_FALSE(comparison.has_differed(now_));
  print(now_, "loss=0.5\nloss=0.");
  EXPECT_FALSE(comparison.has_differed(now_));
  print(now_, "4\n");
  EXPECT_FALSE(comparison.has_differed(now_));
  print(now_, "loss=0.31\n");
  EXPECT_TRUE(comparison.has_differed(now_));
}

TEST_F(Running, HasDifferedWhereItPrintsMore) {
  print(first_, "loss=0.5\n");
  RunningComparison comparison(first_, rules_, folder_ / "log");
  print(now_, "loss=0.5\nloss=0.4\n");
  EXPECT_TRUE(comparison.has_differed(now_));
}

TEST_F(Running, MayDifferInTimesAndIgnoredStreams) {
  print(first_, "step 1 took 3.5 s\n");
  print(now_, "step 1 took 3.6 s\n");
  EXPECT_FALSE(RunningComparison(first_, rules_, folder_ / "log").has_differed(now_));
  print(now_, "loss=0.4\n");
  rules_.ignores_out = true;
  EXPECT_FALSE(RunningComparison(first_, rules_, folder_ / "log").has_differed(now_));
}

/// What a short run writes says more than its first line.
TEST_F(Running, IsLeftAloneAtFirst) {
  print(first_, "loss=0.5\n");
  print(now_, "loss=0.4\n");
  now_.began = seconds_ago(1);
  EXPECT_FALSE(RunningComparison(first_, rules_, folder_ / "log").has_differed(now_));
}

} // namespace
