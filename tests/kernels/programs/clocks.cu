// Values that the hardware gives: clocks, places, and calls of the runtime.
#include <cassert>
#include <cstdio>

extern "C" {

// A seed from the clock.
__global__ void clock_seed(unsigned* out) {
  unsigned long long x = clock64() ^ (threadIdx.x * 0x9e3779b97f4a7c15ull); // RACE clock_seed
  out[threadIdx.x] = unsigned(x * 6364136223846793005ull >> 33);
}

// The 32-bit clock.
__global__ void clock_short(unsigned* out) { out[threadIdx.x] = clock(); } // RACE clock_short

// The timer in nanoseconds.
__global__ void clock_global(unsigned long long* out) {
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)); // RACE clock_global
  out[threadIdx.x] = t;
}

// A wait by the clock: the result repeats.
__global__ void clock_wait(int* out, int cycles) {
  long long start = clock64();
  while (clock64() - start < cycles) {
  }
  out[threadIdx.x] = threadIdx.x;
}

// The SM on which the block runs.
__global__ void place_smid(unsigned* out) {
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm)); // RACE place_smid
  out[blockIdx.x] = sm;
}

// The warp's slot in the SM.
__global__ void place_warpid(unsigned* out) {
  unsigned warp;
  asm volatile("mov.u32 %0, %%warpid;" : "=r"(warp)); // RACE place_warpid
  out[threadIdx.x] = warp;
}

// The grid's number, which the driver gives.
__global__ void place_gridid(unsigned long long* out) {
  unsigned long long grid;
  asm volatile("mov.u64 %0, %%gridid;" : "=l"(grid));
  out[0] = grid;
}

// Prints.
__global__ void only_printf(const int* in) {
  if (in[threadIdx.x] < 0) printf("negative at %d\n", threadIdx.x);
}

// Asserts.
__global__ void only_assert(float* out, const float* in) {
  assert(in[threadIdx.x] >= 0);
  out[threadIdx.x] = in[threadIdx.x] * 2;
}

// Traps.
__global__ void only_trap(float* out, const float* in) {
  if (in[threadIdx.x] < 0) __trap();
  out[threadIdx.x] = in[threadIdx.x] * 2;
}

// Memory from the device's heap.
__global__ void only_malloc(int* out) {
  int* p = static_cast<int*>(malloc(16));
  if (!p) return;
  p[threadIdx.x & 3] = threadIdx.x;
  out[threadIdx.x] = p[threadIdx.x & 3];
  free(p);
}

} // extern "C"
