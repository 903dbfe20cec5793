// Where the user's own machine code does what leaves no record, and what two runs may differ by.
//
// `std::mt19937 engine(time(nullptr))` takes its seed out of sight. The reading is seen: its place is kept,
// and written as the process ends, and `detshim log` looks whether the line there seeds something. Threads
// and children that race leave nothing either: `detshim verify` names where they are started, if its runs
// differ and their records do not.
#pragma once

#include <cstddef>

namespace detshim {

enum class UserPlace { clock, threads, forks };

/// Keeps the place of what is done, if the code at `caller` is the user's, or was called by it in the C++
/// library (std::chrono, std::thread). At most 64 places of a kind and process; the further ones of a
/// program that does it in ever new places are not kept. Neither allocates nor writes.
void note_user_place(UserPlace kind, const void* caller);

/// Keeps a reading of a clock by the user's Python: `frames`, as a record holds them. Of 16 places of a
/// process, each once.
void keep_clock_of_python(const void* caller, const char* frames, size_t length);

/// Writes them, if the process has a log. Once in a process.
void record_user_places();

} // namespace detshim
