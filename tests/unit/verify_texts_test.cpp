// What `detshim verify` makes of lines: metrics, and what of them names the moment or the process
// of a run.
#include "files.h"
#include "support/exit_status.h"
#include "verify/comparison.h"
#include "verify/found_results.h"
#include "verify/lines.h"
#include "verify/metrics.h"
#include "verify/resumed.h"
#include "verify/run_logs.h"
#include "verify/unnamed_outputs.h"
#include "verify/verify.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace detshim;

constexpr double noon = 1795348800; // 2026-11-22 12:00:00 UTC
const RunFacts first_run = {noon, noon + 10, {{4711, "started"}, {4712, "rank 0, 0.1"}}};
const RunFacts second_run = {noon + 60, noon + 70, {{815, "started"}, {816, "rank 0, 0.2"}}};

LineComparison compare(const std::string& one, const std::string& other,
                       const std::vector<Pattern>& declared = {},
                       const std::vector<Pattern>& tolerated = {}) {
  const VolatileText volatile_text(declared);
  return compare_lines(one, first_run, other, second_run, {volatile_text, tolerated});
}

TEST(Lines, AreTakenWhole) {
  EXPECT_EQ(whole_lines("a\nb\nc"), "a\nb\n");
  EXPECT_EQ(whole_lines("a"), "");
  EXPECT_EQ(first_lines("a\nb\nc", 2), "a\nb\n");
  EXPECT_EQ(first_lines("a\nb\nc", 3), "a\nb\nc");
  EXPECT_EQ(first_lines("a\n", 5), "a\n");
  EXPECT_EQ(first_lines("a\n", 0), "");
}

/// Of a program that has no clock a number of seconds is a result.
TEST(VolatileLines, HoldNoDurationsOfAProgramThatReadsNoClock) {
  const auto differ = [](const std::string& line, bool reads_clocks, bool may_show_times) {
    RunFacts run = first_run, other_run = second_run;
    run.reads_clocks = other_run.reads_clocks = reads_clocks;
    run.may_show_times = other_run.may_show_times = may_show_times;
    const VolatileText volatile_text({});
    return compare_lines(line + "0.01 s\n", run, line + "0.03 s\n", other_run, {volatile_text, {}})
               .different > 0;
  };
  EXPECT_FALSE(differ("flight time ", true, false));
  EXPECT_TRUE(differ("flight time ", false, true)); // a package's clock measures no flight
  EXPECT_TRUE(differ("flight time ", false, false));
  EXPECT_FALSE(differ("took ", true, false));
  EXPECT_FALSE(differ("took ", false, true));
  EXPECT_TRUE(differ("took ", false, false));
  RunFacts none = first_run;
  none.may_show_times = false;
  const VolatileText volatile_text({});
  EXPECT_EQ(volatile_text.masked("5.5 it/s", none), "5.5 it/s");
  EXPECT_NE(volatile_text.masked("5.5 it/s", first_run), "5.5 it/s");
}

TEST(VolatileLines, NameAMomentOrAProcessOfTheirRun) {
  ::setenv("TZ", "UTC", 1);
  for (const auto& [one, other] : std::vector<std::pair<std::string, std::string>>{
           {"at 2026-11-22 12:00:03,125 begun", "at 2026-11-22 12:01:04,500 begun"},
           {"[12:00:03] begun", "[12:01:03] begun"},
           {"runs/20261122-120003/log", "runs/20261122-120104/log"},
           {"runs/20261122_120003", "runs/20261122_120104"},
           {"run 20261122120003 begun", "run 20261122120104 begun"},
           {"outputs/2026-11-22/12-00-03", "outputs/2026-11-22/12-01-04"},
           {"outputs/2026-11-22_12-00", "outputs/2026-11-22_12-01"},
           {"exp_20261122-1200", "exp_20261122-1201"},
           {"2026.11.22_12.00.03 begun", "2026.11.22_12.01.04 begun"},
           {"runs/Nov22_12-00-03_host", "runs/Nov22_12-01-04_host"},
           {R"({"ts": "2026-11-22 12:00:03,125"})", R"({"ts": "2026-11-22 12:01:03,126"})"},
           {"t=1795348803.25", "t=1795348863.5"},
           {"t=1795348803250", "t=1795348863500"},
           {"worker 4711 begun", "worker 815 begun"},
           {"epoch 3 took 3.5s", "epoch 3 took 3.6s"},
           {"epoch took 0.0351", "epoch took 0.0362"},
           {"0.000754 s", "0.017667 s"},
           {"elapsed: 12.5 ms, loss 0.25", "elapsed: 13.1 ms, loss 0.25"},
           {"2 passed in 0.05s", "2 passed in 0.06s"},
           {"Epoch 0: 100%|#| 8/8 [00:03<00:00, 31.2it/s, loss=0.25]",
            "Epoch 0: 100%|#| 8/8 [00:04<00:00, 28.9it/s, loss=0.25]"},
           {"1234.5 samples/s", "1250 samples/s"},
           {"step 3, 1.25s/it", "step 3, 1.5s/it"}}) {
    const LineComparison found = compare(one + "\n", other + "\n");
    EXPECT_EQ(found.volatile_lines, 1u) << one;
    EXPECT_EQ(found.different, 0u) << one;
    EXPECT_EQ(found.first_volatile.other_value, other);
  }
}

// In a program that reads clocks alone: a model may have an output of that name.
TEST(VolatileLines, HoldMetersOfProgramsThatReadClocks) {
  RunFacts one_run = first_run, other_run = second_run;
  const VolatileText volatile_text({});
  for (const bool reads_clocks : {true, false}) {
    one_run.reads_clocks = other_run.reads_clocks = reads_clocks;
    for (const auto& [one, other] : std::vector<std::pair<std::string, std::string>>{
             // PyTorch's ImageNet example and torchvision's references
             {"Epoch: [0][10/99]\tTime  0.350 ( 0.601)\tData  0.002 ( 0.221)\tLoss 6.9 (7.0)",
              "Epoch: [0][10/99]\tTime  0.362 ( 0.612)\tData  0.001 ( 0.219)\tLoss 6.9 (7.0)"},
             {"loss: 1.25 (1.5)  time: 0.3152  data: 0.0021  max mem: 99",
              "loss: 1.25 (1.5)  time: 0.3148  data: 0.0019  max mem: 99"},
             {"epoch 3 - epoch_time: 0.12345 - loss: 0.5",
              "epoch 3 - epoch_time: 0.2 - loss: 0.5"}})
      EXPECT_EQ(compare_lines(one + "\n", one_run, other + "\n", other_run, {volatile_text, {}})
                    .volatile_lines,
                reads_clocks ? 1U : 0U)
          << one;
  }
}

// A result that looks like a time is a result.
TEST(VolatileLines, AreNoOthers) {
  for (const auto& [one, other] : std::vector<std::pair<std::string, std::string>>{
           {"12:30:03", "12:31:03"},
           {"2025-11-22 12:00:03", "2025-11-22 12:01:03"},
           {"runs/20251122-120003", "runs/20251122-120104"},
           {"20261122-130003", "20261122-130104"},
           {"2026-11-22_13-00", "2026-11-22_13-01"},
           {"120261122120003", "120261122120104"},
           {"0.20261122120003", "0.20261122120104"},
           {"20261122-120003.5 x", "20261122-130104.5 x"},
           {"Nov22_13-00-03", "Nov22_13-01-04"},
           {"t=1795340000", "t=1795340001"},
           {"took 35s", "took 36s"}, // the runs took ten
           {"loss in 3.5 steps", "loss in 3.6 steps"},
           {"Data 0.35 (0.60) Physics 0.5 (0.6)", "Data 0.36 (0.60) Physics 0.5 (0.6)"},
           {"Time 35.5 (0.60) Data 0.5 (0.6)", "Time 35.6 (0.60) Data 0.5 (0.6)"},
           {"arrival_time: 3.5", "arrival_time: 3.6"},
           {"the model took 0.1 of the votes", "the model took 0.2 of the votes"},
           {"elapsed 0.1%", "elapsed 0.2%"},
           {"time 0.5 data 0.6 loss 0.1", "time 0.5 data 0.6 loss 0.2"},
           {"predicted 3.5 s", "predicted 3.6 s"},
           {"time = 0.5 u = 1.25", "time = 0.6 u = 1.25"},
           {"took 3.5s, loss 0.1", "took 3.6s, loss 0.2"},
           {"worker 4712", "worker 816"},
           {"loss 0.4711", "loss 0.815"},
           {"worker 4711 has 3", "worker 815 has 4"},
           {"worker 4711", "12:01:03"}}) {
    const LineComparison found = compare(one + "\n", other + "\n");
    EXPECT_EQ(found.different, 1u) << one;
    EXPECT_EQ(found.volatile_lines, 0u) << one;
  }
}

