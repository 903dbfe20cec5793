// Launches the kernels that its arguments name, so often: racing:200 quiet ticket.
#include <cstdio>
#include <cstdlib>
#include <cstring>

template <typename T>
__device__ void add(T* sum, T value) {
  atomicAdd(sum, value); // RACE
}

template <typename T>
__global__ void racing_sum(T* sum, T value) {
  add(sum, value);
}

__global__ void quiet(float* out, float value) { out[threadIdx.x] = value; }

__global__ void ticket(int* next, int* out) { out[atomicAdd(next, 1)] = threadIdx.x; }

int main(int argc, char** argv) {
  void* memory = nullptr;
  cudaMalloc(&memory, 1024);
  for (int i = 1; i < argc; ++i) {
    const char* const colon = std::strchr(argv[i], ':');
    for (int left = colon != nullptr ? std::atoi(colon + 1) : 1; left > 0; --left) {
      if (argv[i][0] == 'r') racing_sum<<<1, 32>>>(static_cast<float*>(memory), 1.0F);
      if (argv[i][0] == 'q') quiet<<<1, 32>>>(static_cast<float*>(memory), 1.0F);
      if (argv[i][0] == 't') ticket<<<1, 32>>>(static_cast<int*>(memory), static_cast<int*>(memory));
    }
  }
  std::printf("%d\n", static_cast<int>(cudaDeviceSynchronize()));
}
