// Loops of compare and swap, and locks.
#include <cuda_bf16.h>

extern "C" {

// Adds a double as on sm_35.
__global__ void cas_add_f64(double* out, const double* in) {
  unsigned long long *p = reinterpret_cast<unsigned long long*>(out), old = *p, seen;
  do {
    seen = old;
    const double sum = in[threadIdx.x] + __longlong_as_double(seen);
    old = atomicCAS(p, seen, __double_as_longlong(sum)); // RACE cas_add_f64
  } while (seen != old);
}

// Adds a bfloat16 by a 16-bit compare and swap.
__global__ void cas_add_bf16(unsigned short* out, const __nv_bfloat16* in) {
  unsigned short old = *out, seen;
  do {
    seen = old;
    old = atomicCAS(
        out, seen,
        __bfloat16_as_ushort(__hadd(__ushort_as_bfloat16(seen), in[threadIdx.x]))); // RACE cas_add_bf16
  } while (seen != old);
}

// Multiplies floats.
__global__ void cas_multiply(float* out, const float* in) {
  int *p = reinterpret_cast<int*>(out), old = *p, seen;
  do {
    seen = old;
    old = atomicCAS(p, seen, __float_as_int(in[threadIdx.x] * __int_as_float(seen))); // RACE cas_multiply
  } while (seen != old);
}

// The greatest float: its order does not matter, so it repeats.
__global__ void cas_max(float* out, const float* in) {
  int *p = reinterpret_cast<int*>(out), old = *p, seen;
  do {
    seen = old;
    old = atomicCAS(p, seen, __float_as_int(fmaxf(in[threadIdx.x], __int_as_float(seen))));
  } while (seen != old);
}

// Adds integers modulo a number: it repeats.
__global__ void cas_integer(unsigned* out, const unsigned* in) {
  unsigned old = *out, seen;
  do {
    seen = old;
    old = atomicCAS(out, seen, (seen + in[threadIdx.x]) % 1000003u);
  } while (seen != old);
}

// A lock around a float sum, with backoff.
__global__ void lock_float(float* sum, int* lock, const float* in) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) __nanosleep(100); // RACE lock_float
  __threadfence();
  *(volatile float*)sum = *(volatile float*)sum + in[blockIdx.x];
  __threadfence();
  atomicExch(lock, 0);
}

// A lock around an integer sum: it repeats.
__global__ void lock_integer(int* sum, int* lock, const int* in) {
  if (threadIdx.x != 0) return;
  while (atomicExch(lock, 1) != 0) {
  }
  __threadfence();
  *(volatile int*)sum = *(volatile int*)sum + in[blockIdx.x];
  __threadfence();
  atomicExch(lock, 0);
}

// A race of plain loads and stores. No scanner can tell it from correct code.
__global__ void plain_race(float* sum, const float* in) { *sum += in[threadIdx.x + blockIdx.x * blockDim.x]; }

} // extern "C"
