// The part of cuSPARSE that hooks need: products with a sparse matrix. Source: cusparse.h of
// CUDA 13.0; the values are the same since CUDA 12. tests/abi holds them to the real header where
// there is one.
#pragma once

#include "abi/library_types.h"

namespace detshim::abi {

using cusparseHandle_t = struct cusparseContext*;
using cusparseConstSpMatDescr_t = const struct cusparseSpMatDescr*;
using cusparseConstDnVecDescr_t = const struct cusparseDnVecDescr*;
using cusparseDnVecDescr_t = struct cusparseDnVecDescr*;
using cusparseConstDnMatDescr_t = const struct cusparseDnMatDescr*;
using cusparseDnMatDescr_t = struct cusparseDnMatDescr*;

enum class cusparseStatus : int {
  success = 0,        ///< CUSPARSE_STATUS_SUCCESS
  not_supported = 10, ///< CUSPARSE_STATUS_NOT_SUPPORTED
};

/// cusparseOperation_t
enum class cusparseOperation : int { non_transpose = 0, transpose = 1, conjugate_transpose = 2 };

/// cusparseFormat_t
enum class cusparseFormat : int {
  csr = 1,
  csc = 2,
  coo = 3,
  blocked_ell = 5,
  bsr = 6,
  sliced_ell = 7
};

/// cusparseIndexType_t
enum class cusparseIndexType : int { int32 = 2 };

/// cusparseSpMVAlg_t
enum class cusparseSpMVAlg : int {
  by_default = 0,
  csr_alg2 = 3,
  coo_alg2 = 4,
  sell_alg1 = 5,
  bsr_alg1 = 6
};

/// cusparseSpMMAlg_t
enum class cusparseSpMMAlg : int { by_default = 0, coo_alg2 = 2, bsr_alg1 = 14 };

/// cusparseSpGEMMAlg_t. The missing letters are the header's.
enum class cusparseSpGEMMAlg : int {
  by_default = 0,
  csr_determinitic = 1,
  csr_nondeterminitic = 2
};

} // namespace detshim::abi
