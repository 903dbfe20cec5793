// What becomes of a seed that the program passes itself: DETSHIM_SEED_POLICY.
//
// The default, `fixed`, keeps what the program fixes and fixes what it does not:
// - A value that the program fixes stays, bit for bit. So golden values hold, and pools that seed
//   by task, ranks that seed alike, replays and restarts go on as they would. `vary` maps it by
//   DETSHIM_SEED and the value alone, and no two values become one.
// - A value that changes from run to run (core/seeds/rules/ says which) is replaced by the next
//   seed in the sequence of the thread that read it: DETSHIM_SEED itself for the first one of the
//   first process. What was added to the clock is added again. One reading is one seed, whoever
//   passes it and however often.
// - What may have come from a clock is replaced by its place among the seeds of the process, where
//   their order is fixed (core/seeds/rules/order.cpp).
#pragma once

#include "common/describe.h"
#include "common/seed_rules.h"
#include "common/stream_kinds.h"
#include "core/seeds/explanation.h"
#include "core/seeds/passed_seed.h"

#include <cstdint>

namespace detshim {

/// A seed, and what the log says of it.
struct ChosenSeed {
  uint64_t effective; ///< as wide as what was asked
  Why why;
  Action action = Action::pin; ///< nondeterministic where something that changes still decides,
                               ///< observe where the program does
  bool takes_reading = false;  ///< the last reading of a clock became this seed, and nothing else
};

/// What the program passes, and where.
struct RequestedSeed {
  Kind kind;
  uint64_t value;
  unsigned bits;                      ///< 32, 48 or 64: the width of the library's seeds
  const void* caller;                 ///< return address of the call
  const uint64_t* own_seed = nullptr; ///< a changing value's, instead of the next in the sequence

  PassedSeed passed() const { return {value, bits, Caller(caller)}; }
};

/// The seed to use instead of the one that the program passed, for a mode that pins.
ChosenSeed choose_seed(const RequestedSeed& requested);

/// The same for a generator whose fixed seeds stay as they are, and whose callers are interpreters,
/// which read clocks and ids all the time: only what is certainly a clock's value is replaced.
ChosenSeed choose_clock_seed(const RequestedSeed& requested);

/// The same for a value of which is known what it comes from, and that nothing but a clock's would
/// be there.
ChosenSeed choose_read_seed(const RequestedSeed& requested, const Explanation& explained);

/// The seed for a generator that the program has not seeded, which natively starts from the
/// constant `standard`. Never the same in two threads, except for the constant itself where that is
/// kept.
ChosenSeed choose_unseeded(Kind kind, uint64_t standard);

/// The next seed in the calling thread's sequence that no value of the program is replaced by (a
/// generator's own).
uint64_t next_seed(Kind kind);

/// What stands between a state in the program's hands and the state that is worked with, by
/// exclusive or; 0 where states stay as they are, but under `vary`. For generators that keep their
/// state in a variable of the caller's: a state and a seed cannot be told apart there.
uint64_t state_mask(Kind kind, unsigned bits);

/// A seed for an interface of 32 bits: itself where it fits.
constexpr uint32_t fold32(uint64_t seed) { return static_cast<uint32_t>(seed ^ seed >> 32); }

} // namespace detshim
