// What Python makes of a reading of a clock, and whether a seed is that.
//
// Python turns a clock into a double and back into whole numbers, so those are made here as Python
// makes them: what is off by a rounding in one run would be another seed in the next.
#pragma once

#include "core/seeds/python_seed.h"

#include <cstdint>

namespace detshim {

// How far a number may lie from a clock and still be one with something added: by a rank, a worker,
// an epoch; and of whole seconds, of which there are few, further.
inline constexpr int64_t near_a_reading = 64;
inline constexpr int64_t near_a_second = 4096;

inline bool is_within(int64_t offset, int64_t most) { return offset >= -most && offset <= most; }

/// What a clock gave.
struct ClockTime {
  int64_t seconds;
  int64_t nanoseconds;
};

/// How a value is made of a reading.
struct Fit {
  bool is_there = false;
  bool is_coarse = false; ///< in whole seconds: another reading may give the same
  int64_t offset = 0;     ///< that was added
};

class PythonValue {
public:
  explicit PythonValue(const PythonSeed& seed);

  /// What tells it from other values: two lie as far apart as their names, where they are whole.
  uint64_t name() const;

  /// `may_be_cut`: a number of 32 bits may be what is left of a larger one. Not of every reading:
  /// any number would be one of some.
  Fit of(const ClockTime& time, bool may_be_cut) const;

private:
  static constexpr int scales = 10; // seconds to nanoseconds

  bool is_near_second(int64_t second) const;
  Fit of_whole(const ClockTime& time) const;
  Fit of_scale(const ClockTime& time, int64_t scale) const;
  Fit of_real(const ClockTime& time) const;
  bool is_cut(const ClockTime& time) const;

  PythonSeed seed_;
  int64_t whole_;
  int64_t seconds_[scales]; ///< that there would be, by scale
  mutable int64_t passed_over_ = -1;
};

} // namespace detshim
