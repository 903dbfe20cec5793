// Which NCCL answers.
#pragma once

#include "abi/nccl.h"
#include "hooks/support/library_version.h"
#include "loader/hook.h"

namespace detshim {

inline constinit uint32_t nccl_recorded_in = 0;

template <typename Call>
void record_nccl_once(const Call& call) {
  record_library_once(call.hook(), nccl_recorded_in,
                      [&](auto& text) { add_version_number(call, "ncclGetVersion", text); });
}

} // namespace detshim
