// A user of cuDNN's convolutions that makes mistakes: its descriptors are valid, its handle is not,
// and one more argument after the other is missing. Each call is made in a process of its own,
// because what the library does about it may be to die. Without a GPU there is no handle, so every
// call here is a mistake.
//
//   cudnn_bad_calls
//
// Prints `FUNCTION without I: status N` (I: the argument that is missing beside the handle; 0:
// none), or `signal N`.
#include "call.h"

#include <cudnn.h>

#include <csignal>
#include <cstdio>
#include <functional>
#include <initializer_list>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

void try_in_child(const char* name, int without, const std::function<cudnnStatus_t()>& call) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    std::printf("%s without %d: status %d\n", name, without, static_cast<int>(call()));
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    std::printf("%s without %d: signal %d\n", name, without, WTERMSIG(status));
}

void need(cudnnStatus_t status) {
  if (status == CUDNN_STATUS_SUCCESS)
    return;
  std::printf("descriptors: %d\n", static_cast<int>(status));
  std::exit(1);
}

} // namespace

int main() {
  cudnnTensorDescriptor_t x, y;
  cudnnFilterDescriptor_t w;
  cudnnConvolutionDescriptor_t convolution;
  need(CALL(cudnnCreateTensorDescriptor)(&x));
  need(CALL(cudnnCreateTensorDescriptor)(&y));
  need(CALL(cudnnCreateFilterDescriptor)(&w));
  need(CALL(cudnnCreateConvolutionDescriptor)(&convolution));
  need(CALL(cudnnSetTensor4dDescriptor)(x, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 8, 16, 32, 32));
  need(CALL(cudnnSetFilter4dDescriptor)(w, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 32, 16, 3, 3));
  need(CALL(cudnnSetConvolution2dDescriptor)(convolution, 1, 1, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION,
                                             CUDNN_DATA_FLOAT));
  need(CALL(cudnnSetTensor4dDescriptor)(y, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 8, 32, 32, 32));

  static float memory[16];
  static const float one = 1;
  static size_t bytes;
  static int returned;
  static cudnnConvolutionFwdAlgoPerf_t forward[8];
  static cudnnConvolutionBwdDataAlgoPerf_t data[8];
  static cudnnConvolutionBwdFilterAlgoPerf_t filter[8];
  // The argument that is missing: OR(1, x) is x but in the calls without the first.
  int without = 0;
  const auto or_null = [&without](int which, auto value) {
    return which == without ? nullptr : value;
  };
#define OR(WHICH, VALUE) or_null(WHICH, VALUE)
  const struct {
    const char* name;
    std::function<cudnnStatus_t()> call;
  } calls[] = {
#define TRY(NAME, ...)                                                                             \
  {                                                                                                \
#NAME, [&] {                                                                                   \
      return CALL(NAME)(nullptr, __VA_ARGS__);                                                     \
    }                                                                                              \
  }
      TRY(cudnnGetConvolutionForwardAlgorithm_v7, OR(1, x), OR(2, w), OR(3, convolution), OR(4, y),
          8, OR(5, &returned), OR(6, forward)),
      TRY(cudnnFindConvolutionForwardAlgorithm, OR(1, x), OR(2, w), OR(3, convolution), OR(4, y), 8,
          OR(5, &returned), OR(6, forward)),
      TRY(cudnnFindConvolutionForwardAlgorithmEx, OR(1, x), OR(7, memory), OR(2, w), OR(8, memory),
          OR(3, convolution), OR(4, y), OR(9, memory), 8, OR(5, &returned), OR(6, forward),
          OR(10, memory), 64),
      TRY(cudnnGetConvolutionBackwardDataAlgorithm_v7, OR(1, w), OR(2, y), OR(3, convolution),
          OR(4, x), 8, OR(5, &returned), OR(6, data)),
      TRY(cudnnFindConvolutionBackwardDataAlgorithm, OR(1, w), OR(2, y), OR(3, convolution),
          OR(4, x), 8, OR(5, &returned), OR(6, data)),
      TRY(cudnnFindConvolutionBackwardDataAlgorithmEx, OR(1, w), OR(7, memory), OR(2, y),
          OR(8, memory), OR(3, convolution), OR(4, x), OR(9, memory), 8, OR(5, &returned),
          OR(6, data), OR(10, memory), 64),
      TRY(cudnnGetConvolutionBackwardFilterAlgorithm_v7, OR(1, x), OR(2, y), OR(3, convolution),
          OR(4, w), 8, OR(5, &returned), OR(6, filter)),
      TRY(cudnnFindConvolutionBackwardFilterAlgorithm, OR(1, x), OR(2, y), OR(3, convolution),
          OR(4, w), 8, OR(5, &returned), OR(6, filter)),
      TRY(cudnnFindConvolutionBackwardFilterAlgorithmEx, OR(1, x), OR(7, memory), OR(2, y),
          OR(8, memory), OR(3, convolution), OR(4, w), OR(9, memory), 8, OR(5, &returned),
          OR(6, filter), OR(10, memory), 64),
      TRY(cudnnGetConvolutionBackwardDataWorkspaceSize, OR(1, w), OR(2, y), OR(3, convolution),
          OR(4, x), CUDNN_CONVOLUTION_BWD_DATA_ALGO_0, OR(5, &bytes)),
      TRY(cudnnGetConvolutionBackwardFilterWorkspaceSize, OR(1, x), OR(2, y), OR(3, convolution),
          OR(4, w), CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0, OR(5, &bytes)),
      TRY(cudnnConvolutionBackwardData, OR(5, &one), OR(1, w), OR(7, memory), OR(2, y),
          OR(8, memory), OR(3, convolution), CUDNN_CONVOLUTION_BWD_DATA_ALGO_0, OR(10, memory), 64,
          OR(6, &one), OR(4, x), OR(9, memory)),
      TRY(cudnnConvolutionBackwardFilter, OR(5, &one), OR(1, x), OR(7, memory), OR(2, y),
          OR(8, memory), OR(3, convolution), CUDNN_CONVOLUTION_BWD_FILTER_ALGO_3, OR(10, memory),
          64, OR(6, &one), OR(4, w), OR(9, memory)),
  };
  for (const auto& [name, call] : calls)
    for (without = 0; without <= 10; ++without)
      try_in_child(name, without, call);
}
