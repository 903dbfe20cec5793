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

TEST_F(Running, HasDifferedOnEachStream) {
  std::ofstream(now_.err()) << "warning\n";
  EXPECT_TRUE(RunningComparison(first_, rules_, folder_ / "log").has_differed(now_));
  rules_.ignores_err = true;
  EXPECT_FALSE(RunningComparison(first_, rules_, folder_ / "log").has_differed(now_));
  print(now_, "loss=0.4\n");
  EXPECT_TRUE(RunningComparison(first_, rules_, folder_ / "log").has_differed(now_));
}

/// What is no more than a metric within its tolerance has not.
TEST_F(Running, MayDifferWithinATolerance) {
  print(first_, "loss=0.5\n");
  print(now_, "loss=0.6\n");
  rules_.metrics = {Pattern(R"(loss=(\S+))", "--metric")};
  EXPECT_TRUE(RunningComparison(first_, rules_, folder_ / "log").has_differed(now_));
  rules_.tolerance = {0, 0.2};
  EXPECT_FALSE(RunningComparison(first_, rules_, folder_ / "log").has_differed(now_));
}

/// A process's id is known once its log has it.
TEST_F(Running, MayPrintAProcessThatItsLogNamesByNow) {
  first_.processes = {{4711, "rank 0, 0"}};
  print(first_, "worker 4711 begun\n");
  print(now_, "worker 4712 begun\n");
  EXPECT_TRUE(RunningComparison(first_, rules_, folder_ / "log").has_differed(now_));
  std::filesystem::create_directories(folder_ / "log");
  std::ofstream(folder_ / "log/0-0-4712.jsonl")
      << R"({"t":"start","v":1,"detshim":"0.1.0","run":"20261121T003512-4712","pid":4712,)"
         R"("rank":0,"path":"0","program":"/bin/train","args":[],"mode":"enforce",)"
         R"("policy":"fixed","env":[]})"
      << '\n';
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
