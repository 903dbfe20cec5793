// What becomes of a seed that Python code passes.
#pragma once

#include "core/seeds/python_readings.h"
#include "core/seeds/seeds.h"

namespace detshim {

/// True, with what becomes of it, if it is a clock's that the process's Python has read, or a comparison of
/// runs saw it change. `caller`: of who seeds.
bool choose_python_seed(Kind kind, const PythonSeed& seed, const void* caller, ChosenSeed& chosen);

/// Of the others: true, with what is written down for a comparison of runs to learn from. Of the first ones,
/// as a loop may seed a million times.
bool keep_for_comparison(const PythonSeed& seed, ChosenSeed& chosen);

} // namespace detshim
