// The part of cuBLAS that hooks need. Source: cublas_api.h of CUDA 13.0; the values are the same since
// CUDA 11. tests/abi holds them to the real header where there is one.
#pragma once

namespace detshim::abi {

using cublasHandle_t = struct cublasContext*;

enum class cublasStatus : int {
  success = 0,        ///< CUBLAS_STATUS_SUCCESS
  not_supported = 15, ///< CUBLAS_STATUS_NOT_SUPPORTED
};

/// cublasAtomicsMode_t
enum class cublasAtomicsMode : int { not_allowed = 0, allowed = 1 };

/// libraryPropertyType of library_types.h, for cublasGetProperty.
enum class libraryProperty : int { major_version = 0, minor_version = 1, patch_level = 2 };

} // namespace detshim::abi
