// A seed as Python passes it.
#pragma once

#include <cstdint>

namespace detshim {

struct PythonSeed {
  uint64_t whole = 0;
  double real = 0;
  bool is_real = false;     ///< else it is the whole number
  bool is_negative = false; ///< as no clock is
  bool is_sequence = false; ///< of whole numbers
  bool has_low_parts = false;
  uint64_t hash = 0; ///< Python's, without a sign, of what is no whole number of 64 bits

  /// What tells it from other seeds.
  uint64_t name() const { return hash != 0 ? hash : whole; }
  /// An index, a task's number, a date: what is below 2^24 is a clock's by chance alone.
  bool is_low() const { return is_sequence ? has_low_parts : name() < 1 << 24; }
};

} // namespace detshim
