// What cublasLtMatmul reads and writes.
#pragma once

#include "abi/cublaslt.h"
#include "hooks/digests/call_digest.h"

namespace detshim {

void describe_lt_product(CallDigest& digest, abi::cublasLtHandle_t handle,
                         abi::cublasLtMatmulDesc_t operation, const void* alpha, const void* a,
                         abi::cublasLtMatrixLayout_t a_layout, const void* b,
                         abi::cublasLtMatrixLayout_t b_layout, const void* beta, const void* c,
                         abi::cublasLtMatrixLayout_t c_layout, void* d, abi::cublasLtMatrixLayout_t d_layout,
                         const abi::cublasLtMatmulAlgo* algo, void* workspace, size_t workspace_size,
                         abi::cudaStream_t stream);

} // namespace detshim
