// A kernel of the program's own that adds numbers of unlike magnitude by atomics: the order of the
// additions, and so the last digits, differ from run to run. No host call decides this, so detshim
// cannot fix it; it counts the launches and reads the code. With --deterministic: sums of fixed
// parts, added in a fixed order.
//
// Built twice: with the CUDA runtime linked in, as nvcc does by itself, and as atomics_shared with
// libcudart.so.
#include "gpu.h"

namespace {

using gpu::Device;

constexpr int sums = 16, blocks = 512, threads = 256, repeats = 20;
constexpr int count = 1 << 22;

__global__ void contended_sum(const float* values, float* result) {
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < count;
       i += blocks * threads)
    atomicAdd(&result[i % sums], values[i]);
}

__global__ void partial_sums(const float* values, float* partial) {
  const int thread = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  float sum = 0; // of one residue: the stride is a multiple of `sums`
  for (int i = thread; i < count; i += blocks * threads)
    sum += values[i];
  partial[thread] = sum;
}

__global__ void sum_of_partial_sums(const float* partial, float* result) {
  float sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < blocks * threads; i += sums)
    sum += partial[i];
  result[threadIdx.x] = sum;
}
static_assert(blocks * threads % sums == 0);

} // namespace

int main(int argc, char** argv) {
  const gpu::Options options = gpu::start(argc, argv);
  constexpr uint64_t seed = 1;
  const Device<float> values(gpu::fixed<float>(count, seed, 12)), result(sums),
      partial(blocks * threads);
  gpu::work(repeats, [&] {
    CHECK(cudaMemsetAsync(result.get(), 0, result.bytes()));
    if (options.deterministic) {
      partial_sums<<<blocks, threads>>>(values.get(), partial.get());
      sum_of_partial_sums<<<1, sums>>>(partial.get(), result.get());
    } else {
      contended_sum<<<blocks, threads>>>(values.get(), result.get());
    }
    CHECK(cudaGetLastError());
  });
  gpu::print("float", result);
  return gpu::finish();
}
