// Calls a function of another file (separate_b.cu): compiled with -rdc=true, and linked by nvlink.
extern __device__ void add_elsewhere(float* p, float x);
extern __device__ float plain_elsewhere(float x);

// The other file's function adds.
extern "C" __global__ void separate_adds(float* out, const float* in) { add_elsewhere(out, in[threadIdx.x]); }

// The other file's function adds nothing.
extern "C" __global__ void separate_plain(float* out, const float* in) {
  out[threadIdx.x] = plain_elsewhere(in[threadIdx.x]);
}

// No call at all.
extern "C" __global__ void separate_none(float* out, const float* in) {
  out[threadIdx.x] = in[threadIdx.x] + 1;
}