// What stands behind a time and a comma is the next value of a table, unless it is a logger's
// milliseconds.
TEST(VolatileLines, DoNotTakeTheNextValueForATimesFraction) {
  for (const auto& [one, other] : std::vector<std::pair<std::string, std::string>>{
           {"12:00:03,0", "12:00:03,1"},
           {"12:00:03,0", "12:01:03,1"},
           {"12:00:03,0.53", "12:01:03,0.54"},
           {"12:00:03,125", "12:01:03,126"},
           {"12:00:03,125,7", "12:01:03,126,7"},
           {"12:00:03,125.5 x", "12:01:03,126.5 x"},
           {"1,12:00:03,31362", "1,12:01:03,31363"},
           {"12:00:03,31362 x", "12:01:03,31363 x"},
           {"2026-11-22 12:00:03,5", "2026-11-22 12:01:03,6"},
           {"2026-11-22 12:00:03,12 x", "2026-11-22 12:01:03,13 x"},
           {"2026-11-22T12:00:03,125,1", "2026-11-22T12:01:03,126,1"}}) {
    const LineComparison found = compare(one + "\n", other + "\n");
    EXPECT_EQ(found.different, 1u) << one;
    EXPECT_EQ(found.volatile_lines, 0u) << one;
  }
  for (const auto& [one, other] : std::vector<std::pair<std::string, std::string>>{
           {"[2026-11-22 12:00:03,125] begun", "[2026-11-22 12:01:03,126] begun"},
           {"(12:00:03,125) begun", "(12:01:03,126) begun"},
           {"12:00:03,125 - begun", "12:01:03,126 - begun"},
           {"12:00:03,125-begun", "12:01:03,126-begun"},
           {"12:00:03.5,7", "12:01:03.6,7"},
           {"12:00:03,7", "12:01:03,7"}})
    EXPECT_EQ(compare(one + "\n", other + "\n").volatile_lines, 1u) << one;
}

// In a namespace of its own the first process is 1: a small number is an id only where its line
// reports it.
TEST(VolatileLines, DoNotTakeASmallResultForAProcess) {
  const RunFacts one_run = {noon, noon + 10, {{3, "started"}}};
  const RunFacts other_run = {noon, noon + 10, {{5, "started"}}};
  const VolatileText volatile_text({});
  const auto volatile_lines = [&](const std::string& before, const std::string& behind) {
    return compare_lines(before + "3" + behind + "\n", one_run, before + "5" + behind + "\n",
                         other_run, {volatile_text, {}})
        .volatile_lines;
  };
  for (const std::string before :
       {"loss ", "", "rapid ", "[1, ", "subprocesses ", "pid, loss ", "x "})
    EXPECT_EQ(volatile_lines(before, " x"), 0u) << before;
  EXPECT_EQ(volatile_lines("losses [", ", 4]"), 0u);
  for (const std::string before :
       {"pid ", "PID=", "(pid: ", "process ", "Process #", "worker ", "ppid "})
    EXPECT_EQ(volatile_lines(before, " begun"), 1u) << before;
  EXPECT_EQ(volatile_lines("python3[", "] begun"), 1u);
}

TEST(VolatileLines, HoldWhatTrainersPrintOfTime) {
  for (const auto& [one, other] : std::vector<std::pair<std::string, std::string>>{
           {"step 3 ETA 00:02", "step 3 ETA 00:03"},
           {"{'loss': 0.5, 'train_runtime': 0.3456, 'train_samples_per_second': 31.2}",
            "{'loss': 0.5, 'train_runtime': 0.3511, 'train_samples_per_second': 30.9}"},
           {"real\t0m0.512s", "real\t0m0.498s"},
           {"8/8 - 0s 12ms/step - loss: 0.25", "8/8 - 0s 13ms/step - loss: 0.25"},
           {"throughput samples/sec: 1234.5", "throughput samples/sec: 1220.1"},
           {"12/48 [00:01<00:03, 40.52trial/s, best=0.81]",
            "12/48 [00:01<00:03, 41.52trial/s, best=0.81]"},
           {"12/48 [00:01<00:03, 2.52s/fold]", "12/48 [00:01<00:03, 2.61s/fold]"},
           {"took 0.0s, 553132 effective words/s", "took 0.0s, 553100 effective words/s"},
           {"| fps  7772 | loss 2", "| fps 11230 | loss 2"},
           {"epoch 1: (37565 clips/s)", "epoch 1: (37001 clips/s)"}})
    EXPECT_EQ(compare(one + "\n", other + "\n").volatile_lines, 1u) << one;
  for (const auto& [one, other] : std::vector<std::pair<std::string, std::string>>{
           {"ETA 20:02", "ETA 20:03"}, // longer than the run
           {"elapsed 1:02", "elapsed 1:03"},
           {"real\t1m0.512s", "real\t1m0.498s"},
           {"time: 0.31", "time: 0.32"}, // a simulation's, perhaps
           {"samples/sec: 1, loss 2", "samples/sec: 1, loss 3"},
           {"12/48 [00:01<00:03, 40.5trial/s, best=0.81]",
            "12/48 [00:01<00:03, 40.5trial/s, best=0.82]"},
           {"at 12 clips", "at 13 clips"}})
    EXPECT_EQ(compare(one + "\n", other + "\n").different, 1u) << one;
}

// A number stands for a time where a print of the program's shows one, as long as the run at most.
TEST(VolatileLines, HoldTheTimesThatThePrintsOfTheProgramShow) {
  const auto is_time = [](const std::string& text) {
    const VolatileText volatile_text({}, {Pattern(R"(^step (\d+(?:\.\d+)?))", "a print")});
    return volatile_text.masked("step " + text, first_run) != "step " + text;
  };
  for (const char* text :
       {"9", "10.1", "10.1 s", "9000 ms", "9000ms", "9000 ms, done", "9000000 us", "0.1 min",
        "0.1 m", "0.002 h", "5000 it/s", "5000 fps", "9 mol", "9 hits"})
    EXPECT_TRUE(is_time(text)) << text;
  for (const char* text : {"10.2", "11", "11000 ms", "9 min", "9 m", "9 m, done", "1 h", "11 mol"})
    EXPECT_FALSE(is_time(text)) << text;
}

// An id of four digits is one anywhere; a smaller one where its line says so.
TEST(VolatileLines, TellAProcessByItsSize) {
  const VolatileText volatile_text({});
  const RunFacts run = {noon, noon + 10, {{999, "started"}, {1000, "started"}}};
  EXPECT_EQ(volatile_text.masked("x 999", run), "x 999");
  EXPECT_NE(volatile_text.masked("x 1000", run), "x 1000");
  EXPECT_NE(volatile_text.masked("pid 999", run), "pid 999");
}

// A speed in metres is what a program computed.
// A program that reads no clock prints no durations.
TEST(VolatileLines, HoldDurationsInBracketsOfProgramsThatReadClocks) {
  RunFacts one_run = first_run, other_run = second_run;
  const VolatileText volatile_text({});
  const auto volatile_lines = [&](const std::string& one, const std::string& other) {
    return compare_lines(one, one_run, other, other_run, {volatile_text, {}}).volatile_lines;
  };
  EXPECT_EQ(volatile_lines("loss=0.25 (3.5s)\n", "loss=0.25 (3.6s)\n"), 0u);
  one_run.reads_clocks = other_run.reads_clocks = true;
  EXPECT_EQ(volatile_lines("loss=0.25 (3.5s)\n", "loss=0.25 (3.6s)\n"), 1u);
  EXPECT_EQ(volatile_lines("[12 ms] loss=0.25\n", "[14.5 ms] loss=0.25\n"), 1u);
  EXPECT_EQ(volatile_lines("loss=0.25 (3.5s)\n", "loss=0.26 (3.5s)\n"), 0u);
  EXPECT_EQ(volatile_lines("loss=0.25 (35s)\n", "loss=0.25 (36s)\n"), 0u) << "the runs took ten";
  EXPECT_EQ(volatile_lines("loss=0.25 (3.5)\n", "loss=0.25 (3.6)\n"), 0u);
  EXPECT_EQ(volatile_lines("f(3.5s, 1)\n", "f(3.6s, 1)\n"), 0u);
}

