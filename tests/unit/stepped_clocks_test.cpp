// Which numbers are told to be times, by what is printed while clocks go by steps.
#include "verify/pattern.h"
#include "verify/stepped_clocks.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

using namespace detshim;

namespace {

using Words = std::vector<std::string>;

/// The numbers of a line of a later run that are passed over.
Words passed_over(const std::vector<std::string>& formats, const std::string& line) {
  Words found;
  for (const std::string& format : formats)
    Pattern(format, "").each_match(line, [&](Span, Span group) {
      found.emplace_back(group.of(line));
    });
  return found;
}

struct Row {
  const char *usual, *once, *twice; ///< what is printed
  const char* later;                ///< a line of another run
  Words times, rates;               ///< in it
};

class SteppedLines : public testing::TestWithParam<Row> {};

TEST_P(SteppedLines, TellTimesFromResults) {
  const Row& row = GetParam();
  const SteppedFormats formats = find_stepped_formats({{row.usual, row.once, row.twice}});
  EXPECT_EQ(passed_over(formats.times, row.later), row.times);
  EXPECT_EQ(passed_over(formats.rates, row.later), row.rates);
}

// A row of another table may look like it.
TEST(SteppedClocks, AreLookedForInAllTexts) {
  const SteppedText times{"1,0.51", "1,1.25", "1,2.50"}, results{"1,0.77", "1,0.77", "1,0.77"};
  EXPECT_EQ(find_stepped_formats({times}).times.size(), 1u);
  EXPECT_TRUE(find_stepped_formats({times, results}).times.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Rows, SteppedLines,
    testing::Values(
        Row{"gemm: 1.6672 s", "gemm: 1.2500 s", "gemm: 2.5000 s", "gemm: 2.25 s", {"2.25"}, {}},
        Row{"a 0.0 s\na 1.1 s", "a 0.0 s\na 1.2 s", "a 0.0 s\na 2.5 s", "a 7.1 s", {"7.1"}, {}},
        Row{"Duration: 0:00:17.30",
            "Duration: 0:00:01.25",
            "Duration: 0:00:02.50",
            "Duration: 0:00:18.21",
            {"18.21"},
            {}},
        Row{"[  2.1066] step 3",
            "[  1.2500] step 3",
            "[  2.5000] step 3",
            "[ 12.1] step 5",
            {"12.1"},
            {}},
        Row{"gemm: 1.80 GFLOP/s",
            "gemm: 0.50 GFLOP/s",
            "gemm: 0.25 GFLOP/s",
            "gemm: 2.1 GFLOP/s",
            {},
            {"2.1"}},
        Row{"loss 0.51 in 3.2 s, 12.5 it/s",
            "loss 0.51 in 1.3 s, 51.2 it/s",
            "loss 0.51 in 2.5 s, 25.6 it/s",
            "loss 0.77 in 3.4 s, 11.5 it/s",
            {"3.4"},
            {"11.5"}},
        // a moment, which is known for one
        Row{"\1 INFO fit 0.5 s",
            "\1 INFO fit 1.2 s",
            "\1 INFO fit 2.5 s",
            "18:43:01,123 INFO fit 0.6 s",
            {"0.6"},
            {}},
        // a result, by a clock that was a seed, a limit, a weight or a choice
        Row{"pi = 3.1434, took 0.12 s",
            "pi = 3.1389, took 1.25 s",
            "pi = 3.1389, took 2.50 s",
            "pi = 3.14, took 0.1 s",
            {},
            {}},
        Row{"size 8.636", "size 1.060", "size 1.060", "size 9.704", {}, {}},
        Row{"loss 3.5196", "loss 8.9995", "loss 8.9997", "loss 3.4489", {}, {}},
        Row{"p 0.31", "p nan", "p nan", "p 0.52", {}, {}},
        Row{"share 0.189", "share 0.000", "share 0.000", "share 0.223", {}, {}},
        // too few digits to tell, and what is counted
        Row{"lr 0.5", "lr 0.1", "lr 0.2", "lr 0.4", {}, {}},
        Row{"slow: 31", "slow: 20", "slow: 40", "slow: 33", {}, {}},
        // a kind of line that has a result elsewhere
        Row{"a: 0.51 s\na: 0.77 s",
            "a: 1.25 s\na: 0.77 s",
            "a: 2.50 s\na: 0.77 s",
            "a: 0.6 s",
            {},
            {}},
        // the program did something else
        Row{"a: 0.51 s\nb", "a: 1.25 s", "a: 2.50 s", "a: 0.6 s", {}, {}},
        Row{"took 0.5 s", "was 1.2 s", "was 2.5 s", "took 0.4 s", {}, {}}));

} // namespace
