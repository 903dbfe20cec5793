// Sums of floating-point numbers by atomicAdd: the order of the additions differs from run to run.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "sums.cuh"

extern "C" {

// f32 in global memory, result unused.
__global__ void sum_f32(float* out, const float* in) {
  atomicAdd(out, in[blockIdx.x * blockDim.x + threadIdx.x]); // RACE sum_f32
}

// f64 in global memory.
__global__ void sum_f64(double* out, const double* in) {
  atomicAdd(out, in[blockIdx.x * blockDim.x + threadIdx.x]); // RACE sum_f64
}

// One half: a CAS loop on every architecture.
__global__ void sum_f16(__half* out, const __half* in) {
  atomicAdd(out, in[threadIdx.x]); // RACE sum_f16
}

// Two halves at once.
__global__ void sum_f16x2(__half2* out, const __half2* in) {
  atomicAdd(out, in[threadIdx.x]); // RACE sum_f16x2
}

// One bfloat16: a CAS loop on every architecture.
__global__ void sum_bf16(__nv_bfloat16* out, const __nv_bfloat16* in) {
  atomicAdd(out, in[threadIdx.x]); // RACE sum_bf16
}

// Two bfloat16 at once: one instruction from sm_90 on, a CAS loop before.
__global__ void sum_bf16x2(__nv_bfloat162* out, const __nv_bfloat162* in) {
  atomicAdd(out, in[threadIdx.x]); // RACE sum_bf16x2
}

// The old value is used as well.
__global__ void sum_f32_result(float* out, float* old, const float* in) {
  old[threadIdx.x] = atomicAdd(out, in[threadIdx.x]); // RACE sum_f32_result
}

// f32 in shared memory.
__global__ void sum_shared_f32(float* out, const float* in) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, in[threadIdx.x]); // RACE sum_shared_f32
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

// f64 in shared memory.
__global__ void sum_shared_f64(double* out, const double* in) {
  __shared__ double sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, in[threadIdx.x]); // RACE sum_shared_f64
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

// Two halves at once in shared memory.
__global__ void sum_shared_f16x2(__half2* out, const __half2* in) {
  __shared__ __half2 sum;
  if (threadIdx.x == 0) sum = __half2{};
  __syncthreads();
  atomicAdd(&sum, in[threadIdx.x]); // RACE sum_shared_f16x2
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

// An address that may be global or shared.
__global__ void sum_generic(float* out, const float* in, int where) {
  __shared__ float sum[32];
  sum[threadIdx.x & 31] = 0;
  __syncthreads();
  float* p = where & 1 ? &sum[where & 31] : out + where;
  atomicAdd(p, in[threadIdx.x]); // RACE sum_generic
  __syncthreads();
  out[32 + threadIdx.x] = sum[threadIdx.x & 31];
}

// Scope of the system and of the block.
__global__ void sum_scopes(float* out, const float* in) {
  atomicAdd_system(out, in[threadIdx.x]);                 // RACE sum_scopes
  atomicAdd_block(out + 1 + blockIdx.x, in[threadIdx.x]); // RACE sum_scopes
}

// A float histogram: weights added to bins in shared, then in global memory.
__global__ void histogram_float(float* bins, const int* keys, const float* weights) {
  __shared__ float mine[64];
  mine[threadIdx.x & 63] = 0;
  __syncthreads();
  atomicAdd(&mine[keys[threadIdx.x] & 63], weights[threadIdx.x]); // RACE histogram_float
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]); // RACE histogram_float
}

// In a function of a header.
__global__ void sum_header(float* out, const float* in) { add_in_header(out, in[threadIdx.x]); }

// Written in PTX.
__global__ void sum_inline_ptx(float* out, const float* in) {
  float x = in[threadIdx.x];
  asm volatile("red.global.add.f32 [%0], %1;" ::"l"(out), "f"(x) : "memory"); // RACE sum_inline_ptx
}

} // extern "C"

// A template.
template <class T>
__global__ void sum_template(T* out, const T* in) {
  atomicAdd(out, in[threadIdx.x]); // RACE _Z12sum_templateIfEvPT_PKS0_ _Z12sum_templateIdEvPT_PKS0_
}
template __global__ void sum_template<float>(float*, const float*);
template __global__ void sum_template<double>(double*, const double*);
template __global__ void sum_template<int>(int*, const int*); // an integer: repeats

// A lambda (a functor's operator) that a generic kernel calls for each element.
template <class F>
__device__ void each(int n, F f) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) f(i);
}
extern "C" __global__ void sum_lambda(float* out, const float* in, int n) {
  each(n, [=](int i) { atomicAdd(out + (i & 7), in[i]); }); // RACE sum_lambda
}

// Adds of zero-cost type punning: integer atomics on a float's bits are no float sum.
extern "C" __global__ void add_bits(float* out, const int* in) {
  atomicAdd(reinterpret_cast<int*>(out), in[threadIdx.x]);
}
