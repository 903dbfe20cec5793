// The environment of this process, as long as nothing but constructors runs.
#pragma once

#include <cstddef>

namespace detshim {

/// Puts `entry` (NAME=value, kept as it is) into the environment, in place of one of the same name. For the
/// constructor alone: it does without libc's lock, and without its allocator, whose first use costs as much
/// as all else that happens at start.
void put_in_environment(char* entry);

/// Adds entries whose names the environment does not hold yet. As above: for the constructor alone.
void add_to_environment(char* const* entries, size_t count);

/// Takes the variable of that name out. As above: for the constructor alone.
void remove_from_environment(const char* name);

} // namespace detshim
