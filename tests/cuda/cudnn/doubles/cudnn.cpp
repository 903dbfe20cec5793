// A double of libcudnn.so.9's search for convolution algorithms. As in the real one, Find* times
// its candidates, so their order is a matter of chance, and Get*_v7 answers from a fixed heuristic
// that may well rank a nondeterministic algorithm first.
//
// DOUBLE_MISBEHAVE:
//   only_nondeterministic   no candidate is deterministic
//   fail                    every search fails with CUDNN_STATUS_EXECUTION_FAILED
//   fewer                   two candidates are known, the nondeterministic one ranked first
// DOUBLE_FASTEST: the number of the algorithm that timing puts first.
//
// DETSHIM_TEST_NO_GET_V7 builds an older library, which has no Get*_v7.
#include "cudnn_double.h"
#include "record.h"
#include "search.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <vector>

namespace {

/// One entry of the heuristic's ranking: the same algorithm may come twice, with and without tensor
/// cores.
struct Candidate {
  int algo, status;
  size_t memory;
  int determinism, math_type;
};

const std::vector<Candidate> forward{
    {1, 0, 4 * kib, 1, 1},    {6, 0, 64 * kib, 1, 0},      {1, 0, 4 * kib, 1, 0},
    {0, 0, 0, 1, 0},          {7, 0, 512 * kib, 1, 0},     {5, 0, 256 * kib, 1, 0},
    {4, 0, 2048 * kib, 1, 0}, {3, not_supported, 0, 0, 0},
};
const std::vector<Candidate> backward_data{
    {0, 0, 0, 0, 0},       {4, 0, 64 * kib, 1, 0},  {1, 0, 8 * kib, 1, 1},
    {1, 0, 8 * kib, 1, 0}, {5, 0, 512 * kib, 1, 0}, {2, not_supported, 0, 1, 0},
};
const std::vector<Candidate> backward_filter{
    {0, 0, 0, 0, 0},
    {3, 0, 16 * kib, 0, 0},
    {5, 0, 512 * kib, 1, 0},
    {1, 0, 8 * kib, 1, 1},
    {1, 0, 8 * kib, 1, 0},
    {6, 0, 256 * kib, 1, 0},
    {2, not_supported, 0, 1, 0},
};

std::vector<AlgoPerf> ranking(const std::vector<Candidate>& candidates) {
  std::vector<AlgoPerf> results;
  for (const Candidate& c : candidates) {
    results.push_back({c.algo, c.status, -1.0F, c.memory, c.determinism, c.math_type, {}});
    if (misbehaves("only_nondeterministic"))
      results.back().determinism = 0;
  }
  if (misbehaves("fewer")) {
    results.resize(2);
    results[0].determinism = 0;
    results[1].determinism = 1;
  }
  return results;
}

int deliver(std::vector<AlgoPerf> results, int requested, int* returned, AlgoPerf* into) {
  if (requested < 1 || !returned || !into)
    return bad_param;
  if (misbehaves("fail"))
    return execution_failed;
  results.resize(std::min(results.size(), static_cast<size_t>(requested)));
  std::copy(results.begin(), results.end(), into);
  *returned = static_cast<int>(results.size());
  return 0;
}

/// What a search by timing gives: the candidates by ascending time, which is chance here, failures
/// last. The clock is the source because nothing pins it.
int time_them(const std::vector<Candidate>& candidates, size_t workspace, int requested,
              int* returned, AlgoPerf* into) {
  auto results = ranking(candidates);
  static std::mt19937_64 chance(
      static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()));
  for (AlgoPerf& result : results) {
    if (result.memory > workspace)
      result.status = not_supported;
    if (result.status == 0)
      result.time = 0.1F + static_cast<float>(chance() % 1000000) * 1e-5F;
    if (const char* fastest = std::getenv("DOUBLE_FASTEST");
        fastest && result.algo == std::atoi(fastest))
      result.time *= 1e-3F;
  }
  std::stable_sort(results.begin(), results.end(), [](const AlgoPerf& a, const AlgoPerf& b) {
    return (a.status != 0) != (b.status != 0) ? a.status == 0 : a.time < b.time;
  });
  return deliver(results, requested, returned, into);
}

constexpr size_t any_size = SIZE_MAX;

void record_search(const char* name, Opaque a, Opaque b, Opaque convolution, Opaque c,
                   int requested) {
  record("%s %p %p %p %p requested=%d", name, a, b, convolution, c, requested);
}

} // namespace

