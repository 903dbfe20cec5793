// Clocks whose value is a seed alone.
#pragma once

#include "verdict/finders.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace detshim {

/// Calls of clocks whose value went to a function that seeds, where detshim gave another seed, and
/// nowhere else: `srand(time(0))`.
class PinnedClocks {
public:
  explicit PinnedClocks(const VerdictInputs& inputs);

  /// `at`: the call of the clock.
  bool contain(const std::string& at) const;

private:
  const std::set<std::string>& changed_;
  std::map<std::string, std::set<std::uint64_t>> seeds_; ///< return addresses by file
};

} // namespace detshim
