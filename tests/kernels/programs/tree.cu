// Float sums in a fixed order: they repeat.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" {

// Shuffles within a warp.
__global__ void tree_shuffle(float* out, const float* in) {
  float x = in[threadIdx.x];
  for (int d = 16; d > 0; d /= 2) x += __shfl_down_sync(~0u, x, d);
  if ((threadIdx.x & 31) == 0) out[threadIdx.x / 32] = x;
}

// A tree in shared memory.
__global__ void tree_shared(float* out, const float* in) {
  __shared__ float part[256];
  part[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  for (int d = 128; d > 0; d /= 2) {
    if (threadIdx.x < d) part[threadIdx.x] += part[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

// Blocks one after another: each waits for the flag of the one before.
__global__ void tree_chain(float* sum, const float* in, volatile int* turn) {
  if (threadIdx.x != 0) return;
  while (*turn != blockIdx.x) {
  }
  __threadfence();
  *(volatile float*)sum = *(volatile float*)sum + in[blockIdx.x];
  __threadfence();
  *turn = blockIdx.x + 1;
}

// A grid-wide barrier (an atomic ticket inside) between the two halves of a sum.
__global__ void tree_grid_sync(float* out, float* part, const float* in) {
  cg::grid_group grid = cg::this_grid();
  float x = in[grid.thread_rank()];
  for (int d = 16; d > 0; d /= 2) x += __shfl_down_sync(~0u, x, d);
  if (threadIdx.x == 0) part[blockIdx.x] = x;
  grid.sync();
  if (grid.thread_rank() == 0) {
    float sum = 0;
    for (int i = 0; i < gridDim.x; i++) sum += part[i];
    *out = sum;
  }
}

// Lane number, lane masks, number of SMs, warp votes and matches: the same in every run.
__global__ void tree_lanes(unsigned* out, const int* in) {
  unsigned lane, less, sms;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(less));
  asm("mov.u32 %0, %%nsmid;" : "=r"(sms));
  unsigned same = __match_any_sync(~0u, in[threadIdx.x]);
  out[threadIdx.x] = lane + __popc(less & __ballot_sync(~0u, in[threadIdx.x] > 3)) + sms + same;
}

// A product of matrices and plain loops.
__global__ void tree_matmul(float* c, const float* a, const float* b, int n) {
  float sum = 0;
  for (int k = 0; k < n; k++) sum += a[threadIdx.x * n + k] * b[k * n + blockIdx.x];
  c[threadIdx.x * n + blockIdx.x] = sum;
}

// Votes in divergent code, where the compiler calls a subroutine of its own on some architectures.
__global__ void tree_diverged(int* out, const int* in, unsigned mask) {
  int x = in[threadIdx.x];
  if (x & 1) {
    x += __shfl_xor_sync(mask, x, 1);
    x += __any_sync(mask, x > 5);
  }
  out[threadIdx.x] = x;
}

} // extern "C"
