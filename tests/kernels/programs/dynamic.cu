// Dynamic parallelism: a kernel starts another. Compiled with -rdc=true, linked with cudadevrt.
extern "C" {

// Starts by dynamic_parent.
__global__ void dynamic_child(float* out, const float* in) {
  atomicAdd(out, in[threadIdx.x]); // RACE dynamic_child
}

// Starts a kernel that adds: this one does nothing else.
__global__ void dynamic_parent(float* out, const float* in) {
  if (threadIdx.x == 0) dynamic_child<<<2, 32>>>(out, in);
}

} // extern "C"
