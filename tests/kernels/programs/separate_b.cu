// The functions that separate_a.cu calls.
__device__ __noinline__ void add_elsewhere(float* p, float x) {
  atomicAdd(p, x); // RACE separate_adds
}
__device__ __noinline__ float plain_elsewhere(float x) { return x * x; }
