// What a program that the library is in and the filter of `run --trap-syscalls` (tools/supervisor/filter.cpp)
// say to each other.
#pragma once

#include <cstdint>

namespace detshim {

/// The upper half of openat's first argument, of which the kernel looks at the lower half alone: nobody needs
/// to be asked about this open, since the library looks itself at what was opened.
inline constexpr std::uint32_t unasked_open = 0x64657473;

/// An fcntl with that command fails with EALREADY where the filter is, else with another error.
inline constexpr int filter_question = 0x64657473;

} // namespace detshim
