// Sums of numbers of unlike magnitude by a grid of one block for each multiprocessor, as PyTorch and others
// make theirs: another count divides the numbers in another way, and the last digits differ. On one device
// nothing differs from run to run; between two devices of one architecture the hashes are equal where
// DETSHIM_SM_COUNT gives both one count. Run with DETSHIM_SM_COUNT=64.
#include "gpu.h"

namespace {

using gpu::Device;

constexpr int threads = 256, repeats = 20;
constexpr int count = 1 << 22;

/// Each block adds its numbers along a tree, one thread the blocks' sums in their order.
__global__ void sums_of_blocks(const float* values, float* partial) {
  __shared__ float sums[threads];
  float sum = 0;
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < count;
       i += static_cast<int>(gridDim.x) * threads)
    sum += values[i];
  sums[threadIdx.x] = sum;
  for (unsigned width = threads / 2; width > 0; width /= 2) {
    __syncthreads();
    if (threadIdx.x < width) sums[threadIdx.x] += sums[threadIdx.x + width];
  }
  if (threadIdx.x == 0) partial[blockIdx.x] = sums[0];
}

__global__ void sum_of_sums(const float* partial, int blocks, float* result) {
  float sum = 0;
  for (int i = 0; i < blocks; ++i) sum += partial[i];
  *result = sum;
}

void add_by_grid(const char* variant, int blocks) {
  const Device<float> values(gpu::fixed<float>(count, 1, 12)), result(1),
      partial(static_cast<size_t>(blocks));
  gpu::work(repeats, [&] {
    sums_of_blocks<<<static_cast<unsigned>(blocks), threads>>>(values.get(), partial.get());
    sum_of_sums<<<1, 1>>>(partial.get(), blocks, result.get());
    CHECK(cudaGetLastError());
  });
  gpu::print(variant, result);
}

} // namespace

int main(int argc, char** argv) {
  gpu::start(argc, argv);
  int blocks = 0;
  CHECK(cudaDeviceGetAttribute(&blocks, cudaDevAttrMultiProcessorCount, 0));
  add_by_grid("attribute", blocks);
  cudaDeviceProp properties{};
  CHECK(cudaGetDeviceProperties(&properties, 0));
  add_by_grid("properties", properties.multiProcessorCount);
  return gpu::finish();
}
