// Calls of libraries that draw for themselves (core/base/infrastructure.h).
#pragma once

#include "core/base/infrastructure.h"

namespace detshim {

/// True if the code at that address is in such a library.
bool is_of_infrastructure(const void* caller);

/// The callers of one thread that are in such libraries, so that few draws look for their library.
class InfrastructureCallers {
public:
  /// True if `caller` is one. `is_new`: the draw's call site may not have been asked about before.
  bool include(const void* caller, bool is_new) {
    return __builtin_expect(is_new || has_some_, 0) && look(caller);
  }

private:
  bool look(const void* caller);

  bool has_some_ = false;
};

} // namespace detshim
