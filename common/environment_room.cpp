#include "common/environment_room.h"

#include "common/text.h"

namespace detshim {
namespace {

// Of which detshim's share is made a multiple. Some 45 variables and 2 KiB are usual for a program
// that another one of the run started: the settings of other libraries are among them there.
constexpr EnvironmentSize block = {96, 8192};

constexpr size_t room_entry_size = 19; // _DETSHIM_ROOM_000= and the zero behind it
static_assert(largest_room.variables == block.variables);
static_assert(largest_room.bytes == block.bytes + block.variables * room_entry_size);

constexpr const char* made_names[] = {
    "LD_PRELOAD=", "OMP_NUM_THREADS=", "OMP_DYNAMIC=", "GLIBC_TUNABLES="};

/// The least that is `least` or more and makes of `now` the user's and a multiple of `step`.
size_t missing(size_t of_user, size_t now, size_t step, size_t least) {
  size_t whole = of_user + step;
  while (whole < now + least)
    whole += step;
  return whole - now;
}

} // namespace

bool is_room(const char* entry) { return starts_with(entry, room_name); }

bool is_made_by_detshim(const char* entry) {
  if (starts_with(entry, "DETSHIM_") || starts_with(entry, "_DETSHIM_"))
    return true;
  for (const char* name : made_names)
    if (starts_with(entry, name))
      return true;
  return false;
}

EnvironmentSize room_for(const EnvironmentSize& of_user, const EnvironmentSize& now) {
  EnvironmentSize room;
  room.variables = missing(of_user.variables, now.variables, block.variables, 1);
  room.bytes = missing(of_user.bytes, now.bytes, block.bytes, room.variables * room_entry_size);
  return room;
}

void write_room(const EnvironmentSize& room, char* texts, char** entries) {
  size_t left = room.bytes;
  for (size_t i = 0; i < room.variables; ++i) {
    const bool is_last = i + 1 == room.variables;
    const size_t size = is_last ? left : room_entry_size;
    TextWriter text(texts, size);
    text.add(room_name).add_hex(i, 3).add('=');
    while (!text.cut() && text.length() + 1 < size)
      text.add('.');
    text.c_str();
    entries[i] = texts;
    texts += size;
    left -= size;
  }
}

} // namespace detshim
