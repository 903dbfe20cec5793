// Which device the calling thread works with.
#pragma once

#include "core/modules.h"
#include "core/text.h"

namespace detshim {

/// Appends the name of the current context's device, asked of the driver that is in the process (the CUDA
/// libraries open it themselves; nothing is linked or loaded here). "unknown" without one. Source: cuda.h.
inline void add_device_name(TextWriter& text) {
  char name[256] = {};
  int device = 0;
  auto* current = reinterpret_cast<int (*)(int*)>(const_cast<void*>(find_symbol("cuCtxGetDevice")));
  auto* get_name =
      reinterpret_cast<int (*)(char*, int, int)>(const_cast<void*>(find_symbol("cuDeviceGetName")));
  if (current != nullptr && get_name != nullptr && current(&device) == 0 &&
      get_name(name, sizeof name - 1, device) == 0 && *name != 0)
    text.add(name);
  else
    text.add("unknown");
}

} // namespace detshim
