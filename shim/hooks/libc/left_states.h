// Which states rand_r, erand48 and their like left in variables of the caller's.
//
// Those functions keep their state where the caller says. What one of them left there is a state to go on
// from; anything else is a seed that the program has put in, and is pinned. States are told by their value,
// not by their address: a program may copy them about.
#pragma once

#include "core/identity.h"
#include "core/sys.h"

#include <cstdint>

namespace detshim {

/// True if the thread left that state lately: among the last few thousand. `family` keeps those of 32 and 48
/// bits apart. An entry is one word, so a signal handler that draws meanwhile sees the old one or the new
/// one.
class LeftStates {
public:
  explicit LeftStates(uint64_t family) : mark_(family << 48), entries_(this_thread().left_states) {}

  bool holds(uint64_t state) const {
    return entries_ != nullptr && entries_[place(state)] == (mark_ | state);
  }

  void add(uint64_t state) {
    if (entries_ == nullptr) {
      entries_ = static_cast<uint64_t*>(sys::map(left_states_size));
      if (entries_ == nullptr) return;
      this_thread().left_states = entries_;
    }
    entries_[place(state)] = mark_ | state;
  }

private:
  static size_t place(uint64_t state) {
    return (state * 0x9E3779B97F4A7C15 >> 40) % (left_states_size / sizeof(uint64_t));
  }

  uint64_t mark_;
  uint64_t* entries_;
};

} // namespace detshim
