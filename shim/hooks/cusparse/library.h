// Which cuSPARSE answers.
#pragma once

#include "abi/cusparse.h"
#include "hooks/support/library_version.h"
#include "loader/hook.h"

namespace detshim {

inline constinit uint32_t cusparse_recorded_in = 0;

template <typename Call>
void record_cusparse_once(const Call& call) {
  record_library_once(call.hook(), cusparse_recorded_in,
                      [&](auto& text) { add_version_parts(call, "cusparseGetProperty", text); });
}

} // namespace detshim
