// What a log's records say of pools: a step of its own, since two families of findings ask.
#pragma once

#include "log_reader/log.h"
#include "log_reader/pool.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace detshim {

class LoggedPools {
public:
  explicit LoggedPools(const Log& log);

  /// Pools whose workers race, and how many calls report it; of a queue, how many processes fill
  /// it.
  const std::map<Pool, std::uint64_t>& racing() const { return racing_; }

  /// True if all pools of that kind give their workers tasks in turn.
  bool are_dealt(const std::string& kind) const { return kinds_dealt_.contains(kind); }

  /// Of those that deal, the pools that a line of the user's made.
  const std::set<Pool>& users() const { return users_; }

  /// The lines, "train.py:7", that made pools that deal.
  const std::set<std::string>& lines_dealt() const { return lines_dealt_; }

private:
  void add(const Process& process, const Call& call, const CallCount& count);

  std::map<Pool, std::uint64_t> racing_;
  std::set<std::string> kinds_dealt_, kinds_raced_, lines_dealt_, filled_;
  std::set<Pool> users_;
};

/// "train.py:7"; empty where no line is known.
std::string line_of(const Pool& pool);

} // namespace detshim
