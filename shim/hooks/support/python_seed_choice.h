// What becomes of a seed that Python code passes.
#pragma once

#include "core/seeds/python_readings.h"
#include "core/seeds/seeds.h"

namespace detshim {

/// True, with what becomes of it, if it is a clock's that the process's Python has read. `caller`: of who
/// seeds.
bool choose_python_seed(Kind kind, const PythonSeed& seed, const void* caller, ChosenSeed& chosen);

} // namespace detshim
