#include "log_diff/difference.h"

#include <algorithm>

namespace detshim {

LogDifference::Result LogDifference::result() const {
  if (std::ranges::any_of(differences, [](std::uint64_t count) { return count > 0; }))
    return Result::different;
  return unknown.empty() ? Result::equal : Result::unknown;
}

const Cause* LogDifference::first_cause() const {
  return ranks.empty() || ranks.front().causes.empty() ? nullptr : &ranks.front().causes.front();
}

} // namespace detshim
