// Device memory that is read before it is written. The program itself leaves numbers from the clock
// in memory that it frees, and then reads memory of the same size that it has just allocated: what
// is in there is what was left, by whatever route the memory came. With --deterministic the program
// clears it, as it should.
//
// Built twice: with the CUDA runtime linked in, as nvcc does by itself, and as memory_shared with
// libcudart.so.
#include "gpu.h"

#include <functional>

namespace {

__global__ void leave(uint64_t* data, size_t count, uint64_t seed) {
  const size_t stride = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride)
    data[i] = (seed + i) * 0x9e3779b97f4a7c15;
}

using Allocate = std::function<void*(size_t)>;
using Free = std::function<void(void*)>;

void read_unwritten(const std::string& variant, size_t bytes, const Allocate& allocate,
                    const Free& release, bool clear) {
  const size_t count = bytes / sizeof(uint64_t);
  void* left = allocate(bytes);
  leave<<<128, 256>>>(static_cast<uint64_t*>(left), count, gpu::clock_seed());
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  release(left);
  void* data = allocate(bytes);
  if (clear)
    CHECK(cudaMemset(data, 0, bytes));
  std::vector<uint64_t> values(count);
  CHECK(cudaMemcpy(values.data(), data, bytes, cudaMemcpyDeviceToHost));
  gpu::print_hash(variant, gpu::hash(values.data(), bytes));
  // The same once more, for its time.
  gpu::work(20, [&] {
    release(data);
    data = allocate(bytes);
    if (clear)
      CHECK(cudaMemset(data, 0, bytes));
  });
  release(data);
}

} // namespace

int main(int argc, char** argv) {
  const bool clear = gpu::start(argc, argv).deterministic;
  const Free release = [](void* data) {
    CHECK(cudaFree(data));
  };
  const Free release_async = [](void* data) {
    CHECK(cudaFreeAsync(data, nullptr));
  };
  const Allocate plain = [](size_t bytes) {
    void* data = nullptr;
    CHECK(cudaMalloc(&data, bytes));
    return data;
  };
  const Allocate pitched = [](size_t bytes) { // rows as long as a pitch: no gap between them
    void* data = nullptr;
    size_t pitch = 0;
    CHECK(cudaMallocPitch(&data, &pitch, 4096, bytes / 4096));
    return data;
  };
  const Allocate async = [](size_t bytes) {
    void* data = nullptr;
    CHECK(cudaMallocAsync(&data, bytes, nullptr));
    return data;
  };
  gpu::attempt("malloc.64KiB", [&] {
    read_unwritten("malloc.64KiB", 64 << 10, plain, release, clear);
  });
  gpu::attempt("malloc.16MiB", [&] {
    read_unwritten("malloc.16MiB", 16 << 20, plain, release, clear);
  });
  gpu::attempt("pitch.256KiB", [&] {
    read_unwritten("pitch.256KiB", 256 << 10, pitched, release, clear);
  });
  gpu::attempt("async.1MiB", [&] {
    read_unwritten("async.1MiB", 1 << 20, async, release_async, clear);
  });
  gpu::attempt("async.16MiB", [&] {
    read_unwritten("async.16MiB", 16 << 20, async, release_async, clear);
  });
  return gpu::finish();
}
