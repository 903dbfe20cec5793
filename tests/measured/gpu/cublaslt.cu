// cuBLASLt as autotuners use it: ask the heuristic for many candidates, time each by events, keep
// the fastest, another one from run to run. With --deterministic: the heuristic's first.
#include "cublas_types.h"

#include <cublasLt.h>

namespace {

using gpu::Device;

constexpr int repeats = 10;
constexpr int candidates = 24;
constexpr size_t workspace_bytes = 32 << 20;

template <class T>
void multiply(cublasLtHandle_t handle, const Device<char>& workspace, const gpu::Product& product,
              const std::string& variant, bool deterministic) {
  const auto m = static_cast<uint64_t>(product.m), n = static_cast<uint64_t>(product.n),
             k = static_cast<uint64_t>(product.k);
  const Device<T> a(gpu::fixed<T>(m * k, 1)), b(gpu::fixed<T>(k * n, 2));
  const Device<float> c(m * n);
  const float one = 1, zero = 0;

  cublasLtMatmulDesc_t operation = nullptr;
  cublasLtMatrixLayout_t a_layout = nullptr, b_layout = nullptr, c_layout = nullptr;
  cublasLtMatmulPreference_t preference = nullptr;
  CHECK(cublasLtMatmulDescCreate(&operation, gpu::CublasType<T>::compute, CUDA_R_32F));
  CHECK(cublasLtMatrixLayoutCreate(&a_layout, gpu::CublasType<T>::value, m, k, product.m));
  CHECK(cublasLtMatrixLayoutCreate(&b_layout, gpu::CublasType<T>::value, k, n, product.k));
  CHECK(cublasLtMatrixLayoutCreate(&c_layout, CUDA_R_32F, m, n, product.m));
  CHECK(cublasLtMatmulPreferenceCreate(&preference));
  CHECK(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                             &workspace_bytes, sizeof workspace_bytes));

  cublasLtMatmulHeuristicResult_t found[candidates];
  int count = 0;
  CHECK(cublasLtMatmulAlgoGetHeuristic(handle, operation, a_layout, b_layout, c_layout, c_layout,
                                       preference, deterministic ? 1 : candidates, found, &count));
  const auto call = [&](const cublasLtMatmulHeuristicResult_t& candidate) {
    return cublasLtMatmul(handle, operation, &one, a.get(), a_layout, b.get(), b_layout, &zero,
                          c.get(), c_layout, c.get(), c_layout, &candidate.algo, workspace.get(),
                          workspace_bytes, nullptr);
  };
  int best = -1;
  float shortest = 0;
  for (int i = 0; i < count; ++i) {
    if (found[i].state != CUBLAS_STATUS_SUCCESS || call(found[i]) != CUBLAS_STATUS_SUCCESS)
      continue;
    const float time = gpu::event_milliseconds(nullptr, 3, [&] {
      CHECK(call(found[i]));
    });
    if (best < 0 || time < shortest)
      best = i, shortest = time;
  }
  if (best < 0)
    gpu::unsupported();
  gpu::work(repeats, [&] {
    CHECK(call(found[best]));
  });
  gpu::print(variant, c);
  CHECK(cublasLtMatmulPreferenceDestroy(preference));
  for (cublasLtMatrixLayout_t layout : {a_layout, b_layout, c_layout})
    CHECK(cublasLtMatrixLayoutDestroy(layout));
  CHECK(cublasLtMatmulDescDestroy(operation));
}

template <class T>
void multiply(cublasLtHandle_t handle, const Device<char>& workspace, const gpu::Product& product,
              bool deterministic) {
  const std::string variant = std::string(gpu::CublasType<T>::name) + "." + product.name();
  gpu::attempt(variant, [&] {
    multiply<T>(handle, workspace, product, variant, deterministic);
  });
}

} // namespace

int main(int argc, char** argv) {
  const gpu::Options options = gpu::start(argc, argv);
  cublasLtHandle_t handle = nullptr;
  CHECK(cublasLtCreate(&handle));
  const Device<char> workspace(workspace_bytes);
  for (const gpu::Product& product : gpu::products) {
    multiply<float>(handle, workspace, product, options.deterministic);
    multiply<__half>(handle, workspace, product, options.deterministic);
    multiply<__nv_bfloat16>(handle, workspace, product, options.deterministic);
  }
  CHECK(cublasLtDestroy(handle));
  return gpu::finish();
}
