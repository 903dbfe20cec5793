// cublasGemmEx with CUBLAS_GEMM_AUTOTUNE: cuBLAS itself measures its algorithms at the first
// product of a shape and keeps the fastest, another one from run to run. With --deterministic:
// CUBLAS_GEMM_DEFAULT.
#include "cublas_types.h"

namespace {

using gpu::Device;

constexpr int repeats = 10;
constexpr auto autotune =
    static_cast<cublasGemmAlgo_t>(999); // CUBLAS_GEMM_AUTOTUNE, in headers from 13.0 on

template <class T>
void multiply(cublasHandle_t handle, const gpu::Product& product, bool deterministic) {
  const std::string variant = std::string(gpu::CublasType<T>::name) + "." + product.name();
  const size_t m = static_cast<size_t>(product.m), n = static_cast<size_t>(product.n),
               k = static_cast<size_t>(product.k);
  const Device<T> a(gpu::fixed<T>(m * k, 1)), b(gpu::fixed<T>(k * n, 2));
  const Device<float> c(m * n);
  const float one = 1, zero = 0;
  const auto call = [&] {
    return cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, product.m, product.n, product.k, &one,
                        a.get(), gpu::CublasType<T>::value, product.m, b.get(),
                        gpu::CublasType<T>::value, product.k, &zero, c.get(), CUDA_R_32F, product.m,
                        gpu::CublasType<T>::compute,
                        deterministic ? CUBLAS_GEMM_DEFAULT : autotune);
  };
  gpu::attempt(variant, [&] {
    gpu::work(repeats, [&] {
      CHECK(call());
    });
    gpu::print(variant, c);
  });
}

} // namespace

int main(int argc, char** argv) {
  const gpu::Options options = gpu::start(argc, argv);
  cublasHandle_t handle = nullptr;
  CHECK(cublasCreate(&handle));
  for (const gpu::Product& product : gpu::products) {
    multiply<float>(handle, product, options.deterministic);
    multiply<__half>(handle, product, options.deterministic);
    multiply<__nv_bfloat16>(handle, product, options.deterministic);
  }
  CHECK(cublasDestroy(handle));
  return gpu::finish();
}
