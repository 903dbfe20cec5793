// Running sums of floats by CUB: decoupled look-back, whose grouping depends on time.
#include <cub/cub.cuh>

cudaError_t cub_scan(void* temp, size_t& bytes, const float* in, float* out, int n) {
  return cub::DeviceScan::InclusiveSum(temp, bytes, in, out, n);
}
