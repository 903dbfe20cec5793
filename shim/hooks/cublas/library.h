// Which cuBLAS and which cuBLASLt answers.
#pragma once

#include "abi/cublas.h"
#include "hooks/support/library_version.h"
#include "loader/hook.h"

namespace detshim {

inline constinit uint32_t cublas_recorded_in = 0;

template <typename Call>
void record_cublas_once(const Call& call) {
  record_library_once(call.hook(), cublas_recorded_in,
                      [&](auto& text) { add_version_parts(call, "cublasGetProperty", text); });
}

inline constinit uint32_t cublaslt_recorded_in = 0;

template <typename Call>
void record_cublaslt_once(const Call& call) {
  record_library_once(call.hook(), cublaslt_recorded_in,
                      [&](auto& text) { add_version_parts(call, "cublasLtGetProperty", text); });
}

} // namespace detshim
