// One size of environment for a program, whatever detshim's own variables are in it. The kernel
// puts all of them above the stack, so a variable more, or a longer name of the log, would move the
// stack, and with it every address that a program prints, sorts or hashes by.
//
// So detshim's share is made a whole number of blocks: what is left is filled with variables of no
// meaning, the room. It stands last, which leaves the user's texts where they are. The library
// takes it out again before the program sees its environment.
#pragma once

#include <cstddef>

namespace detshim {

/// How many variables, and how many bytes with the zero behind each.
struct EnvironmentSize {
  size_t variables = 0;
  size_t bytes = 0;
};

/// How the names of the room begin; three hexadecimal digits follow.
inline constexpr const char* room_name = "_DETSHIM_ROOM_";

/// True for an entry of the room.
bool is_room(const char* entry);

/// True for an entry that `detshim run` makes, whoever made it here: DETSHIM_*, LD_PRELOAD, what is
/// set for OpenMP and for glibc.
bool is_made_by_detshim(const char* entry);

/// The size of those entries for which keeps(entry) holds.
template <typename Keeps>
EnvironmentSize size_of_entries(char* const* entries, Keeps keeps) {
  EnvironmentSize size;
  for (; entries != nullptr && *entries != nullptr; ++entries) {
    if (!keeps(*entries))
      continue;
    const char* end = *entries;
    while (*end != 0)
      ++end;
    ++size.variables;
    size.bytes += static_cast<size_t>(end - *entries) + 1;
  }
  return size;
}

/// The room that makes an environment of size `now` as large as the user's part of it and whole
/// blocks.
EnvironmentSize room_for(const EnvironmentSize& of_user, const EnvironmentSize& now);

/// The most that room_for() gives, where the user's part is no larger than the whole.
inline constexpr EnvironmentSize largest_room = {96, 8192 + 96 * 19};

/// Writes that room: its texts to `texts`, which has room.bytes, and its entries to `entries`.
void write_room(const EnvironmentSize& room, char* texts, char** entries);

} // namespace detshim
