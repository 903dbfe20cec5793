// Which values that a program passes as a seed change from run to run.
//
// A program that seeds itself from a clock passes another value in each run. Whether a value is one of those
// is told by what the program has read (core/seeds/clock_samples.h). Nearness to the present would decide by
// chance.
//
// Whether two readings fall into one second must not decide anything. So a reading is known by its order, and
// where the value does not tell two apart, the code does: the reading right before the call, or the one from
// the place that was read for the seed before.
#pragma once

#include <cstdint>

namespace detshim {

/// Where a value comes from.
enum class Origin : uint8_t {
  unexplained, ///< none of the readings that were made explains it
  constant,    ///< it stands in the code at the call, on the command line, in the environment, or is a small
               ///< number
  clock,
  id,
  address, ///< of the stack, of the program, of the thread
  learned, ///< `detshim verify` saw this call site pass another value in each run
};

struct Explanation {
  Origin origin = Origin::unexplained;
  uint64_t instance = 0;       ///< names the reading: the same for every value made of it
  uint64_t owner_key = 0;      ///< names the streams of the thread that read
  bool owner_is_first = false; ///< the first thread of the first process
  int64_t offset = 0;          ///< what was added to the clock

  bool is_volatile() const { return origin >= Origin::clock; }
};

/// Explains a value by a comparison of runs, which saw this call site pass others
/// (core/seeds/learned_seeds.h); false where none did, or where the user named the number.
bool explain_learned(uint64_t value, const void* caller, Explanation& made);

/// True if the user passed the number, or one that lies within `reach`, on the command line or in the
/// environment. Small ones stand for much else there: those count exactly, and of the command line alone.
bool is_from_user(uint64_t value, uint64_t reach);

/// Explains a value of `bits` bits (32, 48 or 64) that the program passes at `caller` (a return address) as a
/// seed.
Explanation explain(uint64_t value, unsigned bits, const void* caller);

} // namespace detshim
