// What the logs of runs say: what each amounts to; where two runs differ, the cause; and, with
// DETSHIM_FINGERPRINT, contents that a GPU gave and nothing printed.
#pragma once

#include "log_diff/difference.h"
#include "log_diff/suspects.h"
#include "report/style.h"
#include "verdict/finding.h"
#include "verify/comparison.h"
#include "verify/run_once.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace detshim {

struct LogVerdict {
  bool is_there = false;
  bool passes =
      true; ///< nothing definite was seen, and the log says all: the rest a comparison settles
  std::string level;                ///< "covered"; empty where nothing was drawn
  std::set<std::string> can_differ; ///< keys_of() its reasons, and those that were accepted
  bool can_race = false;            ///< something of it may come out the same in two runs by chance
  bool reads_clock = false;         ///< a line of the user's code does
  bool has_open_seeds = false;      ///< whose change from run to run a comparison has to show
  std::vector<std::string> clock_lines;          ///< those that do more with it than show it
  std::vector<std::string> reasons;              ///< "kernels: ...", worst first; not safe to print
  std::map<std::int64_t, std::string> processes; ///< "rank 0, 0.2", by their ids

  void add_what_can_differ(const VerdictReason& reason);
};

/// Reads all runs in the log folder. `accepted`: reasons that the user answers for.
LogVerdict judge_log(const std::string& folder, const std::vector<std::string>& accepted);

/// Of all runs in a log folder; nothing without a log.
struct LoggedFacts {
  std::map<std::int64_t, std::string> processes; ///< their names by their ids
  bool reads_clocks = false;                     ///< a line of the user's code does
  bool may_show_times = false; ///< a program that is not the user's ran: its clocks are in no log
  std::vector<std::string> shown_formats; ///< find_shown_formats()
};
LoggedFacts logged_facts(const std::string& folder);

/// True for a program of which it is known that no preload reaches it: it is linked statically.
bool is_out_of_reach(const std::string& program);

/// Of the first run and the first that differs from it.
struct FirstCause {
  std::string one, other;                  ///< names of the runs
  std::string log, other_log;              ///< folders; empty: nothing was recorded there
  std::optional<LogDifference> difference; ///< nothing: the logs could not be compared
  /// Where no cause was found: why; beside an output, which shows what is in no record: the
  /// logs' verdict. Safe to print.
  std::string text;
  std::vector<Suspect> suspects;        ///< where there is such a text
  std::vector<std::string> clock_lines; ///< of these, the lines whose clocks can be made to stand

  bool is_found() const { return difference && difference->first_cause() != nullptr; }
  /// "srand, train.cpp:6 main"; empty where no cause was found.
  std::string place() const;
  /// "--freeze train.py:12", with which clocks that may be the cause stand still; empty where none
  /// is.
  std::string option() const;
  /// The command that shows the whole difference; empty where there is no pair of logs.
  std::string command() const;
};

/// Nothing where none of the comparisons, each with the first run, found a difference. `logs`: of
/// each run.
std::optional<FirstCause> find_first_cause(const std::vector<Comparison>& comparisons,
                                           const std::vector<Run>& runs,
                                           const std::vector<LogVerdict>& logs);

/// For people: a few lines, and the command.
std::vector<std::string> describe_first_cause(const FirstCause& cause, Style style);

/// True where the runs were to be fingerprinted, as the environment has it.
bool are_fingerprinted();

/// Adds the first output of a copy or a library call that differs, with how many do. What the
/// program prints, writes and sends itself is not looked at: it is compared where it arrives, and
/// often holds a time.
void compare_fingerprints(const std::string& log, const std::string& other_log, Comparison& result);

} // namespace detshim
