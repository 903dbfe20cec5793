// A double of libcublas.so.13. Like the real one it reads CUBLAS_WORKSPACE_CONFIG once, when the
// first handle is made.
#include "cublas.h"
#include "record.h"

namespace {

constexpr int not_initialized = 1, invalid_value = 7;

struct Handle {
  int atomics_mode = 0;
};

/// The real one calls cuBLASLt for its products, through symbols that a preload may answer.
int gemm(const char* name, long k, int ldc, int batches, int compute, int algo) {
  record("%s k=%ld ldc=%d batches=%d compute=%d algo=%d", name, k, ldc, batches, compute, algo);
  if (misbehaves("fail") || misbehaves("fail_later"))
    return not_initialized;
  const LtAlgo timed{{77}};
  return cublasLtMatmul(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                        nullptr, nullptr, nullptr, nullptr, &timed, nullptr, 0, nullptr);
}

constexpr int version[] = {13, 1, 0};

} // namespace

extern "C" {

int cublasCreate_v2(Opaque* handle) {
  static const char* const workspace = std::getenv("CUBLAS_WORKSPACE_CONFIG");
  record("cublasCreate_v2 CUBLAS_WORKSPACE_CONFIG=%s", workspace ? workspace : "(unset)");
  if (misbehaves("fail"))
    return not_initialized;
  *handle = new Handle;
  return 0;
}

int cublasDestroy_v2(Opaque handle) {
  record("cublasDestroy_v2");
  delete static_cast<Handle*>(handle);
  return 0;
}

int cublasXtCreate(Opaque* handle) {
  record("cublasXtCreate");
  if (misbehaves("fail_later"))
    return not_initialized;
  *handle = new Handle;
  return 0;
}

int cublasSetAtomicsMode(Opaque handle, int mode) {
  record("cublasSetAtomicsMode mode=%d", mode);
  if (misbehaves("fail") || misbehaves("fail_later"))
    return not_initialized;
  if (mode != 0 && mode != 1)
    return invalid_value;
  static_cast<Handle*>(handle)->atomics_mode = mode;
  return 0;
}

int cublasGetAtomicsMode(Opaque handle, int* mode) {
  record("cublasGetAtomicsMode");
  *mode = static_cast<Handle*>(handle)->atomics_mode;
  return 0;
}

int cublasSetStream_v2(Opaque, Opaque stream) {
  record("cublasSetStream_v2 stream=%d", static_cast<int>(reinterpret_cast<size_t>(stream)));
  return misbehaves("fail_later") ? not_initialized : 0;
}

int cublasSetWorkspace_v2(Opaque, void*, size_t size) {
  record("cublasSetWorkspace_v2 size=%zu", size);
  return misbehaves("fail_later") ? not_initialized : 0;
}

int cublasSetMathMode(Opaque, int mode) {
  record("cublasSetMathMode mode=%d", mode);
  return misbehaves("fail_later") ? not_initialized : 0;
}

int cublasSetEmulationStrategy(Opaque, int strategy) {
  record("cublasSetEmulationStrategy strategy=%d", strategy);
  return misbehaves("fail_later") ? not_initialized : 0;
}

int cublasGemmEx(Opaque, int, int, int, int, int k, const void*, const void*, int, int, const void*,
                 int, int, const void*, void*, int, int ldc, int compute, int algo) {
  return gemm("cublasGemmEx", k, ldc, 1, compute, algo);
}

int cublasGemmEx_64(Opaque, int, int, long, long, long k, const void*, const void*, int, long,
                    const void*, int, long, const void*, void*, int, long ldc, int compute,
                    int algo) {
  return gemm("cublasGemmEx_64", k, static_cast<int>(ldc), 1, compute, algo);
}

int cublasGemmBatchedEx(Opaque, int, int, int, int, int k, const void*, const void* const*, int,
                        int, const void* const*, int, int, const void*, void* const*, int, int ldc,
                        int batches, int compute, int algo) {
  return gemm("cublasGemmBatchedEx", k, ldc, batches, compute, algo);
}

int cublasGemmBatchedEx_64(Opaque, int, int, long, long, long k, const void*, const void* const*,
                           int, long, const void* const*, int, long, const void*, void* const*, int,
                           long ldc, long batches, int compute, int algo) {
  return gemm("cublasGemmBatchedEx_64", k, static_cast<int>(ldc), static_cast<int>(batches),
              compute, algo);
}

int cublasGemmStridedBatchedEx(Opaque, int, int, int, int, int k, const void*, const void*, int,
                               int, long long, const void*, int, int, long long, const void*, void*,
                               int, int ldc, long long, int batches, int compute, int algo) {
  return gemm("cublasGemmStridedBatchedEx", k, ldc, batches, compute, algo);
}

int cublasGemmStridedBatchedEx_64(Opaque, int, int, long, long, long k, const void*, const void*,
                                  int, long, long long, const void*, int, long, long long,
                                  const void*, void*, int, long ldc, long long, long batches,
                                  int compute, int algo) {
  return gemm("cublasGemmStridedBatchedEx_64", k, static_cast<int>(ldc), static_cast<int>(batches),
              compute, algo);
}

// The real one answers without a handle too; that is how a library can be asked before it is used.
int cublasGetVersion_v2(Opaque, int* value) {
  *value = version[0] * 10000 + version[1] * 100 + version[2];
  return 0;
}

int cublasGetProperty(int type, int* value) {
  if (type < 0 || type > 2)
    return invalid_value;
  *value = version[type];
  return 0;
}

} // extern "C"
