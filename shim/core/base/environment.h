// The environment of this process, as long as nothing but constructors runs.
#pragma once

#include <cstddef>

namespace detshim {

/// This program's arguments as the kernel put them on its stack, closed by a nullptr, and behind
/// them its environment: before libc has either.
char** given_arguments();
char** given_environment();

/// The program's name as it was called, without folders; empty where it was given none.
const char* program_name();

/// Puts `entry` (NAME=value, kept as it is) into the environment, in place of one of the same name.
/// For the constructor alone: it does without libc's lock, and without its allocator, whose first
/// use costs as much as all else that happens at start.
void put_in_environment(char* entry);

/// Adds entries whose names the environment does not hold yet. As above: for the constructor alone.
void add_to_environment(char* const* entries, size_t count);

/// Takes the variable of that name out. As above: for the constructor alone.
void remove_from_environment(const char* name);

/// Takes out the room (common/environment_room.h), which only the kernel had to see. As above: for
/// the constructor alone.
void remove_room_from_environment();

/// Puts the first and the last of the texts that the kernel laid there to the ends of the
/// environment. A program that writes a title over its arguments takes them for the ends of what it
/// may write to. As above, and once all our own entries are there.
void keep_ends_of_environment();

/// True if both are of one name: the name itself, or an entry NAME=value.
constexpr bool same_name(const char* a, const char* b) {
  while (*a == *b && *a != 0 && *a != '=')
    ++a, ++b;
  return (*a == 0 || *a == '=') && (*b == 0 || *b == '=');
}

} // namespace detshim
