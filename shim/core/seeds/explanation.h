// Where a seed comes from that a program passes.
#pragma once

#include "common/seed_rules.h"

#include <cstdint>

namespace detshim {

enum class Origin : uint8_t {
  unexplained, ///< no rule tells
  constant,    ///< the program or the user fixes it
  clock,
  id,
  address, ///< of the stack, of the program, of the thread
  learned, ///< `detshim verify` saw this call site pass another value in each run
  ordered, ///< it may come from a clock: its place among the process's seeds names it
};

struct Explanation {
  Origin origin = Origin::unexplained;
  SeedRule rule = SeedRule::none; ///< that tells so
  uint64_t instance = 0;          ///< names the reading: the same for every value made of it
  uint64_t owner_key = 0;         ///< names the streams of the thread that read
  bool owner_is_first = false;    ///< the first thread of the first process
  int64_t offset = 0;             ///< what was added to the clock
  bool only_if_bound = false;     ///< it counts only where the instance has its seed by now

  bool is_volatile() const { return origin >= Origin::clock; }
};

} // namespace detshim
