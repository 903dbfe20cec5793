#include "core/base/environment.h"

#include "common/environment_room.h"
#include "common/sys.h"
#include "common/text.h"
#include "core/base/placement.h"

#include <cstdint>

extern "C" char** __environ;
extern "C" void* __libc_stack_end; // the loader's: where the kernel put the number of arguments

namespace detshim {
namespace {

DETSHIM_STARTUP_ROOM constinit char* own_array[256] = {};
/// The array that we made last. The program may have put another in its place since.
struct OwnEnvironment {
  char** entries;
  size_t size; ///< entries that it has room for
};
DETSHIM_STARTUP_DATA constinit OwnEnvironment own_environment = {};

size_t count_of(char* const* entries) {
  size_t count = 0;
  while (entries != nullptr && entries[count] != nullptr)
    ++count;
  return count;
}

/// Moves the environment of `count` entries to an array with room for `added` more, and some. libc
/// does the same when it has to.
bool make_room(size_t count, size_t added) {
  constexpr size_t static_size = sizeof own_array / sizeof own_array[0], more = 16;
  const bool fits = count + added + more <= static_size && __environ != own_array;
  const size_t size = fits ? static_size : count + added + more;
  auto** array = fits ? own_array : static_cast<char**>(sys::map(size * sizeof(char*)));
  if (array == nullptr)
    return false;
  for (size_t i = 0; i < count; ++i)
    array[i] = __environ[i];
  __environ = array;
  own_environment.size = size;
  return true;
}

/// Not in the kernel's own array: Go finds the auxiliary vector behind the nullptr at its end.
template <typename Goes>
void remove_entries(Goes goes) {
  bool has_any = false;
  for (char** entry = __environ; entry != nullptr && *entry != nullptr; ++entry)
    has_any |= goes(*entry);
  if (!has_any)
    return;
  if (__environ != own_environment.entries && !make_room(count_of(__environ), 0))
    return;
  own_environment.entries = __environ;
  char** to = __environ;
  for (char** from = __environ; *from != nullptr; ++from)
    if (!goes(*from))
      *to++ = *from;
  *to = nullptr;
}

/// The kernel lays the texts of arguments and environment above the stack.
bool is_of_kernel(const char* entry) {
  return reinterpret_cast<uintptr_t>(entry) > reinterpret_cast<uintptr_t>(__libc_stack_end);
}

} // namespace

char** given_arguments() { return static_cast<char**>(__libc_stack_end) + 1; }

const char* program_name() {
  const char* const name = given_arguments()[0];
  return name == nullptr ? "" : file_name(name);
}

char** given_environment() {
  char** at = given_arguments();
  while (*at != nullptr)
    ++at;
  return at + 1;
}

void put_in_environment(char* entry) {
  for (char** old = __environ; old != nullptr && *old != nullptr; ++old)
    if (same_name(*old, entry)) {
      *old = entry;
      return;
    }
  add_to_environment(&entry, 1);
}

void remove_from_environment(const char* name) {
  remove_entries([name](const char* entry) {
    return same_name(entry, name);
  });
}

void keep_ends_of_environment() {
  const size_t count = count_of(__environ);
  size_t first = 0;
  while (first < count && !is_of_kernel(__environ[first]))
    ++first;
  if (first == count)
    return;
  size_t last = count - 1;
  while (!is_of_kernel(__environ[last]))
    --last;
  // Turned by one place: of the others each stays in its order.
  char* const first_text = __environ[first];
  char* const last_text = __environ[last];
  for (size_t i = first; i > 0; --i)
    __environ[i] = __environ[i - 1];
  __environ[0] = first_text;
  if (first == last)
    return;
  for (size_t i = last; i + 1 < count; ++i)
    __environ[i] = __environ[i + 1];
  __environ[count - 1] = last_text;
}

void remove_room_from_environment() { remove_entries(is_room); }

void add_to_environment(char* const* entries, size_t added) {
  if (added == 0)
    return;
  const size_t count = count_of(__environ);
  if ((__environ != own_environment.entries || count + added + 1 > own_environment.size) &&
      !make_room(count, added))
    return;
  own_environment.entries = __environ;
  for (size_t i = 0; i < added; ++i)
    __environ[count + i] = entries[i];
  __environ[count + added] = nullptr;
}

} // namespace detshim
