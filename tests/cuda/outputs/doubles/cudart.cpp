// A double of libcudart.so.13: what cudnn-frontend asks of it about the device.
#include <cuda_runtime_api.h>

extern "C" {

cudaError_t cudaGetDevice(int* device) { return *device = 0, cudaSuccess; }
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = {};
  properties->major = 9;
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void*, int, size_t, cudaStream_t) {
  return cudaSuccess;
} // in a workspace
const char* cudaGetErrorString(cudaError_t) { return "an error of the double"; }

} // extern "C"
