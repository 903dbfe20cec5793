// A seed that a program passes, and the code that passes it.
#pragma once

#include "core/base/modules.h"

#include <cstdint>

namespace detshim {

/// A seed is an index, a task's number or a constant of the program's below this, rather than the
/// low end of a clock.
inline constexpr uint64_t small_limit = 65536;

/// The code that makes a call. Each of its parts is looked up when it is first asked for.
class Caller {
public:
  explicit Caller(const void* return_address) : address_(return_address) {}

  /// The return address of the call.
  const void* address() const { return address_; }
  /// The object that holds the call; nullptr if none does.
  const Module* module() const;
  /// The function that holds it; empty where that cannot be told.
  const CodeRange& function() const;

private:
  const void* address_;
  mutable Module module_;
  mutable CodeRange function_;
  mutable bool has_looked_for_module_ = false;
  mutable bool has_module_ = false;
  mutable bool has_looked_for_function_ = false;
};

struct PassedSeed {
  uint64_t value;
  unsigned bits; ///< 32, 48 or 64: the width of the library's seeds
  Caller caller;

  bool is_small() const { return value < small_limit; }
};

} // namespace detshim