// A date before it is not where two lines begin to differ.
TEST(VolatileLines, AreNotWhereTheOthersDiffer) {
  const LineComparison found =
      compare("[12:00:03] took 3.5s, loss 0.25\n", "[12:01:03] took 12.5 ms, loss 0.26\n");
  ASSERT_EQ(found.different, 1u);
  EXPECT_EQ(found.first_different.value.substr(found.first_different.at), "5");
  EXPECT_EQ(found.first_different.other_value.substr(found.first_different.other_at), "6");
}

TEST(VolatileLines, HoldRatesOfProgressAlone) {
  for (const std::string unit :
       {"it/s", "kit/s", " B/s", "MB/s", " GiB/s", " samples/sec", " tokens/second", " img/s",
        " ksamples/s", "s/it", "ms/step", "us/step", " s/epoch", " rows/s", " batches/s"})
    EXPECT_EQ(compare("at 12.3" + unit + ".\n", "at 13.3" + unit + ".\n").volatile_lines, 1u)
        << unit;
  for (const std::string unit :
       {" m/s", "m/s", " dB/s", " nats/s", " km/s", " rad/s", " s/m", " ms/K", " Mb/s", " mol/s",
        " b/s", " units/s", " bits/s", " visits/s", " s/bit"})
    EXPECT_EQ(compare("at 12.3" + unit + ".\n", "at 13.3" + unit + ".\n").different, 1u) << unit;
  EXPECT_EQ(compare("m/s: 12.3\n", "m/s: 13.3\n").different, 1u);
  EXPECT_EQ(compare("[1:00:03<2:00:05, 3it/s]\n", "[1:00:04<2:00:06, 3it/s]\n").volatile_lines, 1u);
  EXPECT_EQ(compare("won 12:30<13:40\n", "won 12:31<13:41\n").different, 1u);
}

// What stands in the place of a part stands in no line.
TEST(VolatileLines, AreNotTakenForTheirMasks) {
  EXPECT_EQ(compare("at 12.3 it/s\n", "at <rate>\n").different, 1u);
  EXPECT_EQ(
      compare("loss=1\n", "loss=<metric>\n", {}, {Pattern(R"(loss=(\d+))", "--metric")}).different,
      1u);
}

TEST(VolatileLines, HoldOurOwnVariable) {
  for (const std::string before : {"DETSHIM_RUN=", "{'DETSHIM_RUN': '", "\"DETSHIM_RUN\":\""})
    EXPECT_EQ(compare(before + "8:1c80:", before + "8:1cc9:").volatile_lines, 1u) << before;
  EXPECT_EQ(compare("MY_DETSHIM_RUN=1\n", "MY_DETSHIM_RUN=2\n").different, 1u);
}

TEST(VolatileLines, AreWhatTheUserDeclares) {
  const std::vector<Pattern> declared = {Pattern(R"(\d+\.\d+ s)", "--volatile")};
  EXPECT_EQ(compare("took 3.5 s\n", "took 3.6 s\n", declared).volatile_lines, 1u);
  EXPECT_EQ(compare("took 3.5 s, loss 1\n", "took 3.6 s, loss 2\n", declared).different, 1u);
  // Nothing is left that could be equal.
  const LineComparison nothing = compare("a1\n", "b2\n", {Pattern(".*", "--volatile")});
  EXPECT_EQ(nothing.with_content, 0u);
}

TEST(Lines, AreComparedToTheirEnd) {
  EXPECT_EQ(compare("a\nb\n", "a\nb\n").different, 0u);
  EXPECT_EQ(compare("a\nb\n", "a\n").first_different.other_value, "not there");
  EXPECT_EQ(compare("a\nb", "a\nb\n").different, 1u);
  EXPECT_EQ(compare("1%\r2%\n", "1%\r3%\n").first_different.value, "2%");
}

// How often a progress bar shows itself is a matter of time.
TEST(Lines, ThatAreOverwrittenAreComparedByTheirLastState) {
  const LineComparison found = compare("10%\r50%\r\x1b[K100%\ndone\n", "30%\r\x1b[K100%\ndone\n");
  EXPECT_EQ(found.different, 0u);
  EXPECT_EQ(found.overwritten, 2u);
  EXPECT_EQ(found.with_content, 2u);
  EXPECT_EQ(compare("a\r\n", "a\r\n").overwritten, 0u); // a line end of Windows
  EXPECT_EQ(compare("1%\r2%", "1%\r3%").different, 1u);
}

TEST(Lines, AreComparedWithWhatEndsThem) {
  for (const auto& [one, other] :
       std::vector<std::pair<std::string, std::string>>{{"a\nb\n", "a\rb\n"},
                                                        {"a\n", "a\r\n"},
                                                        {"a\r", "a\n"},
                                                        {"a\r", "a"},
                                                        {"a\r\nb", "a\n\rb"}})
    EXPECT_GE(compare(one, other).different, 1u) << one;
  const LineComparison found = compare("a\n", "a\r\n");
  EXPECT_EQ(found.different, 1u);
  EXPECT_EQ(found.first_different.line, 1u);
  EXPECT_EQ(found.first_different.value, "a line end");
  EXPECT_EQ(found.first_different.other_value, "a carriage return and a line end");
  EXPECT_EQ(compare("1%\r12:00:03 2%\n", "1%\r12:01:03 2%\n").volatile_lines, 1u);
  EXPECT_EQ(compare("12:00:03", "12:01:03\n").different, 1u);
  EXPECT_EQ(compare("12:00:03\r\n", "12:01:03\n").different, 0u);
  EXPECT_EQ(compare("12:00:03\r\nb\n", "12:01:03\nc\n").different, 1u);
}

TEST(Patterns, MatchTheEndOfALineOnce) {
  const auto matches = [](const std::string& pattern, const std::string& line) {
    std::size_t count = 0;
    Pattern(pattern, "--metric").each_match(line, [&](Span, Span) {
      ++count;
    });
    return count;
  };
  EXPECT_EQ(matches("$", "ab"), 1U);
  EXPECT_EQ(matches("x*", "ab"), 3U);
  EXPECT_EQ(matches("x*", ""), 1U);
  EXPECT_EQ(matches("a", "aab"), 2U);
  const auto group = [](const std::string& pattern) {
    std::string found = "none";
    Pattern(pattern, "--metric").each_match("xab", [&](Span, Span of) {
      found = of.of("xab");
    });
    return found;
  };
  EXPECT_EQ(group("a"), "");
  EXPECT_EQ(group("a(b)"), "b");
  EXPECT_EQ(group("a(c)?b"), "");
}

const Pattern loss(R"(loss=(\S+))", "--metric");

std::optional<MetricDifference> compare_metric(const std::string& one, const std::string& other,
                                               Tolerance tolerance = {}) {
  return compare_series(read_series(one, loss), read_series(other, loss), tolerance);
}

TEST(Metrics, AreComparedStepByStep) {
  EXPECT_FALSE(compare_metric("loss=1\nloss=nan\n", "x loss=1\ny loss=nan\n"));
  const std::optional<MetricDifference> found =
      compare_metric("loss=1 loss=2\nloss=3", "loss=1\nloss=2\nloss=4\n");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->step, 3u);
  EXPECT_EQ(found->line, 2u);
  EXPECT_EQ(found->value, "3");
  EXPECT_TRUE(compare_metric("loss=0", "loss=-0"));
  EXPECT_TRUE(compare_metric("loss=0.1", "loss=0.10000000000000002"));
}

TEST(Metrics, OfDifferentLengthDiffer) {
  const std::optional<MetricDifference> found =
      compare_metric("loss=1\nloss=2\n", "loss=1\n", {1, 1});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->step, 2u);
  EXPECT_EQ(found->other_value, "not there");
  const std::optional<MetricDifference> more =
      compare_metric("loss=1\n", "loss=1\nloss=2\n", {1, 1});
  ASSERT_TRUE(more);
  EXPECT_EQ(more->value, "not there");
  EXPECT_EQ(more->line, 0u);
  EXPECT_EQ(more->count, 1u);
  EXPECT_EQ(more->of, 2u);
}

TEST(Metrics, HaveATolerance) {
  const Tolerance mindspore = {1e-3, 1e-3};
  EXPECT_FALSE(compare_metric("loss=1", "loss=1.0015", mindspore));
  EXPECT_TRUE(compare_metric("loss=1", "loss=1.0035", mindspore));
  EXPECT_TRUE(compare_metric("loss=1", "loss=nan", mindspore));
  EXPECT_TRUE(compare_metric("loss=nan", "loss=1", mindspore));
  EXPECT_EQ(compare("loss=1 ok\n", "loss=1.001 ok\n", {}, {loss}).tolerated, 1u);
  EXPECT_EQ(compare("loss=1 ok\n", "loss=1.001 no\n", {}, {loss}).different, 1u);
  EXPECT_EQ(compare("loss=1 ok\n", "loss=1.001 ok\r", {}, {loss}).different, 1u);
}

