#include "hooks/support/tuning_place.h"

#include "hooks/support/functions.h"

namespace detshim {
namespace {

/// Of any object of the process: of a driver that the CUDA libraries have opened themselves.
const void* find_anywhere(const Hook&, const char* name) { return find_symbol(name); }

// Source: cuda.h.
constinit KnownFunction<int(int* device), find_anywhere, false> get_device("cuCtxGetDevice");
constinit KnownFunction<int(char* name, int size, int device), find_anywhere, false>
    get_name("cuDeviceGetName");

} // namespace

void add_device_name(TextWriter& text) {
  char name[256] = {};
  int device = 0;
  const Hook& any = *HookTable{}.begin();
  if (get_device.succeeds(any, &device) &&
      get_name.succeeds(any, name, int{sizeof name - 1}, device) && *name != 0)
    text.add(name);
  else
    text.add("unknown");
}

} // namespace detshim
