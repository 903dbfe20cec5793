// The table of hooks, as the linker assembles it: every DETSHIM_HOOK leaves its Hook in the section
// `detshim_hooks`, and the linker names the section's two ends.
#pragma once

#include "common/describe.h"
#include "common/text.h"
#include "core/base/hash.h"

#include <cstdint>

namespace detshim {

/// One hook inside the process. What it refers to stands as distances, not as pointers: pointers
/// are the loader's to write, and these two of each hook were fifteen pages that it copied at every
/// start of every program.
struct Hook {
  /// What is known of the function behind the wrapper. Written once per change, read without a
  /// lock: each value alone is complete.
  enum class State : uint8_t {
    unknown,  ///< nobody has looked yet
    hooked,   ///< `real` is the library's own function
    shadowed, ///< `real` is somebody else's function of the same name: hand calls through, never
              ///< touch them
    missing,  ///< no loaded object has it
  };

  const HookInfo& info() const { return *static_cast<const HookInfo*>(at(info_)); }
  /// The exported function.
  const void* wrapper() const { return at(wrapper_); }
  uint32_t name_hash() const { return *static_cast<const uint32_t*>(at(name_hash_)); }

  Hook(const Hook&) = delete;
  Hook& operator=(const Hook&) = delete;

private:
  static const void* at(const int32_t& distance) {
    auto* from = reinterpret_cast<const char*>(&distance);
    __asm__("" : "+r"(from)); // the compiler would say that this leaves the object, which it does
    return from + distance;
  }

  // From each of these members itself; DETSHIM_PLACE_HOOK makes them.
  int32_t info_;
  int32_t wrapper_;
  int32_t name_hash_;

public:
  bool disabled; ///< by DETSHIM_DISABLE
  State state;
  uint8_t cuda_library; ///< 1 and its row in common/cuda_libraries.h; 0: none of CUDA's, or nobody
                        ///< has looked yet
  const void* real;
};
static_assert(sizeof(Hook) == 24);

extern "C" {
extern Hook __start_detshim_hooks[] __attribute__((visibility("hidden")));
extern Hook __stop_detshim_hooks[] __attribute__((visibility("hidden")));
}

/// All hooks, for a range-based for loop over `Hook&`.
struct HookTable {
  Hook* begin() const { return __start_detshim_hooks; }
  Hook* end() const { return __stop_detshim_hooks; }
};

/// Tells names apart before they are compared whole.
constexpr uint32_t name_hash(const char* name) { return static_cast<uint32_t>(fnv1a_text(name)); }

/// The hook of that exported name, or nullptr.
inline Hook* find_hook(const char* name) {
  const uint32_t hash = name_hash(name);
  for (Hook& hook : HookTable{})
    if (hook.name_hash() == hash && same_text(hook.info().name, name))
      return &hook;
  return nullptr;
}

} // namespace detshim

/// Declares `Hook NAME`, in detshim::hooks.
#define DETSHIM_DECLARE_HOOK(NAME)                                                                 \
  extern ::detshim::Hook NAME __asm__("detshim_hook_" #NAME) __attribute__((visibility("hidden")))

/// Lays `Hook NAME` into the table. The same source file has detshim_info_NAME, detshim_hash_NAME,
/// and WRAPPER, which are names for the assembler: it alone can write a distance as a constant.
#define DETSHIM_PLACE_HOOK(NAME, WRAPPER)                                                          \
  __asm__(".pushsection detshim_hooks, \"aw\", %progbits\n"                                        \
          ".balign 8\n"                                                                            \
          ".globl detshim_hook_" #NAME "\n"                                                        \
          ".hidden detshim_hook_" #NAME "\n"                                                       \
          ".type detshim_hook_" #NAME ", %object\n"                                                \
          ".size detshim_hook_" #NAME ", 24\n"                                                     \
          "detshim_hook_" #NAME ":\n"                                                              \
          ".long detshim_info_" #NAME " - .\n"                                                     \
          ".long " WRAPPER " - .\n"                                                                \
          ".long detshim_hash_" #NAME " - .\n"                                                     \
          ".long 0, 0, 0\n"                                                                        \
          ".popsection")
