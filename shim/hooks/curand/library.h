// Which cuRAND answers.
#pragma once

#include "abi/curand.h"
#include "hooks/support/library_version.h"
#include "loader/hook.h"

namespace detshim {

inline constinit uint32_t curand_recorded_in = 0;

template <typename Call>
void record_curand_once(const Call& call) {
  record_library_once(call.hook(), curand_recorded_in,
                      [&](auto& text) { add_version_number(call, "curandGetVersion", text); });
}

} // namespace detshim
