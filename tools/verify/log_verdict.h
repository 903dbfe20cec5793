// What the log of one run amounts to.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace detshim {

struct LogVerdict {
  bool is_there = false;
  bool passes = true; ///< nothing definite was seen, and the log says all: the rest a comparison settles
  std::string level;  ///< "covered"; empty where nothing was drawn
  std::set<std::string> can_differ;              ///< keys_of() its reasons, and those that were accepted
  std::vector<std::string> reasons;              ///< "kernels: ...", worst first; not safe to print
  std::map<std::int64_t, std::string> processes; ///< "rank 0, 0.2", by their ids
};

/// Reads all runs in the log folder. `accepted`: reasons that the user answers for.
LogVerdict judge_log(const std::string& folder, const std::vector<std::string>& accepted);

/// Of all runs in the folder, the processes by their ids; none without a log.
std::map<std::int64_t, std::string> logged_processes(const std::string& folder);

/// True for a program of which it is known that no preload reaches it: it is linked statically.
bool is_out_of_reach(const std::string& program);

} // namespace detshim
