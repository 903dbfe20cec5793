// The variables that DETSHIM_PORTABLE sets.
#pragma once

#include "common/text.h"

namespace detshim {

inline constexpr const char* portable_names[] = {"MKL_CBWR",
                                                 "ONEDNN_MAX_CPU_ISA",
                                                 "OPENBLAS_CORETYPE",
                                                 "ATEN_CPU_CAPABILITY",
                                                 "NPY_DISABLE_CPU_FEATURES",
                                                 "OMP_NUM_THREADS",
                                                 "GLIBC_TUNABLES"};

/// True if the option sets the variable of that name.
constexpr bool is_portable_setting(const char* name) {
  for (const char* known : portable_names)
    if (same_text(name, known)) return true;
  return false;
}

} // namespace detshim