/// A sum of 64 bits has more digits than a double.
TEST(Metrics, AreComparedToTheirLastDigit) {
  const std::optional<MetricDifference> found =
      compare_metric("loss=9007199254740993", "loss=9007199254740992");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->value, "9007199254740993");
  EXPECT_EQ(found->other_value, "9007199254740992");
}

// However small it is, a tolerance does not make two numbers of one.
TEST(Metrics, HaveNoToleranceByTheirReading) {
  const Tolerance tiny = {1e-300, 0}, one = {0, 1}, loose = {1e-6, 0};
  for (const auto& [value, other] : std::vector<std::pair<std::string, std::string>>{
           {"9007199254740993", "9007199254740992"},
           {"0.1", "0.10000000000000000001"},
           {"18446744073709551617", "18446744073709551616"},
           {"0.5", "0.50000000000000000000001"}, // read as the same
           {"0.50000000000000000000001", "0.5"},
           {"0.3333333333333333333333", "0.3333333333333333333334"}}) {
    EXPECT_TRUE(compare_metric("loss=" + value, "loss=" + other, tiny)) << value;
    EXPECT_FALSE(compare_metric("loss=" + value, "loss=" + other, loose)) << value;
  }
  EXPECT_TRUE(compare_metric("loss=9007199254740993", "loss=9007199254740991", one));
  EXPECT_FALSE(compare_metric("loss=9007199254740993", "loss=9007199254740992", one));
  for (const auto& [value, other] : std::vector<std::pair<std::string, std::string>>{
           {"1", "1.0"}, {"0", "-0"}, {"1e3", "1000"}, {"0.5", "5e-1"}, {"inf", "Infinity"}})
    EXPECT_FALSE(compare_metric("loss=" + value, "loss=" + other, tiny)) << value;
  EXPECT_TRUE(compare_metric("loss=inf", "loss=-inf", loose));
}

/// Of 0.1234 and 0.9876 only the 0 would be compared.
TEST(Metrics, ThatArePartsOfNumbersAreRefused) {
  for (const auto& [pattern, text] :
       std::vector<std::pair<std::string, std::string>>{{R"(loss (\d+))", "loss 0.1234"},
                                                        {R"(loss (\d+))", "loss 1e5"},
                                                        {R"(loss (\d+\.\d+))", "loss 0.12e-3"},
                                                        {R"(loss (\d))", "loss 12"},
                                                        {R"(loss \d*\.(\d+))", "loss 0.5"},
                                                        {R"(loss \d*(\.\d+))", "loss 2.5"},
                                                        {R"(loss \de(\S+))", "loss 1e-5"},
                                                        {R"(loss \d(\d+))", "loss 512"}}) {
    EXPECT_THROW(read_series("x\n" + text + "\n", Pattern(pattern, "--metric")), UsageError)
        << pattern;
  }
  for (const auto& [pattern, text] :
       std::vector<std::pair<std::string, std::string>>{{R"(loss (\d+))", "loss 5. Done"},
                                                        {R"(loss (\d+))", "loss 5, 6"},
                                                        {R"(loss (\d+))", "loss 5s"},
                                                        {R"(loss (\d+))", "loss 5epochs"},
                                                        {R"(step=(\d+))", "step=5"},
                                                        {R"(loss (\S+))", "loss .5"},
                                                        {R"(loss (\S+))", "loss -1.5e-05"},
                                                        {R"(-(\S+))", "range 3-5"},
                                                        {R"(v(\d+))", "v5"}})
    EXPECT_EQ(read_series(text, Pattern(pattern, "--metric")).size(), 1u) << pattern;
}

TEST(Metrics, ThatAreNoNumbersAreRefused) {
  EXPECT_THROW(read_series("loss=abc", loss), UsageError);
  EXPECT_THROW(Pattern("(", "--metric"), UsageError);
}

TEST(Metrics, OfANumberAndNoneDifferWhateverTheTolerance) {
  const Pattern pattern(R"(loss=(\S+))", "--metric");
  const auto differ = [&pattern](const std::string& one, const std::string& other) {
    return compare_series(read_series("loss=" + one, pattern),
                          read_series("loss=" + other, pattern), {0.5, 1e6})
        .has_value();
  };
  for (const char* none : {"inf", "-inf", "nan"}) {
    EXPECT_TRUE(differ("0.5", none)) << none;
    EXPECT_TRUE(differ(none, "0.5")) << none;
    EXPECT_FALSE(differ(none, none)) << none;
  }
  EXPECT_TRUE(differ("inf", "-inf"));
  EXPECT_TRUE(differ("inf", "nan"));
  EXPECT_FALSE(differ("0.5", "0.6"));
}

// ------------------------------------------------------------------ results that have a name

/// "loss 0.5 0.25 | 0.5 0.125; acc 0.9 | 0.9": of both runs.
std::string results_of(const std::string& one, const std::string& other) {
  const VolatileText volatile_text({});
  FoundResults results;
  compare_lines(one, first_run, other, second_run, {volatile_text, {}, nullptr, results.visit()});
  std::string text;
  for (const FoundResults::Pair& pair : results.pairs()) {
    text += (text.empty() ? "" : "; ") + pair.name;
    for (const MetricValue& value : pair.one)
      text += ' ' + value.text;
    text += " |";
    for (const MetricValue& value : pair.other)
      text += ' ' + value.text;
  }
  return text;
}

TEST(FoundResults, HaveTheNameThatIsPrintedBeforeThem) {
  for (const std::string line :
       {"loss=0.25", "loss: 0.25", "loss 0.25", "loss   0.25,", R"({"loss": 0.25, "epoch": 3})",
        "{'loss': 0.25}", "epoch 3: loss = 0.25 (best)", "[loss=0.25]", "3/8 loss: 0.25%"})
    EXPECT_EQ(results_of(line, line), "loss 0.25 | 0.25") << line;
  EXPECT_EQ(results_of("train/loss: 1e-05  val_acc=-0.5 x: nan\n", ""),
            "train/loss 1e-05 |; val_acc -0.5 |; x nan |");
}

TEST(FoundResults, AreNoCountersVersionsOrNumbersWithAUnit) {
  for (const std::string line :
       {"epoch 3", "epoch=3", "torch 2.1.0", "size 3.5MB", "a 1.5x", "0.25", "= 0.25", "x.y",
        "loss 0.25e", "lr=1.", "name: none", "gap 0.5/0.3", "loss 0.5 ± 0.1", "iou: 0.5 -> 0.6",
        "f1=0.5 +/- 0.1"})
    EXPECT_EQ(results_of(line, line), line == "lr=1." ? "lr 1. | 1." : "") << line;
}

TEST(FoundResults, OfTwoRunsArePairedByTheirNames) {
  EXPECT_EQ(results_of("loss 0.5\nacc 0.9\nloss 0.25\n", "loss 0.5\nacc 0.9\nloss 0.125\n"),
            "loss 0.5 0.25 | 0.5 0.125; acc 0.9 | 0.9");
  EXPECT_EQ(results_of("loss 0.5\n", "loss 0.5\nloss 0.25\n"), "loss 0.5 | 0.5 0.25");
}

// A loss of exactly 1 may be printed as "1".
TEST(FoundResults, AreWholeNumbersWhereOthersOfThatNameHaveAFraction) {
  EXPECT_EQ(results_of("loss=0.5\nloss=0\n", "loss=0.5\nloss=1\n"), "loss 0.5 0 | 0.5 1");
  EXPECT_EQ(results_of("loss=0\nepoch=1\n", "loss=0.125\nepoch=1\n"), "loss 0 | 0.125");
}

// Also where the time was the same in both runs in another line.
TEST(FoundResults, AreNoTimes) {
  EXPECT_EQ(results_of("loss 0.5 elapsed 0.25\nloss 0.5 elapsed 0.5\n",
                       "loss 0.5 elapsed 0.25\nloss 0.5 elapsed 0.75\n"),
            "loss 0.5 0.5 | 0.5 0.5");
}

// ------------------------------------------------------------------ runs

