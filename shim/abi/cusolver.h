// The part of cuSOLVER that hooks need. Source: cusolver_common.h and cusolverDn.h of CUDA 13.0.
// tests/abi holds it to the real headers where there are any.
#pragma once

#include "abi/library_types.h"

namespace detshim::abi {

using cusolverDnHandle_t = struct cusolverDnContext*;

enum class cusolverStatus : int {
  success = 0,       ///< CUSOLVER_STATUS_SUCCESS
  not_supported = 9, ///< CUSOLVER_STATUS_NOT_SUPPORTED
};

/// cusolverDeterministicMode_t, since CUDA 12.2
enum class cusolverDeterministicMode : int { deterministic = 1, allow_non_deterministic = 2 };

/// The bit of CUSOLVER_FP64_EMULATED_FIXEDPOINT_MATH in cusolverMathMode_t, since cuSOLVER 12.1
inline constexpr int cusolver_math_emulated_fixedpoint = 4;

} // namespace detshim::abi
