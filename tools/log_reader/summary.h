// A log's calls, grouped for a reader: worst first, then by library and symbol. And the jobs of its
// ranks: how many each has by what its launcher says, and which of them have shown themselves.
#pragma once

#include "log_reader/log.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace detshim {

/// Values that a symbol's records carried.
struct Example {
  std::vector<Field> fields;
  CallCount count;
};

/// Where calls came from.
struct CallPlace {
  std::string at;
  std::vector<std::string> frames; ///< as in Call
  PythonFrames python;
  CallCount count;
};

/// All calls of one symbol that met one action. Lists hold each distinct entry once, most calls
/// first.
struct SymbolSummary {
  Action action = Action::none;
  std::string library, function;
  CallCount count;
  std::vector<Example> examples;
  std::uint64_t examples_left_out =
      0; ///< records with other values: of very many, not all are kept
  std::vector<std::string> reasons;
  std::vector<CallPlace> places;
  const SymbolCalls* calls = nullptr; ///< in the log
};

struct Summary {
  std::size_t ranks = 0, processes = 0, threads = 0;
  CallCount totals[action_count];
  std::vector<SymbolSummary> symbols;
  std::vector<Library> libraries;             ///< distinct
  std::vector<EnvironmentChange> environment; ///< distinct
  std::vector<NotedVariable> noted;           ///< distinct
  std::vector<SettingReader> readers;         ///< distinct
  ActionCounts unrecorded{};                  ///< counted, but the record is lost
  std::uint64_t missing_records = 0;          ///< by gaps in the numbers of threads' records
  std::vector<const Process*> without_end;
  std::size_t without_counts = 0; ///< processes whose counts could not be read

  CallCount total(Action action) const { return totals[static_cast<std::size_t>(action)]; }
  std::uint64_t lost(Action action) const { return unrecorded[static_cast<std::size_t>(action)]; }
  /// Calls of that action, whether their records could be read or not.
  std::uint64_t calls(Action action) const {
    return saturated_sum(total(action).calls, lost(action));
  }
};

/// Puts the calls of `log` in order, which must live as long as the summary.
Summary summarise(const Log& log);

/// What one launcher started, or several of them together.
struct LoggedJob {
  std::string name;             ///< empty for the first of a run
  std::string launcher;         ///< its program; empty if it is not known
  std::int64_t size = 0;        ///< ranks, by what they were told; 0 if none said it
  std::set<std::int64_t> ranks; ///< that have shown themselves

  /// So many of its ranks have not. 1 for a launcher of which no rank is known.
  std::size_t missing() const;
  /// The first few of those: "2", "3", "11 more".
  std::vector<std::string> missing_names() const;
};

std::vector<LoggedJob> jobs_of(const Log& log);

/// The machine that a rank of that job ran on; empty if it is not known.
std::string node_of(const Log& log, const std::string& job, std::int64_t rank);

/// How many ranks that job has; 0 if it is not known.
std::int64_t size_of_job(const Log& log, const std::string& job);

} // namespace detshim
