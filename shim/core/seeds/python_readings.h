// What Python code has read of clocks, and what of it is passed as a seed.
//
// All of Python reads at one place of the interpreter's machine code, so here readings are told apart by the
// line that read. And Python turns a clock into a double and back into whole numbers, so those are made here
// as Python makes them: what is off by a rounding in one run would be another seed in the next.
#pragma once

#include "core/seeds/seeds.h"

#include <cstdint>

namespace detshim {

/// The calling thread has read a clock, and has noted that (core/seeds/clock_samples.h), in that line of
/// Python (PythonCallSite::key(), 0: none is known). For who holds the interpreter's lock, but with 0.
void note_python_reading(uint64_t line, int64_t seconds, int64_t nanoseconds);

/// A seed as Python passes it.
struct PythonSeed {
  uint64_t whole = 0;
  double real = 0;
  bool is_real = false;     ///< else it is the whole number
  bool is_negative = false; ///< as no clock is
  uint64_t hash = 0;        ///< Python's, without a sign, of what is no whole number of 64 bits

  /// What tells it from other seeds.
  uint64_t name() const { return hash != 0 ? hash : whole; }
  /// An index, a task's number, a date: what is below 2^24 is a clock's by chance alone.
  bool is_small() const { return name() < 1 << 24; }
};

/// True, with what becomes of it, if it is made of a clock that the process's Python has read, or a
/// comparison of runs saw it change. `caller`: of who seeds.
bool choose_python_seed(Kind kind, const PythonSeed& seed, const void* caller, ChosenSeed& chosen);

/// Of the others: true, with what is written down for a comparison of runs to learn from. Of the first ones,
/// as a loop may seed a million times.
bool keep_for_comparison(const PythonSeed& seed, ChosenSeed& chosen);

} // namespace detshim
