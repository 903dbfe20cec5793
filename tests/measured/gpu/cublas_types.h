// What the cuBLAS and cuBLASLt programs share.
#pragma once

#include "gpu.h"

#include <cublas_v2.h>

namespace gpu {

template <>
inline const char* describe(cublasStatus_t status) {
  return cublasGetStatusString(status);
}

template <>
inline bool is_unsupported(cublasStatus_t status) {
  return status == CUBLAS_STATUS_NOT_SUPPORTED;
}

template <class T>
struct CublasType;
template <>
struct CublasType<float> {
  static constexpr cudaDataType_t value = CUDA_R_32F;
  // TensorFloat-32 rounds the factors: candidates with and without it differ more.
  static constexpr cublasComputeType_t compute = CUBLAS_COMPUTE_32F_FAST_TF32;
  static constexpr const char* name = "float";
};
template <>
struct CublasType<__half> {
  static constexpr cudaDataType_t value = CUDA_R_16F;
  static constexpr cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  static constexpr const char* name = "half";
};
template <>
struct CublasType<__nv_bfloat16> {
  static constexpr cudaDataType_t value = CUDA_R_16BF;
  static constexpr cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  static constexpr const char* name = "bf16";
};

/// C = A B, all in columns, A m by k, B k by n.
struct Product {
  int m, n, k;
  std::string name() const {
    return std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
  }
};

// Small and deep: many candidates are about equally fast, and those that split the sum over k add
// in another order. The result is kept as float, where that shows.
constexpr Product products[] = {{64, 64, 8192},   {128, 128, 4096}, {256, 64, 4096},
                                {384, 128, 2048}, {1024, 32, 2048}, {512, 512, 512},
                                {96, 160, 6144},  {768, 256, 1024}};

} // namespace gpu
