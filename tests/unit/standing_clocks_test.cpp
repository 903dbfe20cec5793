// Which numbers are told to be times, by what is printed while clocks stand still.
#include "verify/pattern.h"
#include "verify/standing_clocks.h"

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
  const char *usual, *standing; ///< what is printed
  const char* later;            ///< a line of another run
  Words times, rates;           ///< in it
};

class StandingLines : public testing::TestWithParam<Row> {};

TEST_P(StandingLines, TellTimesFromResults) {
  const Row& row = GetParam();
  const StandingFormats formats = find_standing_formats({{row.usual, row.standing}});
  EXPECT_EQ(passed_over(formats.times, row.later), row.times);
  EXPECT_EQ(passed_over(formats.rates, row.later), row.rates);
}

// A row of another table may look like it.
TEST(StandingClocks, AreLookedForInAllTexts) {
  const TextOfBoth times{"1,0.51", "1,0.00"}, results{"1,0.77", "1,0.77"};
  EXPECT_EQ(find_standing_formats({times}).times.size(), 1u);
  EXPECT_TRUE(find_standing_formats({times, results}).times.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Rows, StandingLines,
    testing::Values(
        Row{"gemm: 1.6672 s\n", "gemm: 0.0000 s\n", "gemm: 2.25 s", {"2.25"}, {}},
        Row{"Wall time: 1.19", "Wall time: 0.00", "Wall time: 11.30", {"11.30"}, {}},
        Row{"Duration: 0:00:17.30", "Duration: 0:00:00.00", "Duration: 0:00:18.21", {"18.21"}, {}},
        Row{"[  2.1066] step 3 of 7",
            "[  0.0000] step 3 of 7",
            "[ 12.1] step 5 of 7",
            {"12.1"},
            {}},
        Row{"gemm: 1.80 GFLOP/s", "gemm: inf GFLOP/s", "gemm: 2.1 GFLOP/s", {}, {"2.1"}},
        Row{"8.1 it/s", "3000000000.0 it/s", "7.9 it/s", {}, {"7.9"}},
        Row{"loss 0.51 in 3.2 s, 12.5 it/s",
            "loss 0.51 in 0.0 s, -nan it/s",
            "loss 0.77 in 3.4 s, 11.5 it/s",
            {"3.4"},
            {"11.5"}},
        // a moment, which is known for one
        Row{"\1 INFO fit 0.5 s", "\1 INFO fit 0.0 s", "18:43:01,123 INFO fit 0.6 s", {"0.6"}, {}},
        // another result, by a clock that was a seed
        Row{"pi = 3.1434, took 0.12 s",
            "pi = 3.1389, took 0.00 s",
            "pi = 3.14, took 0.1 s",
            {},
            {}},
        // what is counted may be a result
        Row{"slow: 3", "slow: 0", "slow: 4", {}, {}},
        // a kind of line that has a result elsewhere
        Row{"a: 0.51 s\na: 0.77 s\n", "a: 0.00 s\na: 0.77 s\n", "a: 0.6 s", {}, {}},
        // the program did something else
        Row{"a: 0.51 s\nb\n", "a: 0.00 s\n", "a: 0.6 s", {}, {}},
        Row{"took 0.5 s", "was 0.0 s", "took 0.4 s", {}, {}},
        Row{"x1.5 y", "x0.0 y", "x1.7 y", {}, {}}));

} // namespace
