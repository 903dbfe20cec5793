// cuDNN's searches for a convolution's algorithm as the double answers them, written down by hand
// so that it builds without the toolkit. The layouts are the real ones (cuDNN 7 to 9); enumerations
// are passed as int, as they do in the C ABI.
#pragma once

#include "opaque.h"

/// cudnnConvolutionFwdAlgoPerf_t and those of the two other passes, which differ in the name of the
/// first type.
struct AlgoPerf {
  int algo;
  int status;
  float time; ///< milliseconds; -1 where nothing was timed
  size_t memory;
  int determinism; ///< 1 is CUDNN_DETERMINISTIC
  int math_type;
  int reserved[3];
};
static_assert(sizeof(AlgoPerf) == 48);
static_assert(offsetof(AlgoPerf, status) == 4 && offsetof(AlgoPerf, time) == 8);
static_assert(offsetof(AlgoPerf, memory) == 16 && offsetof(AlgoPerf, determinism) == 24);
static_assert(offsetof(AlgoPerf, math_type) == 28);

extern "C" {

// cuDNN. The order of the descriptors is that of each real function.
int cudnnCreate(Opaque* handle);
int cudnnDestroy(Opaque handle);
size_t cudnnGetVersion();
int cudnnFindConvolutionForwardAlgorithm(Opaque handle, Opaque x, Opaque w, Opaque convolution,
                                         Opaque y, int requested, int* returned, AlgoPerf* results);
int cudnnFindConvolutionForwardAlgorithmEx(Opaque handle, Opaque x, const void* x_data, Opaque w,
                                           const void* w_data, Opaque convolution, Opaque y,
                                           void* y_data, int requested, int* returned,
                                           AlgoPerf* results, void* workspace,
                                           size_t workspace_size);
int cudnnGetConvolutionForwardAlgorithm_v7(Opaque handle, Opaque x, Opaque w, Opaque convolution,
                                           Opaque y, int requested, int* returned,
                                           AlgoPerf* results);
int cudnnFindConvolutionBackwardDataAlgorithm(Opaque handle, Opaque w, Opaque dy,
                                              Opaque convolution, Opaque dx, int requested,
                                              int* returned, AlgoPerf* results);
int cudnnFindConvolutionBackwardDataAlgorithmEx(Opaque handle, Opaque w, const void* w_data,
                                                Opaque dy, const void* dy_data, Opaque convolution,
                                                Opaque dx, void* dx_data, int requested,
                                                int* returned, AlgoPerf* results, void* workspace,
                                                size_t workspace_size);
int cudnnGetConvolutionBackwardDataAlgorithm_v7(Opaque handle, Opaque w, Opaque dy,
                                                Opaque convolution, Opaque dx, int requested,
                                                int* returned, AlgoPerf* results);
int cudnnFindConvolutionBackwardFilterAlgorithm(Opaque handle, Opaque x, Opaque dy,
                                                Opaque convolution, Opaque dw, int requested,
                                                int* returned, AlgoPerf* results);
int cudnnFindConvolutionBackwardFilterAlgorithmEx(Opaque handle, Opaque x, const void* x_data,
                                                  Opaque dy, const void* dy_data,
                                                  Opaque convolution, Opaque dw, void* dw_data,
                                                  int requested, int* returned, AlgoPerf* results,
                                                  void* workspace, size_t workspace_size);
int cudnnGetConvolutionBackwardFilterAlgorithm_v7(Opaque handle, Opaque x, Opaque dy,
                                                  Opaque convolution, Opaque dw, int requested,
                                                  int* returned, AlgoPerf* results);

} // extern "C"
