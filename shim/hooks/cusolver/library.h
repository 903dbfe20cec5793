// Which cuSOLVER answers.
#pragma once

#include "abi/cusolver.h"
#include "hooks/support/library_version.h"
#include "loader/hook.h"

namespace detshim {

inline constinit uint32_t cusolver_recorded_in = 0;

template <typename Call>
void record_cusolver_once(const Call& call) {
  record_library_once(call.hook(), cusolver_recorded_in,
                      [&](auto& text) { add_version_number(call, "cusolverGetVersion", text); });
}

inline constinit uint32_t cusolvermg_recorded_in = 0;

/// libcusolverMg has no function that tells its version.
template <typename Call>
void record_cusolvermg_once(const Call& call) {
  record_library_once(call.hook(), cusolvermg_recorded_in, [](auto&) {});
}

} // namespace detshim
