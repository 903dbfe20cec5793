// Runs a program several times under one seed and compares what came of it.
#pragma once

#include "verify/comparison.h"
#include "verify/perturbations.h"
#include "verify/resumed.h"
#include "verify/run_end.h"
#include "verify/run_logs.h"
#include "verify/run_once.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace detshim {

/// Call sites that seed, for people.
struct SeedsOfCallSites {
  std::vector<std::string> changing; ///< from run to run
  std::vector<std::string> constant; ///< might have changed, and did not
};

/// What is to be done.
struct VerifyPlan {
  std::vector<std::string> command;
  std::string seed; ///< for people
  Mode mode = Mode::enforce;
  std::string disabled; ///< what the user leaves alone in all runs, as DETSHIM_DISABLE has it
  std::filesystem::path folder;    ///< for what the runs leave; must not be there yet
  std::optional<std::size_t> runs; ///< nothing: two, or wanted_runs()
  bool has_control = false;
  std::vector<const Perturbation*> perturbations;
  std::optional<double> budget_s;   ///< so long all runs together are to take; nothing: two minutes
  std::optional<RunEnd> kill_after; ///< one more run is killed there, and started again
  std::optional<RunEnd> until;      ///< each run is ended there
  ComparisonRules rules;
  std::vector<std::string> accepted; ///< reasons that the user answers for
  RunOptions run;                    ///< how each run is to be
  std::size_t timeout_s = 0;         ///< for each, in seconds; 0: none
  bool has_fresh_cache = false;      ///< caches are empty as a run begins
  /// Keeps, for later runs, which seeds changed from one run's log to the other's.
  std::function<SeedsOfCallSites(const std::string& log, const std::string& other)> learn_seeds;
};

enum class Answer { equal, different, unverified };

const char* answer_name(Answer answer);

/// Why equality would prove nothing, or too little.
struct Problem {
  const char* kind = "";           ///< one of those in docs/VERIFY.md
  std::string text;                ///< not safe to print
  bool spoils_differences = false; ///< what differs may come of this alone
};

struct Verification {
  Answer answer = Answer::unverified;
  std::vector<Run> controls, runs; ///< runs: the plain ones, then those with a perturbation turned
  std::vector<LogVerdict> logs;    ///< of each of `runs`
  std::optional<Run> killed, resumed;                       ///< of --resume
  std::vector<LedgerRow> ledger;                            ///< of --resume
  std::vector<Comparison> control_comparisons, comparisons; ///< each with the first run
  std::optional<FirstCause> first_cause;                    ///< where runs differ
  std::vector<Problem> problems;
  std::vector<std::string> remarks;
  SeedsOfCallSites learned_seeds;               ///< what the first runs showed
  std::size_t runs_before = 0;                  ///< so many; they were not compared
  std::vector<std::string> environment_changes; ///< while the runs ran; safe to print
  std::size_t plain_runs = 0;
  double began = 0, ended = 0; ///< the first run, and the last; in seconds since 1970
  /// Of what the first run left, by kind and subject; and of the "environment" file and the
  /// "library".
  std::map<std::pair<std::string, std::string>, std::string> sha256;
  std::string library_build; ///< the library's build id
  double bound = 1;          ///< see differing_rate_bound(); 1 where nothing is known
};

/// How many of the runs may still differ, at 95 % confidence, when `runs` of them were equal: the
/// largest p with (1-p)^(runs-1) >= 0.05. Not `runs`, since the first run may itself be an unusual
/// one.
double differing_rate_bound(std::size_t runs);

/// So many equal runs bound the rate at `rate`.
std::size_t runs_for_bound(double rate);

/// So many runs of a program that can differ, where nobody said how many: as many as fit in two
/// minutes, five at most; or as fit in the user's budget, up to the number that rules out one of
/// twenty. At least two, and three where a race may come out the same in two. `seconds`: what one
/// takes.
inline std::size_t wanted_runs(double seconds, bool can_race, std::optional<double> budget_s) {
  constexpr double patience_s = 120, few = 5, small_rate = 0.05;
  const double most = budget_s ? static_cast<double>(runs_for_bound(small_rate)) : few;
  const double fitting = seconds > 0 ? std::floor(budget_s.value_or(patience_s) / seconds) : most;
  return static_cast<std::size_t>(std::clamp(fitting, can_race ? 3.0 : 2.0, most));
}

/// Throws UsageError, or Interrupted; outputs are as they were then.
Verification verify_program(const VerifyPlan& plan);

} // namespace detshim
