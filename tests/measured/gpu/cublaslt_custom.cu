// cuBLASLt as NVIDIA's custom-find samples use it: list the algorithms' numbers, configure each
// with every tile and number of stages that it has, with and without a divided sum, time those that
// the check takes and that fit, keep the fastest, another one from run to run. With
// --deterministic: the first that runs.
#include "cublas_types.h"

#include <cublasLt.h>

#include <vector>

namespace {

using gpu::Device;

constexpr int repeats = 10;
constexpr int numbers = 64;
constexpr size_t workspace_bytes = 32 << 20;

/// What an algorithm has of tiles, or of stages; one 0 if it has none to choose.
std::vector<uint32_t> numbers_of(const cublasLtMatmulAlgo_t& algo,
                                 cublasLtMatmulAlgoCapAttributes_t which) {
  size_t bytes = 0;
  CHECK(cublasLtMatmulAlgoCapGetAttribute(&algo, which, nullptr, 0, &bytes));
  std::vector<uint32_t> found(bytes / sizeof(uint32_t));
  if (found.empty())
    return {0};
  CHECK(cublasLtMatmulAlgoCapGetAttribute(&algo, which, found.data(), bytes, &bytes));
  return found;
}

void multiply(cublasLtHandle_t handle, const Device<char>& workspace, const gpu::Product& product,
              const std::string& variant, bool deterministic) {
  const auto m = static_cast<uint64_t>(product.m), n = static_cast<uint64_t>(product.n),
             k = static_cast<uint64_t>(product.k);
  const Device<float> a(gpu::fixed<float>(m * k, 1)), b(gpu::fixed<float>(k * n, 2)), c(m * n);
  const float one = 1, zero = 0;
  constexpr auto compute = gpu::CublasType<float>::compute;

  cublasLtMatmulDesc_t operation = nullptr;
  cublasLtMatrixLayout_t a_layout = nullptr, b_layout = nullptr, c_layout = nullptr;
  CHECK(cublasLtMatmulDescCreate(&operation, compute, CUDA_R_32F));
  CHECK(cublasLtMatrixLayoutCreate(&a_layout, CUDA_R_32F, m, k, product.m));
  CHECK(cublasLtMatrixLayoutCreate(&b_layout, CUDA_R_32F, k, n, product.k));
  CHECK(cublasLtMatrixLayoutCreate(&c_layout, CUDA_R_32F, m, n, product.m));
  const auto call = [&](const cublasLtMatmulAlgo_t& algo) {
    return cublasLtMatmul(handle, operation, &one, a.get(), a_layout, b.get(), b_layout, &zero,
                          c.get(), c_layout, c.get(), c_layout, &algo, workspace.get(),
                          workspace_bytes, nullptr);
  };

  int ids[numbers];
  int count = 0;
  CHECK(cublasLtMatmulAlgoGetIds(handle, compute, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F,
                                 CUDA_R_32F, numbers, ids, &count));
  cublasLtMatmulAlgo_t best = {};
  bool is_found = false;
  float shortest = 0;
  for (int i = 0; i < count && !(deterministic && is_found); ++i) {
    cublasLtMatmulAlgo_t algo;
    if (cublasLtMatmulAlgoInit(handle, compute, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F,
                               CUDA_R_32F, ids[i], &algo) != CUBLAS_STATUS_SUCCESS)
      continue;
    for (const uint32_t tile : numbers_of(algo, CUBLASLT_ALGO_CAP_TILE_IDS))
      for (const uint32_t stages : numbers_of(algo, CUBLASLT_ALGO_CAP_STAGES_IDS))
        for (const uint32_t parts : {1u, 4u}) {
          const uint32_t reduction =
              parts == 1 ? CUBLASLT_REDUCTION_SCHEME_NONE : CUBLASLT_REDUCTION_SCHEME_INPLACE;
          CHECK(cublasLtMatmulAlgoConfigSetAttribute(&algo, CUBLASLT_ALGO_CONFIG_TILE_ID, &tile,
                                                     sizeof tile));
          CHECK(cublasLtMatmulAlgoConfigSetAttribute(&algo, CUBLASLT_ALGO_CONFIG_STAGES_ID, &stages,
                                                     sizeof stages));
          CHECK(cublasLtMatmulAlgoConfigSetAttribute(&algo, CUBLASLT_ALGO_CONFIG_SPLITK_NUM, &parts,
                                                     sizeof parts));
          CHECK(cublasLtMatmulAlgoConfigSetAttribute(&algo, CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME,
                                                     &reduction, sizeof reduction));
          cublasLtMatmulHeuristicResult_t checked;
          if ((deterministic && is_found) ||
              cublasLtMatmulAlgoCheck(handle, operation, a_layout, b_layout, c_layout, c_layout,
                                      &algo, &checked) != CUBLAS_STATUS_SUCCESS ||
              checked.workspaceSize > workspace_bytes || call(algo) != CUBLAS_STATUS_SUCCESS)
            continue;
          const float time = gpu::event_milliseconds(nullptr, 3, [&] {
            CHECK(call(algo));
          });
          if (!is_found || time < shortest)
            best = algo, shortest = time;
          is_found = true;
        }
  }
  if (!is_found)
    gpu::unsupported();
  gpu::work(repeats, [&] {
    CHECK(call(best));
  });
  gpu::print(variant, c);
  for (cublasLtMatrixLayout_t layout : {a_layout, b_layout, c_layout})
    CHECK(cublasLtMatrixLayoutDestroy(layout));
  CHECK(cublasLtMatmulDescDestroy(operation));
}

} // namespace

int main(int argc, char** argv) {
  const gpu::Options options = gpu::start(argc, argv);
  cublasLtHandle_t handle = nullptr;
  CHECK(cublasLtCreate(&handle));
  const Device<char> workspace(workspace_bytes);
  for (const gpu::Product& product : gpu::products) {
    const std::string variant = "custom." + product.name();
    gpu::attempt(variant, [&] {
      multiply(handle, workspace, product, variant, options.deterministic);
    });
  }
  CHECK(cublasLtDestroy(handle));
  return gpu::finish();
}
