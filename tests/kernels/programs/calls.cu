// Sums that a called function makes, and calls that reach none. All in one cubin, so an answer must follow
// the calls.
extern "C" {

__device__ __noinline__ void add_leaf(float* p, float x) {
  atomicAdd(p, x); // RACE call_direct call_two_levels
}
__device__ __noinline__ void add_middle(float* p, float x) {
  if (x > 0)
    add_leaf(p, x);
  else
    p[1] = 0;
}
__device__ __noinline__ float plain_leaf(float x) { return x * x + 1; }
__device__ __noinline__ float plain_middle(float x) { return plain_leaf(x) + plain_leaf(x + 1); }

// A call of a function that adds.
__global__ void call_direct(float* out, const float* in) { add_leaf(out, in[threadIdx.x]); }

// Two levels of calls.
__global__ void call_two_levels(float* out, const float* in) { add_middle(out, in[threadIdx.x]); }

// Calls of functions that add nothing, beside functions that do.
__global__ void call_plain(float* out, const float* in) { out[threadIdx.x] = plain_middle(in[threadIdx.x]); }

// A recursion that adds at its end.
__device__ __noinline__ void add_recursive(float* p, float x, int depth) {
  if (depth > 0) {
    add_recursive(p + 1, x * 2, depth - 1);
    p[0] += 0;
  } else {
    atomicAdd(p, x); // RACE call_recursive
  }
}
__global__ void call_recursive(float* out, const float* in, int n) { add_recursive(out, in[threadIdx.x], n); }

// A recursion without atomics.
__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__global__ void call_recursive_plain(int* out) { out[threadIdx.x] = fibonacci(threadIdx.x & 7); }

// Slow paths of division, square root, sine and 64-bit integer division: subroutines of the compiler, no
// unknown calls.
__global__ void call_builtin(double* out, const double* a, const float* f, const long long* n) {
  int i = threadIdx.x;
  out[i] = a[i] / a[i + 1] + sqrt(a[i]) + f[i] / f[i + 1] + sqrtf(f[i]) + sinf(f[i]) + exp(a[i]) +
           double(n[i] / n[i + 1]) + double(n[i] % n[i + 2]);
}

// Through a pointer in a table: one function adds.
typedef void (*adder)(float*, float);
__device__ __noinline__ void store_leaf(float* p, float x) { p[threadIdx.x] = x; }
__device__ adder table[2] = {add_leaf, store_leaf};
__global__ void call_pointer(float* out, const float* in, int which) { table[which](out, in[threadIdx.x]); }

// Through a pointer in a table: none adds.
typedef float (*function)(float);
__device__ function plain_table[2] = {plain_leaf, plain_middle};
__global__ void call_pointer_plain(float* out, const float* in, int which) {
  out[threadIdx.x] = plain_table[which](in[threadIdx.x]);
}

} // extern "C"

// Through a virtual function.
struct Base {
  __device__ virtual void put(float* p, float x) { p[threadIdx.x] = x; }
};
struct Adds : Base {
  __device__ void put(float* p, float x) override { atomicAdd(p, x); }
};
extern "C" __global__ void call_virtual(float* out, const float* in, int which) {
  Base base;
  Adds adds;
  Base* b = which ? &adds : &base;
  b->put(out, in[threadIdx.x]);
}
