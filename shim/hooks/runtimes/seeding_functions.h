// Interpreters that seed themselves from a clock, in a function of a program of their own that no
// hook can stand before.
//
// What cannot be hooked is known by who asks: the clock and the ids that such a function reads are
// this process's own, from DETSHIM_SEED. Everybody else's clock stays real.
#pragma once

#include "common/reasons.h"

#include <cstdint>

namespace detshim {

struct SeedingFunction;

/// The known seeding function that the call comes from; nullptr for everybody else. `caller` is a
/// return address. Cheap for a call site that asked lately.
const SeedingFunction* seeding_function_at(const void* caller);

/// The known seeding function behind a caller that reads clocks for others and keeps a frame
/// pointer, as Rust's standard library does. `frame` is the caller's: its frame pointer, as this
/// call's wrapper has saved it.
const SeedingFunction* seeding_function_behind(const void* caller, const void* const* frame);

/// What such a function gets for the clock's seconds. For an id, and for what is finer than
/// seconds, it gets 0.
int64_t seconds_for(const SeedingFunction& function);

/// What the hooks of clocks and ids do about a call of it.
struct SeedingAnswer {
  bool has_own_clock; ///< and ids of its own, in this mode
  Reason why;         ///< why it differs all the same, to be recorded; or none
};
SeedingAnswer answer_to(const SeedingFunction& function);

} // namespace detshim
