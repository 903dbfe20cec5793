// A sum like many: each thread of the GPU adds its part to one float, in whichever order they come.
#include <cstdio>

__global__ void sum(const float* parts, float* total) {
  atomicAdd(total, parts[blockIdx.x * blockDim.x + threadIdx.x]);
}

int main() {
  constexpr int count = 1 << 20;
  float *parts = nullptr, *total = nullptr;
  if (cudaMallocManaged(&parts, count * sizeof(float)) != cudaSuccess ||
      cudaMallocManaged(&total, sizeof(float)) != cudaSuccess) {
    std::fprintf(stderr, "no memory of a GPU's is to be had\n");
    return 1;
  }
  for (int i = 0; i < count; ++i) parts[i] = 1.0f / static_cast<float>(i + 1);
  sum<<<count / 256, 256>>>(parts, total);
  cudaDeviceSynchronize();
  std::printf("%.9f\n", *total);
}