TEST(Runs, BoundTheRateAtWhichFurtherOnesDiffer) {
  EXPECT_EQ(differing_rate_bound(0), 1);
  EXPECT_EQ(differing_rate_bound(1), 1);
  EXPECT_NEAR(differing_rate_bound(2), 0.95, 1e-9);
  EXPECT_NEAR(differing_rate_bound(3), 0.7764, 1e-4);
  EXPECT_EQ(runs_for_bound(0.5), 6U);
  EXPECT_LE(differing_rate_bound(runs_for_bound(0.1)), 0.1);
  EXPECT_GT(differing_rate_bound(runs_for_bound(0.1) - 1), 0.1);
}

TEST(WantedRuns, AreThoseThatFitInTwoMinutes) {
  for (const bool can_race : {false, true}) {
    EXPECT_EQ(wanted_runs(0, can_race, std::nullopt), 5U);
    EXPECT_EQ(wanted_runs(24, can_race, std::nullopt), 5U);
    EXPECT_EQ(wanted_runs(24.1, can_race, std::nullopt), 4U);
    EXPECT_EQ(wanted_runs(40, can_race, std::nullopt), 3U);
  }
  EXPECT_EQ(wanted_runs(40.1, false, std::nullopt), 2U);
  EXPECT_EQ(wanted_runs(36000, false, std::nullopt), 2U);
  EXPECT_EQ(wanted_runs(36000, true, std::nullopt), 3U);
}

TEST(WantedRuns, AreThoseThatFitInTheBudget) {
  EXPECT_EQ(wanted_runs(60, false, 600), 10U);
  EXPECT_EQ(wanted_runs(1, false, 600), 60U);
  EXPECT_EQ(wanted_runs(0, false, 1), 60U);
  EXPECT_EQ(wanted_runs(600, false, 60), 2U);
  EXPECT_EQ(wanted_runs(600, true, 60), 3U);
}

// ------------------------------------------------------------------ what two runs have left

class TwoRuns : public testing::Test {
protected:
  TwoRuns() {
    for (detshim::Run* const run : {&one_, &other_}) {
      run->name = run == &one_ ? "run-1" : "run-2";
      run->folder = folder_.path() / run->name;
      std::filesystem::create_directory(run->folder);
      run->began = noon;
      run->ended = noon + 10;
      print(*run, "a\n");
    }
  }

  static void print(const detshim::Run& run, const std::string& out, const std::string& err = "") {
    std::ofstream(run.out()) << out;
    std::ofstream(run.err()) << err;
  }

  /// A file of that run; of the first pattern.
  static OutputFile& add(detshim::Run& run, const std::string& name, const std::string& text) {
    OutputFile& file = run.outputs.emplace_back();
    file.name = name;
    file.patterns = {0};
    file.size = text.size();
    file.stored = run.folder / ("stored-" + std::to_string(run.outputs.size()));
    std::ofstream(file.stored) << text;
    return file;
  }
  static OutputFile& add(detshim::Run& run, const std::string& name, OutputFile::Kind kind) {
    OutputFile& file = add(run, name, "");
    file.kind = kind;
    return file;
  }

  Comparison compared() const { return compare_runs(one_, other_, rules_); }

  /// The kinds of what differs.
  std::vector<ItemKind> differ() const {
    std::vector<ItemKind> kinds;
    for (const Difference& difference : compared().differences)
      kinds.push_back(difference.item.kind);
    return kinds;
  }
  std::size_t uncompared() const { return compared().uncompared.size(); }

  /// The kinds of what was compared.
  std::vector<ItemKind> items() const {
    std::vector<ItemKind> kinds;
    for (const ComparedItem& item : compared().items)
      kinds.push_back(item.kind);
    return kinds;
  }

  const TemporaryFolder folder_;
  detshim::Run one_, other_;
  ComparisonRules rules_;
};

using enum ItemKind;
using Kinds = std::vector<ItemKind>;

TEST_F(TwoRuns, AreComparedByWhatTheyPrintAndTheirStatus) {
  EXPECT_EQ(differ(), Kinds());
  EXPECT_EQ(items(), (Kinds{exit_status, out, err}));
  other_.status = 1 << 8;
  EXPECT_EQ(differ(), Kinds{exit_status});
  print(other_, "b\n", "c\n");
  EXPECT_EQ(differ(), (Kinds{exit_status, out, err}));
  rules_.ignores_out = true;
  EXPECT_EQ(differ(), (Kinds{exit_status, err}));
  EXPECT_EQ(items(), (Kinds{exit_status, err}));
  rules_.ignores_err = true;
  EXPECT_EQ(differ(), Kinds{exit_status});
  rules_.ignores_out = false;
  EXPECT_EQ(differ(), (Kinds{exit_status, out}));
}

TEST_F(TwoRuns, HoldSomethingWhereALineIsEqual) {
  const auto holds = [&](const std::string& one, const std::string& other) {
    print(one_, one);
    print(other_, other);
    return compared().items[1].holds_something;
  };
  EXPECT_TRUE(holds("a\n", "a\n"));
  EXPECT_TRUE(holds("a\nb\n", "a\nc\n"));
  EXPECT_FALSE(holds("", ""));
  EXPECT_FALSE(holds("\n", "\n"));
  EXPECT_FALSE(holds("b\n", "c\n"));
  EXPECT_FALSE(compared().items[0].holds_something) << "a status says little";
}

TEST_F(TwoRuns, ThatWereEndedAreComparedAsFarAsTheyWent) {
  other_.status = 1 << 8;
  other_.ended_at_difference = true;
  rules_.outputs = {"w*"};
  add(one_, "w", "1");
  print(one_, "a\nb\nc\n");
  print(other_, "a\nb\nx");
  EXPECT_EQ(differ(), Kinds());
  EXPECT_EQ(items(), (Kinds{out, err}));
  EXPECT_EQ(uncompared(), 0U);
  print(other_, "a\nx\n");
  EXPECT_EQ(differ(), Kinds{out});
  print(other_, "a\nb\nc\nd\n");
  EXPECT_EQ(differ(), Kinds{out});
  other_.ended_at_difference = false;
  print(other_, "a\nb\nx");
  EXPECT_EQ(differ(), (Kinds{exit_status, out, output}));
}

// Of the other stream it is chance how much came before that line.
TEST_F(TwoRuns, ThatWereEndedAtALineAreComparedByItsStream) {
  print(one_, "a\n", "x\n");
  print(other_, "b\n", "y\n");
  const auto differing = [&](std::optional<PrintedStream> one, std::optional<PrintedStream> other) {
    one_.until = one;
    other_.until = other;
    return differ();
  };
  EXPECT_EQ(differing(PrintedStream::out, PrintedStream::out), Kinds{ItemKind::out});
  EXPECT_EQ(differing(PrintedStream::err, PrintedStream::err), Kinds{ItemKind::err});
  EXPECT_EQ(differing(PrintedStream::out, PrintedStream::err),
            (Kinds{ItemKind::out, ItemKind::err}));
  EXPECT_EQ(differing(PrintedStream::out, {}), (Kinds{ItemKind::out, ItemKind::err}));
  EXPECT_EQ(differing({}, PrintedStream::err), (Kinds{ItemKind::out, ItemKind::err}));
}

TEST_F(TwoRuns, AreComparedByTheirMetrics) {
  rules_.metrics = {loss};
  EXPECT_EQ(uncompared(), 1U) << "it matches nothing";
  print(one_, "loss=1\n");
  EXPECT_EQ(uncompared(), 0U);
  EXPECT_EQ(differ(), (Kinds{out, metric}));
  EXPECT_EQ(items(), (Kinds{exit_status, out, err, metric}));
  std::swap(one_, other_);
  EXPECT_EQ(differ(), (Kinds{out, metric})) << "of the second run alone";
  std::swap(one_, other_);
  print(other_, "loss=1.1\n");
  EXPECT_EQ(differ(), (Kinds{out, metric}));
  rules_.tolerance = {0, 0.2};
  EXPECT_EQ(differ(), Kinds());
  print(one_, "loss=1\n", "loss=1\n");
  print(other_, "loss=1.1\n", "loss=1.3\n");
  EXPECT_EQ(differ(), Kinds{metric});
  EXPECT_EQ(items(), (Kinds{exit_status, out, err, metric, metric}));
  print(other_, "loss=1.1\n", "loss=no\n");
  EXPECT_EQ(uncompared(), 1U) << "no number";
}