extern "C" {

int cudnnCreate(Opaque* handle) {
  static int the_handle;
  record("cudnnCreate");
  *handle = &the_handle;
  return 0;
}

int cudnnDestroy(Opaque) {
  record("cudnnDestroy");
  return 0;
}

size_t cudnnGetVersion() { return cudnn_version; }

int cudnnGetTensorNdDescriptor(Opaque, int room, int* type, int* count, int* sizes, int* strides) {
  if (room < 4)
    return bad_param;
  const int all[] = {8, 64, 56, 56}, steps[] = {200704, 3136, 56, 1};
  *type = 2; // CUDNN_DATA_HALF
  *count = 4;
  std::copy(all, all + 4, sizes);
  std::copy(steps, steps + 4, strides);
  return 0;
}

int cudnnGetFilterNdDescriptor(Opaque, int room, int* type, int* layout, int* count, int* sizes) {
  if (room < 4)
    return bad_param;
  const int all[] = {64, 64, 3, 3};
  *type = 2;
  *layout = 0; // CUDNN_TENSOR_NCHW
  *count = 4;
  std::copy(all, all + 4, sizes);
  return 0;
}

// The real one refuses an array that is longer than two dimensions less than a tensor's.
int cudnnGetConvolutionNdDescriptor(Opaque, int room, int* count, int* pads, int* strides,
                                    int* dilations, int* mode, int* compute_type) {
  if (room < 2 || room > 6)
    return bad_param;
  *count = 2;
  for (int i = 0; i < 2; ++i)
    pads[i] = 1, strides[i] = 2, dilations[i] = 1;
  *mode = 1;         // CUDNN_CROSS_CORRELATION
  *compute_type = 0; // CUDNN_DATA_FLOAT
  return 0;
}

int cudnnGetConvolutionMathType(Opaque, int* type) { return *type = 1, 0; }
int cudnnGetConvolutionGroupCount(Opaque, int* count) { return *count = 1, 0; }

int cudnnFindConvolutionForwardAlgorithm(Opaque, Opaque x, Opaque w, Opaque convolution, Opaque y,
                                         int requested, int* returned, AlgoPerf* results) {
  record_search("cudnnFindConvolutionForwardAlgorithm", x, w, convolution, y, requested);
  return time_them(forward, any_size, requested, returned, results);
}

int cudnnFindConvolutionForwardAlgorithmEx(Opaque, Opaque x, const void*, Opaque w, const void*,
                                           Opaque convolution, Opaque y, void*, int requested,
                                           int* returned, AlgoPerf* results, void* workspace,
                                           size_t workspace_size) {
  record_search("cudnnFindConvolutionForwardAlgorithmEx", x, w, convolution, y, requested);
  return time_them(forward, workspace ? workspace_size : 0, requested, returned, results);
}

int cudnnFindConvolutionBackwardDataAlgorithm(Opaque, Opaque w, Opaque dy, Opaque convolution,
                                              Opaque dx, int requested, int* returned,
                                              AlgoPerf* results) {
  record_search("cudnnFindConvolutionBackwardDataAlgorithm", w, dy, convolution, dx, requested);
  return time_them(backward_data, any_size, requested, returned, results);
}

int cudnnFindConvolutionBackwardDataAlgorithmEx(Opaque, Opaque w, const void*, Opaque dy,
                                                const void*, Opaque convolution, Opaque dx, void*,
                                                int requested, int* returned, AlgoPerf* results,
                                                void* workspace, size_t workspace_size) {
  record_search("cudnnFindConvolutionBackwardDataAlgorithmEx", w, dy, convolution, dx, requested);
  return time_them(backward_data, workspace ? workspace_size : 0, requested, returned, results);
}

int cudnnFindConvolutionBackwardFilterAlgorithm(Opaque, Opaque x, Opaque dy, Opaque convolution,
                                                Opaque dw, int requested, int* returned,
                                                AlgoPerf* results) {
  record_search("cudnnFindConvolutionBackwardFilterAlgorithm", x, dy, convolution, dw, requested);
  return time_them(backward_filter, any_size, requested, returned, results);
}

int cudnnFindConvolutionBackwardFilterAlgorithmEx(Opaque, Opaque x, const void*, Opaque dy,
                                                  const void*, Opaque convolution, Opaque dw, void*,
                                                  int requested, int* returned, AlgoPerf* results,
                                                  void* workspace, size_t workspace_size) {
  record_search("cudnnFindConvolutionBackwardFilterAlgorithmEx", x, dy, convolution, dw, requested);
  return time_them(backward_filter, workspace ? workspace_size : 0, requested, returned, results);
}

#ifndef DETSHIM_TEST_NO_GET_V7

int cudnnGetConvolutionForwardAlgorithm_v7(Opaque, Opaque x, Opaque w, Opaque convolution, Opaque y,
                                           int requested, int* returned, AlgoPerf* results) {
  record_search("cudnnGetConvolutionForwardAlgorithm_v7", x, w, convolution, y, requested);
  return deliver(ranking(forward), requested, returned, results);
}

int cudnnGetConvolutionBackwardDataAlgorithm_v7(Opaque, Opaque w, Opaque dy, Opaque convolution,
                                                Opaque dx, int requested, int* returned,
                                                AlgoPerf* results) {
  record_search("cudnnGetConvolutionBackwardDataAlgorithm_v7", w, dy, convolution, dx, requested);
  return deliver(ranking(backward_data), requested, returned, results);
}

int cudnnGetConvolutionBackwardFilterAlgorithm_v7(Opaque, Opaque x, Opaque dy, Opaque convolution,
                                                  Opaque dw, int requested, int* returned,
                                                  AlgoPerf* results) {
  record_search("cudnnGetConvolutionBackwardFilterAlgorithm_v7", x, dy, convolution, dw, requested);
  return deliver(ranking(backward_filter), requested, returned, results);
}

#endif

} // extern "C"
