#include "core/base/environment.h"

#include "common/sys.h"
#include "core/base/placement.h"

extern "C" char** environ;
extern "C" void* __libc_stack_end; // the loader's: where the kernel put the number of arguments

namespace detshim {
namespace {

DETSHIM_STARTUP_ROOM constinit char* own_array[256] = {};
DETSHIM_STARTUP_DATA constinit char** own = nullptr; // the array that we made last
DETSHIM_STARTUP_DATA constinit size_t own_size = 0;  // entries that it has room for

size_t count_of(char* const* entries) {
  size_t count = 0;
  while (entries != nullptr && entries[count] != nullptr) ++count;
  return count;
}

/// Moves the environment of `count` entries to an array with room for `added` more, and some. libc does the
/// same when it has to.
bool make_room(size_t count, size_t added) {
  constexpr size_t static_size = sizeof own_array / sizeof own_array[0], more = 16;
  const bool fits = count + added + more <= static_size && environ != own_array;
  const size_t size = fits ? static_size : count + added + more;
  auto** array = fits ? own_array : static_cast<char**>(sys::map(size * sizeof(char*)));
  if (array == nullptr) return false;
  for (size_t i = 0; i < count; ++i) array[i] = environ[i];
  environ = array;
  own_size = size;
  return true;
}

} // namespace

char** given_arguments() { return static_cast<char**>(__libc_stack_end) + 1; }

char** given_environment() {
  char** at = given_arguments();
  while (*at != nullptr) ++at;
  return at + 1;
}

void put_in_environment(char* entry) {
  for (char** old = environ; old != nullptr && *old != nullptr; ++old)
    if (same_name(*old, entry)) {
      *old = entry;
      return;
    }
  add_to_environment(&entry, 1);
}

void remove_from_environment(const char* name) {
  char** to = environ;
  if (to == nullptr) return;
  for (char** from = environ; *from != nullptr; ++from)
    if (!same_name(*from, name)) *to++ = *from;
  *to = nullptr;
}

void add_to_environment(char* const* entries, size_t added) {
  if (added == 0) return;
  const size_t count = count_of(environ);
  if ((environ != own || count + added + 1 > own_size) && !make_room(count, added)) return;
  own = environ;
  for (size_t i = 0; i < added; ++i) environ[count + i] = entries[i];
  environ[count + added] = nullptr;
}

} // namespace detshim