TEST_F(TwoRuns, HaveResultsWhereNoMetricIsNamed) {
  print(one_, "loss=0.5\nacc=0.9\n");
  print(other_, "loss=0.25\nacc=0.9\n");
  EXPECT_EQ(differ(), (Kinds{result, out}));
  EXPECT_EQ(items(), (Kinds{exit_status, result, result, out, err}));
  std::string many;
  for (int i = 0; i < 64; ++i)
    many += "name" + std::to_string(i) + "x=0.5\n";
  print(one_, many);
  print(other_, many);
  EXPECT_EQ(items().size(), 67U);
  print(one_, many + "loss=0.5\n");
  print(other_, many + "loss=0.25\n");
  EXPECT_EQ(items().size(), 3U) << "a table of names";
  rules_.metrics = {loss};
  EXPECT_EQ(items(), (Kinds{exit_status, out, err, metric}));
}

TEST_F(TwoRuns, SayWhereTheBytesAreOthers) {
  const auto other_bytes = [&](const std::string& one, const std::string& other) {
    print(one_, one);
    print(other_, other);
    return compared().items[1].has_other_bytes;
  };
  EXPECT_FALSE(other_bytes("a\n", "a\n"));
  EXPECT_TRUE(other_bytes("12:00:03 a\n", "12:00:04 a\n"));
  EXPECT_FALSE(other_bytes("12:00:03 a\n", "12:00:04 b\n")) << "they differ";
  EXPECT_TRUE(compared().volatile_lines.empty());
  print(other_, "12:00:04 a\n");
  ASSERT_EQ(compared().volatile_lines.size(), 1U);
  EXPECT_EQ(compared().volatile_lines[0].count, 1U);
}

TEST_F(TwoRuns, AreComparedByTheirOutputs) {
  rules_.outputs = {"w*", "x*"};
  add(one_, "w", "1");
  add(other_, "w", "1");
  EXPECT_EQ(uncompared(), 1U) << "nothing matches x*";
  add(one_, "x", "").patterns = {1};
  EXPECT_EQ(uncompared(), 1U) << "it is empty";
  EXPECT_EQ(differ(), Kinds{output});
  add(other_, "x", "1").patterns = {1};
  EXPECT_EQ(uncompared(), 0U);
  EXPECT_EQ(differ(), Kinds{output});
  one_.outputs.pop_back();
  EXPECT_EQ(uncompared(), 0U) << "the second run alone made it";
  EXPECT_EQ(differ(), Kinds{output});
  std::swap(one_, other_);
  EXPECT_EQ(uncompared(), 0U) << "the first run alone made it";
  one_.outputs.pop_back();
  add(one_, "x", OutputFile::folder).patterns = {1};
  EXPECT_EQ(uncompared(), 1U) << "no file matches x*";
}

/// By kinds of the two: whether they are uncompared, and whether they differ.
TEST_F(TwoRuns, HaveOutputsOfSomeKind) {
  using Kind = OutputFile::Kind;
  for (const Kind one : {Kind::regular, Kind::link, Kind::other, Kind::folder})
    for (const Kind other : {Kind::regular, Kind::link, Kind::other, Kind::folder}) {
      one_.outputs.clear();
      other_.outputs.clear();
      add(one_, "w", one);
      add(other_, "w", other);
      const bool is_none = one == Kind::other || other == Kind::other;
      EXPECT_EQ(uncompared(), is_none ? 1U : 0U) << one << other;
      EXPECT_EQ(differ(), one == other || is_none ? Kinds() : Kinds{output}) << one << other;
    }
}

TEST_F(TwoRuns, HaveLinksThatLeadSomewhere) {
  for (detshim::Run* const run : {&one_, &other_})
    add(*run, "w", OutputFile::link).target = "a";
  EXPECT_EQ(differ(), Kinds());
  EXPECT_EQ(uncompared(), 0U);
  other_.outputs[0].leads_outside = true;
  EXPECT_EQ(uncompared(), 1U);
  one_.outputs[0].leads_outside = true;
  other_.outputs[0].leads_outside = false;
  EXPECT_EQ(uncompared(), 1U);
  other_.outputs[0].target = "b";
  EXPECT_EQ(differ(), Kinds{output});
}

// In files that no pattern names, and once where they are printed too.
TEST_F(TwoRuns, HaveResultsInTextsThatTheyWrote) {
  const auto write = [](detshim::Run& run, const std::string& path, const std::string& text) {
    run.unnamed_outputs.contents[path] = text;
    run.unnamed_texts[path] = text;
  };
  for (detshim::Run* const run : {&one_, &other_})
    write(*run, "/a/log.txt", "loss=0.5\nacc=0.9\n");
  EXPECT_EQ(items(), (Kinds{exit_status, out, err, result, result}));
  for (detshim::Run* const run : {&one_, &other_})
    print(*run, "loss=0.5\n");
  EXPECT_EQ(items(), (Kinds{exit_status, result, out, err, result}));
  write(other_, "/a/log.txt", "loss=0.5\nacc=0.8\n");
  EXPECT_EQ(items(), (Kinds{exit_status, result, out, err})) << "it differs";
  write(other_, "/a/log.txt", "loss=0.5\nacc=0.9\n");
  other_.unnamed_texts.clear();
  EXPECT_EQ(items(), (Kinds{exit_status, result, out, err})) << "it is no text";
  std::swap(one_, other_);
  EXPECT_EQ(items(), (Kinds{exit_status, result, out, err})) << "it was no text";
  std::swap(one_, other_);
  write(other_, "/b/log.txt", "loss=0.5\nacc=0.9\n");
  EXPECT_EQ(items(), (Kinds{exit_status, result, out, err})) << "another file";
}

/// What differs in files that no pattern names: how many do, and how many but for times.
TEST_F(TwoRuns, DifferInTextsThatTheyWrote) {
  using Files = std::map<std::string, std::string>;
  using Counts = std::pair<std::size_t, std::size_t>;
  const auto differ_in = [&](const Files& one, const Files& other, bool are_texts = true,
                             bool is_first_pair = false) {
    for (const auto& [run, files] : {std::pair(&one_, &one), std::pair(&other_, &other)}) {
      run->unnamed_outputs.contents = *files;
      run->unnamed_texts = are_texts ? *files : Files();
    }
    const UnnamedDifferences found = compare_unnamed_outputs(one_, other_, is_first_pair, rules_);
    return Counts(found.files.size(), found.of_times.size());
  };
  EXPECT_EQ(differ_in({{"/a", "x"}}, {{"/a", "x"}}), Counts(0, 0));
  EXPECT_EQ(differ_in({{"/a", "x"}}, {{"/a", "y"}}), Counts(1, 0));
  EXPECT_EQ(differ_in({{"/a", "12:00:03 x"}}, {{"/a", "12:00:04 x"}}), Counts(0, 1));
  EXPECT_EQ(differ_in({{"/a", "12:00:03 x"}}, {{"/a", "12:00:04 x"}}, false), Counts(1, 0));
  EXPECT_EQ(differ_in({{"/a", "x"}}, {}), Counts(1, 0));
  EXPECT_EQ(differ_in({}, {{"/a", "x"}}), Counts(1, 0));
  EXPECT_EQ(differ_in({{"/a", "x"}}, {{"/b", "x"}}), Counts(1, 0)) << "another name";
  // The moment of the run in a name is no other name.
  EXPECT_EQ(differ_in({{"/r/20261122-120003", "x"}}, {{"/r/20261122-120004", "x"}}), Counts(0, 0));
  EXPECT_EQ(differ_in({{"/r/20261122-120003", "x"}}, {{"/r/20261122-120004", "y"}}), Counts(1, 0));
  EXPECT_EQ(differ_in({{"/r/20261122-120003", "x"}, {"/r/20261122-120005", "y"}},
                      {{"/r/20261122-120004", "x"}, {"/r/20261122-120006", "z"}}),
            Counts(1, 0))
      << "the second one of a name";
  // What the first run of all alone wrote and is there still is a cache.
  const std::string kept = (folder_.path() / "cache").string();
  std::ofstream(kept) << "x";
  EXPECT_EQ(differ_in({{kept, "x"}}, {}, true, true), Counts(0, 0));
  EXPECT_EQ(differ_in({{kept, "x"}}, {}, true, false), Counts(1, 0));
  EXPECT_EQ(differ_in({{"/gone", "x"}}, {}, true, true), Counts(1, 0));
  EXPECT_EQ(differ_in({{kept, "x"}}, {{"/b", "x"}}, true, true), Counts(1, 0));
  rules_.ignored_files = {"/a*"};
  EXPECT_EQ(differ_in({{"/a", "x"}}, {{"/a", "y"}}), Counts(0, 0));
  EXPECT_EQ(differ_in({{"/b", "x"}}, {{"/b", "y"}}), Counts(1, 0));
}

