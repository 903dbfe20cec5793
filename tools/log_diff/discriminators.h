// Of a call that gave something else for the same: under which of its attributes it did, and under which
// never.
#pragma once

#include "log_diff/difference.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace detshim {

class Discriminators {
public:
  /// A call that differs in what came out.
  void add_diverging(const Call& call);

  /// By function and attributes; the rest of each function's records is looked for in `run`.
  std::vector<Discriminator> take(const LoggedRun& run);

private:
  using Attributes = std::vector<Field>;
  std::map<std::pair<std::string, std::string>, std::map<Attributes, DiscriminatorCounts>> functions_;
};

} // namespace detshim
