// Barriers in shared memory count arrivals with atomics: no sums. For sm_80 and later.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/barrier>
namespace cg = cooperative_groups;

extern "C" {

// A block waits by cuda::barrier.
__global__ void barrier_block(float* out, const float* in) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  __shared__ float part[256];
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  part[threadIdx.x & 255] = in[threadIdx.x];
  barrier.arrive_and_wait();
  out[threadIdx.x] = part[(threadIdx.x + 1) & 255];
}

// Sums of a tile of a warp: shuffles for floats, one instruction for integers.
__global__ void barrier_tile(float* out, int* n, const float* in) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  float x = cg::reduce(tile, in[threadIdx.x], cg::plus<float>());
  int i = __reduce_add_sync(~0u, int(threadIdx.x) * 3);
  if (tile.thread_rank() == 0) out[tile.meta_group_rank()] = x, n[tile.meta_group_rank()] = i;
}

} // extern "C"
