// What cuBLAS's functions read and write, for DETSHIM_FINGERPRINT=calls.
#pragma once

#include "abi/cublas.h"
#include "hooks/cuda/outputs.h"
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

/// C = alpha op(A) op(B) + beta C
struct BlasProduct {
  int transposed_a, transposed_b;
  int64_t m, n, k;
  BlasMatrix a, b, c;
  int64_t batches = 1;
  const void *alpha, *beta;
  uint64_t scale; ///< bytes of each; 0: not known
};

HashedArea area_of(const BlasMatrix& matrix, int64_t rows, int64_t columns, int64_t batches = 1);

/// What a call multiplies by: numbers of the host's go in with the rest, and so does what lies on the GPU.
/// True if what was there before counts too: by beta, nullptr for a call without. Where that lies on the GPU
/// it is not known, and nothing is said of the inputs.
template <typename Call>
bool add_scales(const Call& call, CallOutputs& outputs, abi::cublasHandle_t handle, uint64_t size,
                const void* alpha, const void* beta) {
  static constinit FunctionBeside<abi::cublasStatus(abi::cublasHandle_t, int*)> get_mode(
      "cublasGetPointerMode_v2");
  auto* const get = get_mode.of(call);
  int is_on_device = 1;
  if (handle == nullptr || size == 0 || size > 16 || get == nullptr ||
      get(handle, &is_on_device) != abi::cublasStatus::success)
    return outputs.leave_inputs(), false;
  if (is_on_device != 0) {
    if (beta != nullptr) outputs.leave_inputs();
    outputs.add_input(bytes_at(alpha, size));
    return false;
  }
  outputs.add_number(alpha, size);
  if (beta == nullptr) return false;
  outputs.add_number(beta, size);
  unsigned char bytes[16] = {};
  __builtin_memcpy(bytes, beta, size);
  for (const unsigned char byte : bytes)
    if (byte != 0) return true;
  return false;
}

template <typename Call>
void add_stream(const Call& call, CallOutputs& outputs, abi::cublasHandle_t handle) {
  static constinit FunctionBeside<abi::cublasStatus(abi::cublasHandle_t, abi::cudaStream_t*)> get_stream(
      "cublasGetStream_v2");
  auto* const get = get_stream.of(call);
  abi::cudaStream_t stream = nullptr;
  if (get != nullptr && handle != nullptr && get(handle, &stream) == abi::cublasStatus::success)
    outputs.set_stream(stream);
  else
    outputs.leave_outputs(Reason::stream_unknown);
}

void add_product(CallOutputs& outputs, const BlasProduct& product);

template <typename Call>
void describe_product(const Call& call, CallOutputs& outputs, abi::cublasHandle_t handle,
                      const BlasProduct& product) {
  add_stream(call, outputs, handle);
  if (add_scales(call, outputs, handle, product.scale, product.alpha, product.beta))
    outputs.add_changed(area_of(product.c, product.m, product.n, product.batches));
  add_product(outputs, product);
}

/// Bytes of alpha and beta of a product of the cublasGemmEx family; 0 where that is not known.
constexpr uint64_t scale_of(abi::cublasComputeType compute, abi::cudaDataType c_type) {
  const auto type = static_cast<int>(c_type);
  const uint64_t parts = type == 4 || type == 5 || type == 6 || type == 7 ? 2 : 1; // complex
  switch (static_cast<int>(compute)) {
  case 64: // CUBLAS_COMPUTE_16F, and pedantic
  case 65:
    return 2 * parts;
  case 68: // 32F, pedantic, and the faster ones
  case 69:
  case 74:
  case 75:
  case 77:
  case 78:
    return 4 * parts;
  case 70: // 64F, pedantic, and by fixed-point numbers
  case 71:
  case 79:
    return 8 * parts;
  case 72: // 32I, and pedantic
  case 73:
    return 4;
  default:
    return 0;
  }
}

} // namespace detshim
