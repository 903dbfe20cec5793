// The jobs of a run's ranks: how many each has by what its launcher says, and which of them have shown
// themselves.
#pragma once

#include "log_reader/log.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace detshim {

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
