// What is done to OpenMP as the library is loaded.
#pragma once

namespace detshim {

/// Keeps the number of threads from following the machine's load, in every OpenMP runtime that was
/// linked to the program and has read OMP_DYNAMIC before our constructor could set it.
void fix_number_of_threads();

} // namespace detshim
