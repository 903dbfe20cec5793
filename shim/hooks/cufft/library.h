// Which cuFFT answers.
#pragma once

#include "abi/cufft.h"
#include "hooks/support/library_version.h"
#include "loader/hook.h"

namespace detshim {

inline constinit uint32_t cufft_recorded_in = 0;

template <typename Call>
void record_cufft_once(const Call& call) {
  record_library_once(call.hook(), cufft_recorded_in,
                      [&](auto& text) { add_version_number(call, "cufftGetVersion", text); });
}

} // namespace detshim
