#include "core/environment.h"

#include "core/placement.h"
#include "core/sys.h"
#include "core/text.h"

extern "C" char** environ;

namespace detshim {
namespace {

constinit char* own_array[512] = {};
DETSHIM_STARTUP_DATA constinit char** own = nullptr; // the array that we made last
DETSHIM_STARTUP_DATA constinit size_t own_size = 0;  // entries that it has room for

bool same_name(const char* a, const char* b) {
  for (; *a == *b; ++a, ++b)
    if (*a == '=' || *a == 0) return true;
  return false;
}

/// Moves the environment to an array with room for more. libc does the same when it has to.
bool make_room(size_t count) {
  constexpr size_t static_size = sizeof own_array / sizeof own_array[0], more = 16;
  const bool fits = count + more <= static_size && environ != own_array;
  const size_t size = fits ? static_size : count + more;
  auto** array = fits ? own_array : static_cast<char**>(sys::map(size * sizeof(char*)));
  if (array == nullptr) return false;
  for (size_t i = 0; i < count; ++i) array[i] = environ[i];
  environ = array;
  own_size = size;
  return true;
}

} // namespace

void put_in_environment(char* entry) {
  size_t count = 0;
  for (; environ != nullptr && environ[count] != nullptr; ++count)
    if (same_name(environ[count], entry)) {
      environ[count] = entry;
      return;
    }
  if ((environ != own || count + 2 > own_size) && !make_room(count)) return;
  own = environ;
  environ[count] = entry;
  environ[count + 1] = nullptr;
}

} // namespace detshim
