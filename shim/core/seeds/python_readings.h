// What Python code has read of clocks, and what of it is passed as a seed.
//
// All of Python reads at one place of the interpreter's machine code, so here readings are told apart by the
// line that read. And Python turns a clock into a double and back into whole numbers, so those are made here
// as Python makes them: what is off by a rounding in one run would be another seed in the next.
#pragma once

#include "core/seeds/seed_origin.h"

#include <cstdint>

namespace detshim {

/// The calling thread has read a clock, and has noted that (core/seeds/clock_samples.h), in that line of
/// Python (PythonCallSite::key(), 0: none is known). For who holds the interpreter's lock, but with 0.
void note_python_reading(uint64_t line, int64_t seconds, int64_t nanoseconds);

/// A seed as Python passes it.
struct PythonSeed {
  uint64_t whole = 0;
  double real = 0;
  bool is_real = false;    ///< else it is the whole number
  bool is_partial = false; ///< of which `whole` has the low 64 bits: it is negative, or larger

  /// An index, a task's number, a date: what is below 2^24 is a clock's by chance alone.
  bool is_small() const { return whole < 1 << 24; }
};

/// True if something that was read makes the value: only then is it worth a look at the line.
bool may_be_reading(const PythonSeed& seed);

struct PythonOrigin {
  Explanation explanation;
  /// The reading's place in its line names the seed that it gives way to (RequestedSeed::own_seed): another
  /// process or thread read, and which of those that it handed it to comes first is a race.
  bool has_own_seed = false;
  uint64_t own_seed = 0;
};

/// Explains a value that `line` passes; false where nothing that was read makes it.
bool explain_python_seed(const PythonSeed& seed, uint64_t line, PythonOrigin& origin);

} // namespace detshim
