// What becomes of a seed that the program passes itself: DETSHIM_SEED_POLICY.
#pragma once

#include "core/describe.h"
#include "core/identity.h"

#include <cstdint>

namespace detshim {

/// A seed, and what the log says of it.
struct ChosenSeed {
  uint64_t given;
  const char* why;
  Action action = Action::pin; ///< unfixed where a clock still decides, observe where the program does
};

/// The seed to use instead of the one that the program passed, for a mode that pins.
///
/// fixed: the j-th distinct value that this thread gives to that kind becomes the j-th seed derived from the
/// seed, the rank and the thread; j = 0 in the first thread of rank 0 is the seed itself. The same value
/// again is the same seed again. A value that looks like the present time in seconds counts as new every
/// time, because whether two of those coincide is chance. (A process's own id does not: it is the same all
/// through the process, and a small one, as in containers, is also a loop's index.) mix: derived from the
/// seed and the value alone. keep: the value.
ChosenSeed choose_seed(Kind kind, uint64_t asked);

/// The seed for a generator that the program has not seeded, which natively starts from the constant
/// `standard`. As choose_seed, but never the same in two threads.
ChosenSeed choose_unseeded(Kind kind, uint64_t standard);

/// The next seed in a thread's row that no value of the program stands for (a generator's own).
uint64_t next_seed(Kind kind);

/// Remembers that in this thread the program's value stands for `given`.
void bind_seed(Kind kind, uint64_t asked, uint64_t given);

/// The seed that the program's value stands for in this thread, if it was given one and looks like no clock.
const uint64_t* bound_seed(Kind kind, uint64_t asked);

/// True if the value is the present time in seconds, give or take a small offset.
bool looks_like_chance(uint64_t value);

/// A seed for an interface of 32 bits: itself where it fits.
constexpr uint32_t fold32(uint64_t seed) { return static_cast<uint32_t>(seed ^ seed >> 32); }

} // namespace detshim
