// The environments of runs: handed over as one begins, completed once its log is there, compared.
#pragma once

#include "environment/capture.h"
#include "environment/environment_difference.h"
#include "environment/kept_environments.h"
#include "log_diff/facts.h"
#include "log_reader/log.h"
#include "report/style.h"
#include "verdict/verdict.h"

#include <nlohmann/json_fwd.hpp>

#include <iosfwd>
#include <string>
#include <vector>

namespace detshim {

struct RunEnvironment {
  Environment environment;
  std::string file;         ///< where it is kept, or was to be
  std::string remark;       ///< what a reader of the log should know, safe to print; empty: nothing
  std::string why_not_kept; ///< safe to print; empty where that says nothing new
  bool is_kept = false;
};

/// Of the run of a log, on this machine if several have one: as it is kept, or completed by the log
/// and kept, if the folder can be written to, no process of it may still run, and this is its
/// machine. `again`: by the log anew though it is complete; so is one whose log has grown since.
RunEnvironment complete_environment(const Log& log, bool again);

/// What else there is to judge a run by: what it left to the next, and the evidence beside the
/// program, in the folder that it ran in, else in this one. Says on stderr which file cannot be
/// used.
BesidesLog besides_log(const Log& log, const Environment& environment);

/// As a member of `detshim log --json`: docs/ENVIRONMENT.md.
nlohmann::ordered_json run_environment_json(const RunEnvironment& environment);

/// What of `before`, captured in this folder, is otherwise now, safe to print: but for what git
/// does not follow.
std::vector<std::string> changes_since(const Environment& before);

/// Of two runs, each in a folder: by the machines that have one.
struct RunsCompared {
  EnvironmentComparison comparison;
  std::string unknown; ///< why they cannot be compared at all, safe to print; empty: they were
};
/// `a` and `b`: log folders, or FOLDER/RUN, as compare_logs() takes them; `run_a`, `run_b`: which
/// runs those were.
RunsCompared compare_run_environments(const std::string& a, const std::string& run_a,
                                      const std::string& b, const std::string& run_b);

/// Those of a run, or in a file, by their machines. What `run` captured as it began is completed,
/// so that all have been asked the same.
KeptEnvironments complete_environments(const std::string& place, const std::string& run);

/// Of a run on one machine, what its libraries were, as a log's facts are named: for
/// compare_logs().
Facts library_facts(const std::string& folder, const std::string& run);

/// The worst few, a count of the rest and how to see it; nothing where nothing differs and all is
/// known.
void print_environments(std::ostream& out, const RunsCompared& compared, const std::string& a,
                        const std::string& b, Style style);

/// Section by section, all of it.
void print_comparison(std::ostream& out, const EnvironmentComparison& comparison, Style style);

/// One object: docs/ENVIRONMENT.md.
nlohmann::ordered_json comparison_json(const EnvironmentComparison& comparison);

} // namespace detshim
