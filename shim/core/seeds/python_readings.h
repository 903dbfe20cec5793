// What Python code has read of clocks, and what of it is passed as a seed.
//
// All of Python reads at one place of the interpreter's machine code, so here readings are told
// apart by the line that read.
#pragma once

#include "core/python/frames.h"
#include "core/seeds/python_seed.h"
#include "core/seeds/seeds.h"

#include <cstdint>

namespace detshim {

/// Where the user's Python reads a clock: the line (PythonCallSite::key(), 0: none is known), and
/// the instruction there.
struct ReadingPlace {
  uint64_t line = 0;
  PythonInstruction by = {};
};

/// The calling thread has read an id there.
void note_python_id(const ReadingPlace& place);

/// The calling thread has read a clock there, and has noted that (core/seeds/clock_samples.h).
void note_python_reading(const ReadingPlace& place, int64_t seconds, int64_t nanoseconds);

/// True, with what becomes of it, if it is made of a clock that the process's Python has read, or a
/// comparison of runs saw it change. `caller`: of who seeds.
bool choose_python_seed(Kind kind, const PythonSeed& seed, const void* caller, ChosenSeed& chosen);

/// Of the others. Under the policy `vary`: true, with another number for each whole one. Else true
/// with what is written down for a comparison of runs to learn from; of the first ones, as a loop
/// may seed a million times.
bool choose_own_python_seed(Kind kind, const PythonSeed& seed, ChosenSeed& chosen);

} // namespace detshim
