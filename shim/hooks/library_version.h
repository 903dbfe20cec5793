// Says once a process, in the log, which CUDA library answers.
#pragma once

#include "loader/hook.h"

namespace detshim {

/// Writes the `library` record of a hook's library the first time that one of its hooks is called in a
/// process. `said` is the library's own flag; `version(text)` appends what the library says of itself.
template <typename Version>
void record_library_once(const Hook& hook, uint32_t& said, Version version) {
  if (said == generation()) return;
  said = generation();
  Module module;
  if (!find_module(hook.real, module)) return;
  char path[600];
  module_path(module, path, sizeof path);
  Text<32> text;
  version(text);
  record_library(hook.info->library, path, text.length() != 0 ? text.c_str() : nullptr);
}

} // namespace detshim
