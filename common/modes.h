// DETSHIM_MODE and DETSHIM_SEED_POLICY. The numbers go into DETSHIM_RUN, the names into the log.
#pragma once

#include <cstdint>

namespace detshim {

enum class Mode : uint8_t { enforce, record, observe, strict, off };
/// What becomes of seeds that the program passes itself: docs/SEEDS.md.
enum class SeedPolicy : uint8_t { fixed, keep, vary };

inline constexpr const char* mode_names[] = {"enforce", "record", "observe", "strict", "off"};
inline constexpr const char* policy_names[] = {"fixed", "keep", "vary"};

constexpr const char* mode_name(Mode mode) { return mode_names[static_cast<int>(mode)]; }
constexpr const char* policy_name(SeedPolicy policy) {
  return policy_names[static_cast<int>(policy)];
}

} // namespace detshim
