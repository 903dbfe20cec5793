// Compares what a run prints while it goes on with what the first one printed.
#pragma once

#include "verify/compared_texts.h"
#include "verify/run_once.h"

#include <cstddef>
#include <filesystem>
#include <map>

namespace detshim {

class RunningComparison {
public:
  /// `log`: where the run that goes on writes its log. The first run's facts are known
  /// (Run::has_logged_facts).
  RunningComparison(const Run& first, const ComparisonRules& rules, std::filesystem::path log)
      : first_(first), rules_(rules), log_(std::move(log)) {}

  /// True if a whole line that was printed since the last call differs from the first run's, but
  /// for what may differ in it. Never in the first seconds of a run.
  bool has_differed(const Run& now);

private:
  struct Position {
    std::size_t first = 0, now = 0; ///< bytes that were compared
  };
  bool has_differed(const Run& now, PrintedStream stream);

  const Run& first_;
  const ComparisonRules& rules_;
  std::filesystem::path log_;
  std::map<PrintedStream, Position> compared_;
  bool is_given_up_ = false;
};

} // namespace detshim
