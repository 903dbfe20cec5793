// What the logs of two runs that differ say of the cause.
#pragma once

#include "log_diff/difference.h"
#include "log_diff/suspects.h"
#include "report/style.h"
#include "verify/allocations.h"
#include "verify/comparison.h"
#include "verify/log_verdict.h"
#include "verify/run_once.h"

#include <optional>
#include <string>
#include <vector>

namespace detshim {

/// Of the first run and the first that differs from it.
struct FirstCause {
  std::string one, other;                  ///< names of the runs
  std::string log, other_log;              ///< folders; empty: nothing was recorded there
  std::optional<LogDifference> difference; ///< nothing: the logs could not be compared
  /// Where no cause was found: why; beside an output, which shows what went past every record: the logs'
  /// verdict. Safe to print.
  std::string text;
  std::vector<Suspect> suspects; ///< where there is such a text

  bool is_found() const { return difference && difference->first_cause() != nullptr; }
  /// "srand, train.cpp:6 main"; empty where no cause was found.
  std::string place() const;
  /// The command that shows the whole difference; empty where there is no pair of logs.
  std::string command() const;
};

/// Nothing where none of the comparisons, each with the first run, found a difference. `logs`: of each run.
/// `searches`: what further runs have found of a perturbation; that takes the place of what it may be.
std::optional<FirstCause> find_first_cause(const std::vector<Comparison>& comparisons,
                                           const std::vector<Run>& runs, const std::vector<LogVerdict>& logs,
                                           const std::vector<AllocationSearch>& searches);

/// For people: a few lines, and the command.
std::vector<std::string> describe_first_cause(const FirstCause& cause, Style style);

} // namespace detshim
