// The pool that a call belongs to: a worker of it drew, or its threads were started.
#pragma once

#include "log_reader/record.h"

#include <compare>
#include <optional>
#include <string>

namespace detshim {

struct Pool {
  std::string kind;  ///< "multiprocessing.Pool"
  std::string queue; ///< of a queue, what tells it from others of its process; else empty
  std::string place; ///< the line that made it, "/home/me/train.py:5"; empty where none is known
  auto operator<=>(const Pool&) const = default;
};

/// Nothing for a call that has to do with no pool.
std::optional<Pool> pool_of(const Call& call);

} // namespace detshim
