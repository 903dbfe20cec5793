// The table of hooks, as the linker assembles it: every DETSHIM_HOOK leaves one pointer in the section
// `detshim_hooks`, and the linker names the section's two ends.
#pragma once

#include "common/describe.h"
#include "common/text.h"

#include <cstdint>

namespace detshim {

/// One hook inside the process.
struct Hook {
  /// What is known of the function behind the wrapper. Written once per change, read without a lock: each
  /// value alone is complete.
  enum class State : uint8_t {
    unknown, ///< nobody has looked yet
    hooked,  ///< `real` is the library's own function
    foreign, ///< `real` is somebody else's function of the same name: hand calls through, never touch them
    missing, ///< no loaded object has it
  };

  const HookInfo* info;
  const void* wrapper; ///< the exported function
  uint32_t name_hash;
  bool disabled = false; ///< by DETSHIM_DISABLE
  State state = State::unknown;
  const void* real = nullptr;
};

extern "C" {
extern Hook* const __start_detshim_hooks[] __attribute__((visibility("hidden")));
extern Hook* const __stop_detshim_hooks[] __attribute__((visibility("hidden")));
}

/// All hooks, for a range-based for loop over `Hook*`.
struct HookTable {
  Hook* const* begin() const { return __start_detshim_hooks; }
  Hook* const* end() const { return __stop_detshim_hooks; }
};

/// FNV-1a, 32 bits (G. Fowler, L. C. Noll, K.-P. Vo): tells names apart before they are compared whole.
constexpr uint32_t name_hash(const char* name) {
  uint32_t hash = 0x811C9DC5;
  for (; *name != 0; ++name) hash = (hash ^ static_cast<unsigned char>(*name)) * 0x01000193;
  return hash;
}

/// The hook of that exported name, or nullptr.
inline Hook* find_hook(const char* name) {
  const uint32_t hash = name_hash(name);
  for (Hook* hook : HookTable{})
    if (hook->name_hash == hash && same_text(hook->info->name, name)) return hook;
  return nullptr;
}

} // namespace detshim
