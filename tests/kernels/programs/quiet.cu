// Nothing in it depends on the order of threads.
extern "C" __global__ void scale(float* values, float by) { values[threadIdx.x] *= by; }
