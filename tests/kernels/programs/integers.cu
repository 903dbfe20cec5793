// Integer atomics: order does not matter unless the returned value is used.
#include <cuda/atomic>
#include <cuda/std/atomic>

extern "C" {

// A histogram in global memory.
__global__ void histogram_global(int* bins, const int* keys) { atomicAdd(&bins[keys[threadIdx.x]], 1); }

// A histogram in shared memory.
__global__ void histogram_shared(int* bins, const int* keys) {
  __shared__ int mine[64];
  mine[threadIdx.x & 63] = 0;
  __syncthreads();
  atomicAdd(&mine[keys[threadIdx.x] & 63], 1);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x & 63], mine[threadIdx.x & 63]);
}

// 64-bit sums, global.
__global__ void add_u64(unsigned long long* out, const unsigned long long* in) {
  atomicAdd(out, in[threadIdx.x]);
}

// 64-bit sums, shared: a CAS loop around an integer addition.
__global__ void add_shared_u64(unsigned long long* out, const unsigned long long* in) {
  __shared__ unsigned long long sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, in[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) *out = sum;
}

// A sum at an address that may be global or shared.
__global__ void add_generic(int* out, const int* in, int where) {
  __shared__ int sum[32];
  sum[threadIdx.x & 31] = 0;
  __syncthreads();
  atomicAdd(where & 1 ? &sum[where & 31] : out + where, in[threadIdx.x]);
  __syncthreads();
  out[32 + threadIdx.x] = sum[threadIdx.x & 31];
}

// Least and greatest, 32 and 64 bits, signed and not.
__global__ void min_max(int* out, unsigned* u, long long* l, unsigned long long* ul, const int* in) {
  int x = in[threadIdx.x];
  atomicMin(out, x), atomicMax(out + 1, x), atomicMin(u, unsigned(x)), atomicMax(u + 1, unsigned(x));
  atomicMin(l, x), atomicMax(l + 1, x), atomicMin(ul, x), atomicMax(ul + 1, x);
}

// The greatest of non-negative floats, as integers.
__global__ void max_float_bits(float* out, const float* in) {
  atomicMax(reinterpret_cast<int*>(out), __float_as_int(in[threadIdx.x]));
}

// And, or, xor.
__global__ void bit_operations(unsigned* out, const unsigned* in) {
  atomicAnd(out, in[threadIdx.x]), atomicOr(out + 1, in[threadIdx.x]), atomicXor(out + 2, in[threadIdx.x]);
}

// Exchange of one and the same value, result unused.
__global__ void exchange_constant(int* flag) { atomicExch(flag, 1); }

// Exchange of each thread's own value, result unused: the last one stays.
__global__ void exchange_own(int* last) {
  const int own = threadIdx.x + blockIdx.x * blockDim.x;
  atomicExch(last, own); // RACE exchange_own
}

// Exchange with the result used: a linked list in order of arrival.
__global__ void exchange_list(int* head, int* next) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  next[i] = atomicExch(head, i); // RACE exchange_list
}

// Places by a ticket: the elements come in another order each time.
__global__ void compact_ticket(int* out, int* count, const int* in) {
  int x = in[threadIdx.x + blockIdx.x * blockDim.x];
  if (x > 0) out[atomicAdd(count, 1)] = x; // RACE compact_ticket
}

// The same with one atomic per warp.
__global__ void compact_aggregated(int* out, int* count, const int* in) {
  int x = in[threadIdx.x + blockIdx.x * blockDim.x];
  if (x > 0) {
    unsigned mask = __activemask();
    int leader = __ffs(mask) - 1, lane = threadIdx.x & 31, base = 0;
    if (lane == leader) base = atomicAdd(count, __popc(mask)); // RACE compact_aggregated
    base = __shfl_sync(mask, base, leader);
    out[base + __popc(mask & ((1u << lane) - 1))] = x;
  }
}

// Places by a ticket in shared memory.
__global__ void compact_shared(int* out, const int* in) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  int x = in[threadIdx.x];
  if (x > 0) out[atomicAdd(&count, 1)] = x; // RACE compact_shared
}

// A ring by atomicInc.
__global__ void ring_inc(float* ring, unsigned* head, const float* in) {
  ring[atomicInc(head, 127)] = in[threadIdx.x + blockIdx.x * blockDim.x]; // RACE ring_inc
}

// The block that comes last adds the parts, in a fixed order (threadFenceReduction): repeats.
__global__ void last_block(float* out, volatile float* part, unsigned* done, const float* in) {
  __shared__ bool last;
  float x = in[threadIdx.x + blockIdx.x * 32];
  for (int d = 16; d > 0; d /= 2) x += __shfl_down_sync(~0u, x, d);
  if (threadIdx.x == 0) {
    part[blockIdx.x] = x;
    __threadfence();
    last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1; // RACE last_block
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    float sum = 0;
    for (int i = 0; i < gridDim.x; i++) sum += part[i];
    *out = sum;
  }
}

// A sum by cuda::std::atomic<int>, result unused.
__global__ void std_atomic_int(cuda::std::atomic<int>* out, const int* in) {
  out->fetch_add(in[threadIdx.x]);
}

// A float sum by cuda::atomic_ref.
__global__ void atomic_ref_float(float* out, const float* in) {
  cuda::atomic_ref<float, cuda::thread_scope_device> sum(*out);
  sum.fetch_add(in[threadIdx.x], cuda::memory_order_relaxed); // RACE atomic_ref_float
}

} // extern "C"