/// Of tables the names of their columns count, and of what is no text its bytes.
TEST_F(TwoRuns, KeepTheTextsThatTheyWrote) {
  const auto kept = [&](const std::string& name, const std::string& text) {
    const std::string path = (folder_.path() / name).string();
    std::ofstream(path) << text;
    one_.unnamed_outputs.contents = {{path, "hash"}};
    one_.unnamed_texts.clear();
    keep_unnamed_texts(one_);
    return one_.unnamed_texts.empty() ? std::string("(none)") : one_.unnamed_texts.begin()->second;
  };
  EXPECT_EQ(kept("a.txt", "a,b\n1,2\n"), "a,b\n1,2\n");
  EXPECT_EQ(kept("a.txt", "a\r\nb\r\n"), "a\r\nb\r\n");
  EXPECT_EQ(kept("a.txt", "1%\r2%\n"), "(none)");
  EXPECT_EQ(kept("a.txt", std::string("a\0b", 3)), "(none)");
  EXPECT_EQ(kept("a.txt", std::string(1 << 20, 'a')).size(), 1U << 20);
  EXPECT_EQ(kept("a.txt", std::string((1 << 20) + 1, 'a')), "(none)");
  EXPECT_EQ(kept("a.csv", "a,b\n1,2\n3,4\n"), "a,b\na=1, b=2\na=3, b=4\n");
  EXPECT_EQ(kept("a.tsv", "a\tb\n1\t2\n"), "a\tb\na=1, b=2\n");
  EXPECT_EQ(kept("a.csv", "a,b\n1,2,3\n1\n\n"), "a,b\n1,2,3\n1\n\n") << "of another width";
  EXPECT_EQ(kept("a.csv", "a,b\nx,y\n1,2\n"), "a,b\na=x, b=y\na=1, b=2\n");
  EXPECT_EQ(kept("a.csv", "a,b\n1,'2'\n"), "a,b\n1,'2'\n") << "with quotes";
  for (const std::string head : {"a,", "a,1b", "a,b c", "a,\"b\"", "a,b=", "a,b:"})
    EXPECT_EQ(kept("a.csv", head + "\n1,2\n"), head + "\n1,2\n") << head;
  const std::string link = (folder_.path() / "link.txt").string();
  std::ofstream(folder_.path() / "a.txt") << "a";
  std::filesystem::create_symlink("a.txt", link);
  one_.unnamed_outputs.contents = {{link, "a.txt"}};
  one_.unnamed_texts.clear();
  keep_unnamed_texts(one_);
  EXPECT_TRUE(one_.unnamed_texts.empty()) << "what is behind a link is another file";
}

// Of their names the time and the process are left out: they are paired by their order.
TEST_F(TwoRuns, HaveEventFilesThatArePairedByTheirOrder) {
  const std::string start = "logs/events.out.tfevents.";
  add(one_, start + "1.a", "first");
  add(one_, start + "2.a", "second");
  add(other_, start + "7.b", "first");
  EXPECT_EQ(differ(), Kinds{output}) << "one is missing";
  add(other_, start + "8.b", "second");
  EXPECT_EQ(differ(), Kinds());
  EXPECT_EQ(compared().items.size(), 5U);
  add(one_, "events.out.tfevents.1.a", "top");
  EXPECT_EQ(differ(), Kinds{output});
  add(other_, "events.out.tfevents.9.b", "top");
  EXPECT_EQ(differ(), Kinds()) << "in each folder";
  add(one_, "my-events.out.tfevents.1", "x");
  add(other_, "my-events.out.tfevents.2", "x");
  EXPECT_EQ(differ(), (Kinds{output, output})) << "no event files";
}

// ------------------------------------------------------------------ a run in two parts

/// By metric: what the three runs print.
TEST_F(TwoRuns, ThatAreOneKilledAndResumedHaveTheStepsOfAWholeOne) {
  detshim::Run killed = one_;
  killed.folder = folder_.path() / "killed";
  std::filesystem::create_directory(killed.folder);
  rules_.metrics = {loss};
  const struct {
    const char *whole, *killed, *resumed;
    bool differ, has_gap;
  } cases[] = {
      {"1 2 3 4", "1 2\n", "3 4", false, false},
      {"1 2 3 4", "1 2 3\n", "3 4", false, false},
      {"1 2 3 4", "1 2 3 4\n", "1 2 3 4", false, false},
      {"1 2 3 4", "1\n", "3 4", false, true},
      {"1 2 3 4", "1\n", "4", true, false},
      {"1 2 3 4", "1 2 3 4 5\n", "", true, false},
      {"1 2 3 4", "", "1 2 3 4 5", true, false},
      {"1 2 3 4", "1 9\n", "3 4", true, false},
      {"1 2 3 4", "1 2\n", "9 4", true, false},
      {"1 2 3 4", "1 2\n", "3 9", true, false},
      {"1 2 3 4", "1 2\n9", "3 4", false, false}, // the kill has cut the line
      {"1 2", "", "", true, false},
      {"", "1\n", "", true, false},
      {"", "", "1", true, false},
  };
  const auto metrics = [](const std::string& values) {
    std::string text;
    for (const char value : values)
      text += (value >= '0' && value <= '9' ? "loss=" : "") + std::string(1, value);
    return text;
  };
  for (std::size_t i = 0; i < std::size(cases); ++i) {
    print(one_, metrics(cases[i].whole));
    print(killed, metrics(cases[i].killed));
    print(other_, metrics(cases[i].resumed));
    const Comparison found = compare_resumed(one_, killed, other_, rules_);
    EXPECT_EQ(found.differs(), cases[i].differ) << i;
    EXPECT_EQ(found.remarks.size(), cases[i].has_gap ? 2U : 1U) << i;
    EXPECT_TRUE(found.uncompared.empty()) << i;
    EXPECT_FALSE(found.is_plain());
  }
  const auto uncompared = [&] {
    return compare_resumed(one_, killed, other_, rules_).uncompared.size();
  };
  print(one_, "");
  print(killed, "");
  print(other_, "");
  EXPECT_EQ(uncompared(), 1U) << "the metric matches nothing";
  rules_.metrics.clear();
  EXPECT_EQ(uncompared(), 1U) << "nothing is named";
  rules_.outputs = {"w"};
  add(one_, "w", "1");
  add(other_, "w", "1");
  EXPECT_EQ(uncompared(), 0U);
}

// ------------------------------------------------------------------ logs of runs

TEST(LogVerdicts, SayWhatCanDifferByFinding) {
  for (int i = 0; i <= static_cast<int>(Finding::no_draw); ++i) {
    const auto finding = static_cast<Finding>(i);
    LogVerdict verdict;
    verdict.add_what_can_differ({.finding = finding, .names = {"a.py:1", "a.py:2"}});
    verdict.add_what_can_differ({.finding = finding, .names = {"a.py:1"}});
    const bool is_clock = finding == Finding::clock_read;
    EXPECT_EQ(verdict.reads_clock, is_clock) << i;
    EXPECT_EQ(verdict.clock_lines.size(), is_clock ? 2U : 0U) << i;
    EXPECT_EQ(verdict.has_open_seeds, finding == Finding::seed_unexplained) << i;
    EXPECT_EQ(verdict.can_race, row_of(finding).settled != Settled::by_two_runs) << i;
    EXPECT_EQ(verdict.can_differ.size(), 2U) << i;
  }
}

/// A log of a program, in that folder; with further records before its end.
void write_log(const std::filesystem::path& folder, const std::string& program,
               const std::string& records = "", const std::string& run = "20261121T003512-4711") {
  std::filesystem::create_directories(folder);
  std::ofstream(folder / ("0-0-" + run.substr(run.find('-') + 1) + ".jsonl"))
      << R"({"t":"start","v":1,"detshim":"0.1.0","run":")" << run
      << R"(","pid":4711,"rank":0,"path":"0","program":")" << program
      << R"(","args":["train"],"mode":"enforce","policy":"fixed","seed":"42",)"
      << R"("seed_from":"DETSHIM_SEED","env":[]})" << '\n'
      << records << R"({"t":"end","counts":{}})" << '\n';
}

