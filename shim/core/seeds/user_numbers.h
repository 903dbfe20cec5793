// The numbers that the user passed, on the command line or in the environment.
#pragma once

#include <cstdint>

namespace detshim {

/// True if the user passed the number, or one that lies within `reach`, on the command line or in
/// the environment. Small ones mean much else there: those count exactly, and of the command
/// line alone.
bool is_from_user(uint64_t value, uint64_t reach);

/// A number for the small whole numbers in the arguments (`--rep=2`, `data_07.csv`); 0 where there
/// are none. A word with more than two, or with a large one, is taken for a time, and one that
/// begins with /tmp/ for a temporary file's name.
uint64_t numbers_of_user();

} // namespace detshim
