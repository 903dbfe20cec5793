// Compares what two runs printed, line by line. Two lines that differ in nothing but what names the
// moment or the process of their run hold the same result.
#pragma once

#include "verify/pattern.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace detshim {

/// What is known of a run, to tell its own times and processes by.
struct RunFacts {
  double began = 0, ended = 0;                   ///< in seconds since 1970
  std::map<std::int64_t, std::string> processes; ///< their names by their ids
  bool reads_clocks = false;  ///< the user's own code does: it may print how long something took
  bool may_show_times = true; ///< so may a package or an interpreter, whose clocks are its own
};

class VolatileText {
public:
  /// `declared`: what the user says is volatile. `formats`: how lines look that show times, each
  /// with a group around one (verdict/shown_times.h, stepped_clocks.h); `rates`: the same of
  /// rates, which may be any number.
  explicit VolatileText(std::vector<Pattern> declared, std::vector<Pattern> formats = {},
                        std::vector<Pattern> rates = {});

  /// The line with a name in angle brackets in place of each such part. A time of day, a date with
  /// one and a number of seconds since 1970 count only where they name a moment within the run, a
  /// number as a process only where it is the id of one of the run's, and in the other run of the
  /// same one, and a number below 1000 only where the line calls it one: a result is not taken for
  /// one of them. A duration counts where the line calls it one ("took 0.31 s"; "waiting time 0.31
  /// s" of a program that reads clocks alone), or, of a program that reads clocks, has it in
  /// brackets ("(0.31s)") or where a format has one, and the run took as long; rates
  /// ("31.2it/s") and tqdm's times do, and what detshim's own variable for the run holds.
  /// `origins`: where each character of the result stands in the line.
  std::string masked(std::string_view line, const RunFacts& run,
                     std::vector<std::size_t>* origins = nullptr) const;

private:
  std::vector<Pattern> declared_, formats_, rates_;
  Pattern date_, clock_, epoch_, number_, duration_, timed_, meter_, bracketed_, rate_, own_;
};

/// The line with `name` in place of the first group of each match.
std::string with_groups_replaced(std::string_view line, const std::vector<Pattern>& patterns,
                                 std::string_view name);

/// Two lines that stand at the same place.
struct LinePair {
  std::uint64_t line = 0; ///< from 1
  std::string value, other_value;
  bool are_lines = false; ///< false: one is not there, or they are what ends the lines, in words
  std::size_t at = 0, other_at = 0; ///< where they begin to differ, but for what is volatile
};

struct LineComparison {
  std::uint64_t lines = 0;        ///< the longer of the two
  std::uint64_t with_content = 0; ///< lines that are equal, and hold more than what is volatile
  std::uint64_t different = 0;
  LinePair first_different;
  std::uint64_t volatile_lines = 0; ///< equal but for times, processes and what the user declared
  LinePair first_volatile;
  std::uint64_t overwritten = 0; ///< states of lines, by carriage returns: not compared
  std::uint64_t tolerated = 0;   ///< equal but for metrics, which are compared with a tolerance
  bool has_other_bytes = false;
};

/// A line of one run, and the same without its times (VolatileText::masked()).
struct ComparedLine {
  std::string_view printed, without_times;
};

/// Is called with two lines that stand at the same place, and their number from 1; a line that is
/// not there is empty.
using VisitLines = std::function<void(const ComparedLine&, const ComparedLine&, std::uint64_t)>;

/// What may differ in a line.
struct LineRules {
  const VolatileText& volatile_text;
  const std::vector<Pattern>& tolerated_metrics; ///< empty: metrics are compared as text too
  std::set<std::uint64_t>* different =
      nullptr;           ///< where not null: the numbers of lines that differ
  VisitLines visit = {}; ///< where there is one
};

/// What ends a line has to be the same too, but in a volatile one. Of a line that a progress bar
/// overwrites, the last state counts: when it does is a matter of time.
LineComparison compare_lines(std::string_view one, const RunFacts& run, std::string_view other,
                             const RunFacts& other_run, const LineRules& rules);

/// The text up to its last line end.
std::string_view whole_lines(std::string_view text);

/// So many lines of it, or all.
std::string_view first_lines(std::string_view text, std::size_t lines);

/// Calls visit(line, its number from 1) for each. A carriage return ends a line too, as progress
/// bars use it.
void each_line(std::string_view text,
               const std::function<void(std::string_view, std::uint64_t)>& visit);

} // namespace detshim
