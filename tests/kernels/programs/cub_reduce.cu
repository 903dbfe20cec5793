// Sums, histograms and sorts of CUB.
#include <cub/cub.cuh>

// A block's sum.
template <cub::BlockReduceAlgorithm A>
__global__ void cub_block(float* out, const float* in) {
  using Reduce = cub::BlockReduce<float, 128, A>;
  __shared__ typename Reduce::TempStorage temp;
  float sum = Reduce(temp).Sum(in[blockIdx.x * 128 + threadIdx.x]);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
template __global__ void cub_block<cub::BLOCK_REDUCE_WARP_REDUCTIONS>(float*, const float*);
template __global__ void cub_block<cub::BLOCK_REDUCE_RAKING>(float*, const float*);

// A block's histogram, by atomics on integers.
extern "C" __global__ void cub_block_histogram(int* out, const unsigned char* in) {
  using Histogram = cub::BlockHistogram<unsigned char, 128, 1, 256, cub::BLOCK_HISTO_ATOMIC>;
  __shared__ typename Histogram::TempStorage temp;
  __shared__ int bins[256];
  unsigned char item[1] = {in[threadIdx.x]};
  Histogram(temp).Histogram(item, bins);
  __syncthreads();
  out[threadIdx.x] = bins[threadIdx.x], out[128 + threadIdx.x] = bins[128 + threadIdx.x];
}

// Device-wide: a float sum, an integer histogram.
cudaError_t cub_reduce(void* temp, size_t& bytes, const float* in, float* out, int* bins, int n) {
  cub::DeviceReduce::Sum(temp, bytes, in, out, n);
  return cub::DeviceHistogram::HistogramEven(temp, bytes, in, bins, 65, 0.f, 1.f, n);
}
