#include "log_diff/difference.h"

namespace detshim {

LogDifference::Result LogDifference::result() const {
  for (const std::uint64_t count : differences)
    if (count > 0) return Result::different;
  return unknown.empty() ? Result::equal : Result::unknown;
}

const Cause* LogDifference::first_cause() const {
  return ranks.empty() || ranks.front().causes.empty() ? nullptr : &ranks.front().causes.front();
}

} // namespace detshim
