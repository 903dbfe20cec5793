// Of all that differs in a rank, what may have been first.
#pragma once

#include "log_diff/difference.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace detshim {

class Causes {
public:
  /// There is such a rank.
  void add_rank(const ProcessName& process) { of(process); }
  void add(Cause cause);

  /// By job and rank, the most telling first, and who received what from others.
  std::vector<RankDifference> take();

private:
  RankDifference& of(const ProcessName& process);

  std::map<std::pair<std::string, std::int64_t>, RankDifference> ranks_;
};

/// Something that a program printed, wrote or sent: it shows what went wrong before.
bool is_digest_of_host(const Cause& cause);

/// What the cause is among the others of its rank: 0 is the most telling. Causes of the first two
/// kinds come before all records.
int strength(const Cause& cause);

} // namespace detshim
