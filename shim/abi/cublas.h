// The part of cuBLAS that hooks need. Source: cublas_api.h of CUDA 13.0; the values are the same
// since CUDA 11. tests/abi holds them to the real header where there is one.
#pragma once

#include "abi/library_types.h"

namespace detshim::abi {

using cublasHandle_t = struct cublasContext*;

enum class cublasStatus : int {
  success = 0,        ///< CUBLAS_STATUS_SUCCESS
  invalid_value = 7,  ///< CUBLAS_STATUS_INVALID_VALUE
  arch_mismatch = 8,  ///< CUBLAS_STATUS_ARCH_MISMATCH
  not_supported = 15, ///< CUBLAS_STATUS_NOT_SUPPORTED
};

/// cublasAtomicsMode_t
enum class cublasAtomicsMode : int { not_allowed = 0, allowed = 1 };

/// Values of cublasGemmAlgo_t, cublasComputeType_t, cublasMath_t and cublasEmulationStrategy_t,
/// which are compared with and handed on.
enum class cublasGemmAlgo : int {
  standard = -1,        ///< CUBLAS_GEMM_DEFAULT
  first = 0,            ///< CUBLAS_GEMM_ALGO0, of those without tensor operations
  last = 23,            ///< CUBLAS_GEMM_ALGO23
  standard_tensor = 99, ///< CUBLAS_GEMM_DEFAULT_TENSOR_OP
  first_tensor = 100,   ///< CUBLAS_GEMM_ALGO0_TENSOR_OP
  last_tensor = 115,    ///< CUBLAS_GEMM_ALGO15_TENSOR_OP
  autotune = 999,       ///< CUBLAS_GEMM_AUTOTUNE, from CUDA 13.0 on
};
enum class cublasComputeType : int {
  emulated_fixedpoint = 79, ///< CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT
};
inline constexpr int cublas_math_emulated_fixedpoint =
    8; ///< CUBLAS_FP64_EMULATED_FIXEDPOINT_MATH, a bit
enum class cublasEmulationStrategy : int {
  standard = 0, ///< CUBLAS_EMULATION_STRATEGY_DEFAULT
  eager = 2,    ///< CUBLAS_EMULATION_STRATEGY_EAGER
};
using cublasOperation = int; ///< cublasOperation_t

} // namespace detshim::abi
