// How `detshim run` hands to the library what it has captured of the environment a run begins in: as a sealed
// file in memory, under a number that is the same in every process. A variable would be seen by the program.
#pragma once

#include <fcntl.h>

namespace detshim {

/// Away from the low numbers that programs count on, and below 64: the kernel has room for so many from the
/// start.
inline constexpr int environment_descriptor = 61;

/// Nobody changes it on its way (memfd_create(2), F_GET_SEALS in fcntl(2)).
inline constexpr int environment_seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;

/// How it begins: a JSON object without its opening brace, so that the library can put the run's name first.
inline constexpr char environment_beginning[] = "\"schema_version\":";

/// At most so many bytes.
inline constexpr long largest_environment_handed_over = 1L << 20;

} // namespace detshim
