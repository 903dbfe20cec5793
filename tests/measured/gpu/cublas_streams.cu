// One cuBLAS handle that works on several streams at once. cuBLAS then shares its workspaces out as
// the streams come, and its documentation promises no bitwise repeatable results. Seldom seen: it
// needs products that split their sums, and streams that really overlap. With --deterministic:
// CUBLAS_WORKSPACE_CONFIG=:4096:8, the documented remedy.
#include "cublas_types.h"

namespace {

using gpu::Device;

constexpr int streams = 16, rounds = 40;

} // namespace

int main(int argc, char** argv) {
  const gpu::Options options = gpu::start(argc, argv);
  if (options.deterministic)
    setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", 1);
  cublasHandle_t handle = nullptr;
  CHECK(cublasCreate(&handle));
  std::vector<cudaStream_t> all(streams);
  for (cudaStream_t& stream : all)
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));

  const float one = 1, zero = 0;
  constexpr uint64_t seed = 1;
  for (const gpu::Product& product : gpu::products) {
    const size_t m = static_cast<size_t>(product.m), n = static_cast<size_t>(product.n),
                 k = static_cast<size_t>(product.k);
    const Device<float> a(gpu::fixed<float>(m * k, seed)), b(gpu::fixed<float>(k * n, seed + 1));
    const Device<float> c(m * n * streams);
    gpu::work(rounds, [&] {
      for (size_t i = 0; i < streams; ++i) {
        CHECK(cublasSetStream(handle, all[i]));
        CHECK(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, product.m, product.n, product.k, &one,
                          a.get(), product.m, b.get(), product.k, &zero, c.get() + i * m * n,
                          product.m));
      }
    });
    gpu::print(product.name(), c);
  }
  CHECK(cudaDeviceSynchronize());
  CHECK(cublasDestroy(handle));
  for (cudaStream_t stream : all)
    CHECK(cudaStreamDestroy(stream));
  return gpu::finish();
}
