#include "hooks/support/tuning_place.h"

#include "hooks/support/functions.h"

namespace detshim {
namespace {

// Source: cuda.h.
constinit ProcessFunction<int(int* device)> get_device("cuCtxGetDevice");
constinit ProcessFunction<int(char* name, int size, int device)> get_name("cuDeviceGetName");

} // namespace

void add_device_name(TextWriter& text) {
  char name[256] = {};
  int device = 0;
  auto* const current = get_device.get();
  auto* const name_of = get_name.get();
  if (current != nullptr && name_of != nullptr && current(&device) == 0 &&
      name_of(name, sizeof name - 1, device) == 0 && *name != 0)
    text.add(name);
  else
    text.add("unknown");
}

} // namespace detshim
