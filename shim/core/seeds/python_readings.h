// What Python code has read of clocks, and what of it is passed as a seed.
//
// All of Python reads at one place of the interpreter's machine code, so here readings are told
// apart by the line that read.
#pragma once

#include "core/seeds/python_seed.h"
#include "core/seeds/seeds.h"

#include <cstdint>

namespace detshim {

/// The calling thread has read a clock, and has noted that (core/seeds/clock_samples.h), in that
/// line of Python (PythonCallSite::key(), 0: none is known). For who holds the interpreter's lock,
/// but with 0.
void note_python_reading(uint64_t line, int64_t seconds, int64_t nanoseconds);

/// True, with what becomes of it, if it is made of a clock that the process's Python has read, or a
/// comparison of runs saw it change. `caller`: of who seeds.
bool choose_python_seed(Kind kind, const PythonSeed& seed, const void* caller, ChosenSeed& chosen);

/// Of the others. Under the policy `vary`: true, with another number for each whole one. Else true
/// with what is written down for a comparison of runs to learn from; of the first ones, as a loop
/// may seed a million times.
bool choose_own_python_seed(Kind kind, const PythonSeed& seed, ChosenSeed& chosen);

} // namespace detshim
