// The part of cuBLAS and cuBLASLt that the doubles answer and their users call, written down by
// hand so that they build without the toolkit. The layouts are the real ones (cuBLAS 11 to 13);
// enumerations are passed as int.
#pragma once

#include "opaque.h"

/// cublasLtMatmulAlgo_t and cublasLtMatmulHeuristicResult_t.
struct LtAlgo {
  unsigned long long data[8];
};
struct LtResult {
  LtAlgo algo;
  size_t workspace_size;
  int state;
  float waves_count;
  int reserved[4];
};
static_assert(sizeof(LtResult) == 96 && offsetof(LtResult, state) == 72);

extern "C" {

// cuBLAS.
int cublasCreate_v2(Opaque* handle);
int cublasDestroy_v2(Opaque handle);
int cublasSetAtomicsMode(Opaque handle, int mode);
int cublasGetAtomicsMode(Opaque handle, int* mode);
int cublasSetStream_v2(Opaque handle, Opaque stream);
int cublasSetWorkspace_v2(Opaque handle, void* workspace, size_t size);
int cublasSetMathMode(Opaque handle, int mode);
int cublasSetEmulationStrategy(Opaque handle, int strategy);
int cublasGemmEx(Opaque handle, int trans_a, int trans_b, int m, int n, int k, const void* alpha,
                 const void* a, int a_type, int lda, const void* b, int b_type, int ldb,
                 const void* beta, void* c, int c_type, int ldc, int compute, int algo);
int cublasGemmEx_64(Opaque handle, int trans_a, int trans_b, long m, long n, long k,
                    const void* alpha, const void* a, int a_type, long lda, const void* b,
                    int b_type, long ldb, const void* beta, void* c, int c_type, long ldc,
                    int compute, int algo);
int cublasGemmBatchedEx(Opaque handle, int trans_a, int trans_b, int m, int n, int k,
                        const void* alpha, const void* const* a, int a_type, int lda,
                        const void* const* b, int b_type, int ldb, const void* beta, void* const* c,
                        int c_type, int ldc, int batches, int compute, int algo);
int cublasGemmBatchedEx_64(Opaque handle, int trans_a, int trans_b, long m, long n, long k,
                           const void* alpha, const void* const* a, int a_type, long lda,
                           const void* const* b, int b_type, long ldb, const void* beta,
                           void* const* c, int c_type, long ldc, long batches, int compute,
                           int algo);
int cublasGemmStridedBatchedEx(Opaque handle, int trans_a, int trans_b, int m, int n, int k,
                               const void* alpha, const void* a, int a_type, int lda,
                               long long a_step, const void* b, int b_type, int ldb,
                               long long b_step, const void* beta, void* c, int c_type, int ldc,
                               long long c_step, int batches, int compute, int algo);
int cublasGemmStridedBatchedEx_64(Opaque handle, int trans_a, int trans_b, long m, long n, long k,
                                  const void* alpha, const void* a, int a_type, long lda,
                                  long long a_step, const void* b, int b_type, long ldb,
                                  long long b_step, const void* beta, void* c, int c_type, long ldc,
                                  long long c_step, long batches, int compute, int algo);
int cublasGetVersion_v2(Opaque handle, int* version);
int cublasGetProperty(int type, int* value);

// cuBLASLt.
size_t cublasLtGetVersion();
int cublasLtGetProperty(int type, int* value);
int cublasXtCreate(Opaque* handle);
int cublasLtCreate(Opaque* handle);
int cublasLtDestroy(Opaque handle);
int cublasLtMatmulDescCreate(Opaque* descriptor, int compute_type, int scale_type);
int cublasLtMatmulDescDestroy(Opaque descriptor);
int cublasLtMatmulDescSetAttribute(Opaque descriptor, int attribute, const void* value,
                                   size_t size);
int cublasLtMatmulDescGetAttribute(Opaque descriptor, int attribute, void* value, size_t size,
                                   size_t* written);
int cublasLtMatrixLayoutCreate(Opaque* layout, int type, unsigned long long rows,
                               unsigned long long columns, long long leading);
int cublasLtMatrixLayoutSetAttribute(Opaque layout, int attribute, const void* value, size_t size);
int cublasLtMatrixLayoutDestroy(Opaque layout);
int cublasLtMatrixLayoutGetAttribute(Opaque layout, int attribute, void* value, size_t size,
                                     size_t* written);
int cublasLtMatmulAlgoGetHeuristic(Opaque handle, Opaque operation, Opaque a, Opaque b, Opaque c,
                                   Opaque d, Opaque preference, int requested, LtResult* results,
                                   int* returned);
int cublasLtMatmulAlgoGetHeuristicForStream(Opaque handle, Opaque operation, Opaque a, Opaque b,
                                            Opaque c, Opaque d, Opaque preference, int requested,
                                            LtResult* results, int* returned, Opaque stream);
int cublasLtMatmulAlgoGetIds(Opaque handle, int compute, int scale, int a, int b, int c, int d,
                             int requested, int* ids, int* returned);
int cublasLtMatmulAlgoInit(Opaque handle, int compute, int scale, int a, int b, int c, int d,
                           int id, LtAlgo* algo);
int cublasLtMatmulAlgoCheck(Opaque handle, Opaque operation, Opaque a, Opaque b, Opaque c, Opaque d,
                            const LtAlgo* algo, LtResult* result);
int cublasLtMatmulAlgoConfigGetAttribute(const LtAlgo* algo, int attribute, void* value,
                                         size_t size, size_t* written);
int cublasLtMatmulPreferenceCreate(Opaque* preference);
int cublasLtMatmulPreferenceDestroy(Opaque preference);
int cublasLtMatmulPreferenceSetAttribute(Opaque preference, int attribute, const void* value,
                                         size_t size);
int cublasLtMatmulAlgoConfigSetAttribute(LtAlgo* algo, int attribute, const void* value,
                                         size_t size);
int cublasLtMatmul(Opaque handle, Opaque operation, const void* alpha, const void* a,
                   Opaque a_layout, const void* b, Opaque b_layout, const void* beta, const void* c,
                   Opaque c_layout, void* d, Opaque d_layout, const LtAlgo* algo, void* workspace,
                   size_t workspace_size, Opaque stream);
int cuCtxGetDevice(int* device);
int cuDeviceGetName(char* name, int size, int device);

} // extern "C"
