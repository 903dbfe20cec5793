// What can be turned from outside, so that what is hidden shows: one table.
#pragma once

#include "log_diff/suspects.h"
#include "verify/run_once.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace detshim {

/// One way to turn something, with all that follows from it.
struct Perturbation {
  const char* name;
  const char* what;                              ///< "another address-space layout"
  void (*turn)(RunSettings& settings) = nullptr; ///< before the run
  void (*turn_in_child)() = nullptr;             ///< of the environment
  bool is_loaded = false;                        ///< all processors are kept busy
  bool (*is_possible)() = nullptr;               ///< null: everywhere
  bool is_chosen_by_default = true;
  bool needs_clock_readings = false; ///< says nothing of a program none of whose lines reads one
  bool is_log_passed_over = false;   ///< what its log says is its own doing
  std::vector<SuspectKind> suspects = {}; ///< that it can have turned
  /// What of the log's settings it changes: no cause, but what makes one show.
  std::set<std::string> settings = {};
  std::optional<Suspect> shown = {}; ///< by a difference under it, whatever the logs hold
};

/// The perturbations named in "aslr,load"; those chosen by default for an empty text. Throws
/// UsageError for a name that no perturbation has.
std::vector<const Perturbation*> choose_perturbations(const std::string& list);

/// All of them.
std::vector<std::string> perturbation_names();

} // namespace detshim
