// What in a line of output names the moment or the process of its run: two lines that differ in nothing else
// hold the same result.
#pragma once

#include "verify/pattern.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace detshim {

/// What is known of a run, to tell its own times and processes by.
struct RunFacts {
  double began = 0, ended = 0;                   ///< in seconds since 1970
  std::map<std::int64_t, std::string> processes; ///< their names by their ids
};

class VolatileText {
public:
  /// `declared`: what the user says is volatile.
  explicit VolatileText(std::vector<Pattern> declared);

  /// The line with a name in angle brackets in place of each such part. A time of day, a date with one and a
  /// number of seconds since 1970 count only where they name a moment within the run, a number as a process
  /// only where it is the id of one of the run's, and in the other run of the same one, and a number below
  /// 1000 only where the line calls it one: a result is not taken for one of them. A duration counts where
  /// the line calls it one ("took 0.31 s") and the run took as long; rates ("31.2it/s") and tqdm's times do,
  /// and what detshim's own variable for the run holds.
  std::string masked(std::string_view line, const RunFacts& run) const;

private:
  std::vector<Pattern> declared_;
  Pattern date_, clock_, epoch_, number_, duration_, rate_, own_;
};

/// The line with `name` in place of the first group of each match.
std::string with_groups_replaced(std::string_view line, const std::vector<Pattern>& patterns,
                                 std::string_view name);

} // namespace detshim
