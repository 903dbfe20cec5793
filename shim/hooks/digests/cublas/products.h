// What cuBLAS's products read and write.
#pragma once

#include "abi/cublas.h"
#include "hooks/digests/call_digest.h"
#include "hooks/support/data_sizes.h"

namespace detshim {

/// A matrix by columns, or a batch of such.
struct BlasMatrix {
  const void* start = nullptr;
  uint64_t element = 0; ///< bytes; 0: not known
  int64_t leading = 0;
  int64_t step = 0;                      ///< elements from one to the next
  const void* const* pointers = nullptr; ///< in the place of `start`: to each of them, on the GPU
};

/// Of C = alpha op(A) op(B) + beta C
struct BlasShape {
  int transposed_a, transposed_b;
  int64_t m, n, k, batches = 1;
};
struct BlasScales {
  const void *alpha, *beta;
  uint64_t size; ///< bytes of each; 0: not known
};

HashedArea area_of(const BlasMatrix& matrix, int64_t rows, int64_t columns, int64_t batches = 1);

void add_product(CallDigest& digest, abi::cublasHandle_t handle, const BlasShape& shape,
                 const BlasScales& scales, const BlasMatrix& a, const BlasMatrix& b,
                 const BlasMatrix& c);

/// Bytes of alpha and beta of a product of the cublasGemmEx family; 0 where that is not known.
uint64_t scale_of(abi::cublasComputeType compute, abi::cudaDataType c_type);

// The cublasGemmEx family. `Count` is the type of sizes: each function is there in two widths.

template <typename Count>
void describe_gemm_ex(CallDigest& digest, abi::cublasHandle_t handle, abi::cublasOperation trans_a,
                      abi::cublasOperation trans_b, Count m, Count n, Count k, const void* alpha,
                      const void* a, abi::cudaDataType a_type, Count lda, const void* b,
                      abi::cudaDataType b_type, Count ldb, const void* beta, void* c,
                      abi::cudaDataType c_type, Count ldc, abi::cublasComputeType compute,
                      abi::cublasGemmAlgo) {
  add_product(digest, handle, {trans_a, trans_b, m, n, k}, {alpha, beta, scale_of(compute, c_type)},
              {a, size_of_type(a_type), lda}, {b, size_of_type(b_type), ldb},
              {c, size_of_type(c_type), ldc});
}

template <typename Count>
void describe_batched_ex(CallDigest& digest, abi::cublasHandle_t handle,
                         abi::cublasOperation trans_a, abi::cublasOperation trans_b, Count m,
                         Count n, Count k, const void* alpha, const void* const* a,
                         abi::cudaDataType a_type, Count lda, const void* const* b,
                         abi::cudaDataType b_type, Count ldb, const void* beta, void* const* c,
                         abi::cudaDataType c_type, Count ldc, Count batches,
                         abi::cublasComputeType compute, abi::cublasGemmAlgo) {
  add_product(digest, handle, {trans_a, trans_b, m, n, k, batches},
              {alpha, beta, scale_of(compute, c_type)}, {nullptr, size_of_type(a_type), lda, 0, a},
              {nullptr, size_of_type(b_type), ldb, 0, b},
              {nullptr, size_of_type(c_type), ldc, 0, c});
}

template <typename Count>
void describe_strided_ex(CallDigest& digest, abi::cublasHandle_t handle,
                         abi::cublasOperation trans_a, abi::cublasOperation trans_b, Count m,
                         Count n, Count k, const void* alpha, const void* a,
                         abi::cudaDataType a_type, Count lda, long long a_step, const void* b,
                         abi::cudaDataType b_type, Count ldb, long long b_step, const void* beta,
                         void* c, abi::cudaDataType c_type, Count ldc, long long c_step,
                         Count batches, abi::cublasComputeType compute, abi::cublasGemmAlgo) {
  add_product(digest, handle, {trans_a, trans_b, m, n, k, batches},
              {alpha, beta, scale_of(compute, c_type)}, {a, size_of_type(a_type), lda, a_step},
              {b, size_of_type(b_type), ldb, b_step}, {c, size_of_type(c_type), ldc, c_step});
}

} // namespace detshim
