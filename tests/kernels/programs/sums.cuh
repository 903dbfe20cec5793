// A function that adds, for sums.cu.
#pragma once
__device__ __forceinline__ void add_in_header(float* p, float x) {
  atomicAdd(p, x); // RACE sum_header
}