TEST(LogVerdicts, TellWhoseProgramsShowTimes) {
  const auto facts = [](const std::string& program, const std::string& records = "") {
    const TemporaryFolder folder;
    write_log(folder.path(), program, records);
    return logged_facts(folder.path().string());
  };
  for (const char* program : {"/usr/bin/env", "/home/me/bin/python3", "/x/site-packages/a/bin/run"})
    EXPECT_TRUE(facts(program).may_show_times) << program;
  EXPECT_FALSE(facts("/home/me/train").may_show_times);
  EXPECT_FALSE(facts("/home/me/train").reads_clocks);
  const std::string at = R"("at":"/home/me/train+0x10"})"
                         "\n";
  EXPECT_TRUE(facts("/home/me/train", R"({"t":"clock",)" + at).reads_clocks);
  EXPECT_FALSE(facts("/home/me/train", R"({"t":"forks",)" + at).reads_clocks);
  const TemporaryFolder two;
  write_log(two.path(), "/usr/bin/env", "", "20261121T003511-4712");
  write_log(two.path(), "/home/me/train");
  EXPECT_TRUE(logged_facts(two.path().string()).may_show_times) << "in an earlier run";
}

TEST(LogVerdicts, AreOfAllRunsOfAFolder) {
  const TemporaryFolder folder;
  EXPECT_FALSE(judge_log(folder.path().string(), {}).is_there);
  EXPECT_TRUE(judge_log(folder.path().string(), {}).passes);
  const std::string bad =
      R"({"t":"call","n":1,"thread":"0","lib":"cublas","fn":"f","do":"nondeterministic"})"
      "\n";
  const auto judged = [&](const std::string& earlier, const std::string& later,
                          std::vector<std::string> accepted) {
    const std::filesystem::path log = folder.path() / "log";
    std::filesystem::remove_all(log);
    write_log(log, "/gone/train", earlier, "20261121T003511-4712");
    write_log(log, "/gone/train", later);
    accepted.insert(accepted.end(), {"missing_file", "no_modules"});
    return judge_log(log.string(), accepted);
  };
  EXPECT_TRUE(judged("", "", {}).passes);
  EXPECT_TRUE(judged("", "", {}).is_there);
  for (const auto& [earlier, later] :
       std::vector<std::pair<std::string, std::string>>{{bad, ""}, {"", bad}}) {
    EXPECT_FALSE(judged(earlier, later, {}).passes);
    EXPECT_EQ(judged(earlier, later, {}).level, "partial");
    const LogVerdict accepted = judged(earlier, later, {"nondeterministic"});
    EXPECT_TRUE(accepted.passes);
    EXPECT_FALSE(accepted.can_differ.empty()) << "what is accepted can differ";
  }
}

// What no file of the user's draws is none of the program's generators.
TEST(Ledger, HasTheDrawsOfTheUsersLines) {
  const TemporaryFolder folder;
  const auto rows = [&](const std::string& more, const std::string& action = "pin") {
    std::vector<detshim::Run> runs(3);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      runs[i].folder = folder.path() / std::to_string(i);
      std::filesystem::remove_all(runs[i].folder);
      std::string records;
      for (std::size_t number = 1; number <= 3 - i; ++number)
        records += R"({"t":"call","n":)" + std::to_string(number) +
                   R"(,"thread":"0","lib":"libc","fn":"random","do":")" + action +
                   R"(","at":"/home/me/train+0x10")" + more + "}\n";
      write_log(runs[i].log(), "/home/me/train", records);
    }
    return draw_ledger(runs[0], runs[1], runs[2]);
  };
  const std::vector<LedgerRow> native = rows("");
  ASSERT_EQ(native.size(), 1U);
  EXPECT_EQ(native[0].whole, 3U);
  EXPECT_EQ(native[0].killed, 2U);
  EXPECT_EQ(native[0].resumed, 1U);
  EXPECT_EQ(rows(R"(,"py":["/home/me/t.py:7 main"],"user":0)").size(), 1U);
  EXPECT_EQ(rows(R"(,"py":["<frozen os>:7 f"],"user":0)").size(), 0U);
  EXPECT_EQ(rows(R"(,"py":["/x/a.py:7 f"])").size(), 0U);
  EXPECT_EQ(rows("", "observe").size(), 0U);
}

/// What a record makes suspect, where the user's line is known.
TEST(Suspects, AreByWhatTheirRecordsSay) {
  const TemporaryFolder folder;
  write_log(folder.path() / "other", "/home/me/train");
  const auto found = [&](const std::string& library, const std::string& function,
                         const std::string& action, const std::string& frames) {
    std::filesystem::remove_all(folder.path() / "one");
    write_log(folder.path() / "one", "/home/me/train",
              R"({"t":"call","n":1,"thread":"0","lib":")" + library + R"(","fn":")" + function +
                  R"(","do":")" + action + R"(","why":"so","at":"/bin/python3+0x10")" + frames +
                  "}\n");
    std::string kinds;
    for (const Suspect& suspect :
         find_suspects({folder.path() / "one", {}}, {folder.path() / "other", {}}))
      kinds += std::string(suspect_kind_names[static_cast<std::size_t>(suspect.kind)]) + ' ';
    return kinds;
  };
  const std::string users = R"(,"py":["/home/me/t.py:7 main"],"user":0)",
                    packages = R"(,"py":["/x/site-packages/a.py:7 f"])";
  EXPECT_EQ(found("libc", "rand", "pin", users), "");
  EXPECT_EQ(found("libc", "rand", "nondeterministic", users), "nondeterministic ");
  EXPECT_EQ(found("cublas", "cublasSgemm", "nondeterministic", packages), "nondeterministic ");
  EXPECT_EQ(found("libc", "readdir", "observe", packages), "folder ");
  EXPECT_EQ(found("libx", "readdir", "observe", packages), "");
  EXPECT_EQ(found("libc", "pthread_create", "observe", users), "threads ");
  EXPECT_EQ(found("libc", "pthread_create", "observe", packages), "");
  EXPECT_EQ(found("libc", "clock_gettime", "observe", users), "clock ");
  EXPECT_EQ(found("libc", "clock_gettime", "observe", packages), "");
  EXPECT_EQ(found("libc", "clock_gettime", "pin", users), "");
  EXPECT_EQ(found("libc", "open", "observe", users), "");
}

TEST(Suspects, AreVariablesThatTheRunsDidNotHaveAlike) {
  const TemporaryFolder folder;
  int number = 0;
  const auto log = [&](const std::string& hashes) {
    const std::filesystem::path path = folder.path() / std::to_string(++number);
    write_log(path, "/home/me/train",
              hashes.empty() ? "" : R"({"t":"variables","hashes":{)" + hashes + "}}\n");
    return path.string();
  };
  const auto count = [&](const std::string& one, const std::string& other) {
    return find_suspects({log(one), {}}, {log(other), {}}).size();
  };
  EXPECT_EQ(count(R"("A":"1")", R"("A":"1")"), 0U);
  EXPECT_EQ(count(R"("A":"1")", R"("A":"2")"), 1U);
  EXPECT_EQ(count(R"("A":"1","B":"1")", R"("A":"1")"), 1U);
  EXPECT_EQ(count(R"("A":"1")", R"("A":"1","B":"1")"), 1U);
  EXPECT_EQ(count("", R"("A":"1")"), 0U) << "one log does not say";
  EXPECT_EQ(count(R"("A":"1")", ""), 0U);
}

TEST(FirstCauses, AreLookedForWhereRunsDiffer) {
  const TemporaryFolder folder;
  std::vector<detshim::Run> runs(3);
  std::vector<LogVerdict> logs(3);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].folder = folder.path() / std::to_string(i);
    write_log(runs[i].log(), "/home/me/train");
  }
  std::vector<Comparison> comparisons(2);
  comparisons[0].other_index = 1;
  comparisons[1].other_index = 2;
  const auto found = [&] {
    return find_first_cause(comparisons, runs, logs);
  };
  EXPECT_FALSE(found());
  comparisons[1].differences.emplace_back();
  ASSERT_TRUE(found());
  EXPECT_EQ(found()->log + found()->other_log, "") << "neither left a log";
  logs[2].is_there = true;
  EXPECT_FALSE(found()->difference) << "the second one alone left a log";
  logs[2].is_there = false;
  logs[0].is_there = true;
  EXPECT_EQ(found()->log, runs[0].log());
  EXPECT_EQ(found()->other_log, "");
  EXPECT_FALSE(found()->difference);
  EXPECT_EQ(found()->command(), "");
  logs[2].is_there = true;
  EXPECT_EQ(found()->other_log, runs[2].log());
  EXPECT_TRUE(found()->difference);
  EXPECT_FALSE(found()->is_found());
  EXPECT_NE(found()->command(), "");
  comparisons[1].is_resumed = true;
  EXPECT_FALSE(found()->difference);
  EXPECT_EQ(found()->log, "");
}

} // namespace
