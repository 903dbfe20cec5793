// Convolution training through cuDNN's legacy API: forward, and both backward passes, with the
// algorithm that cudnnFindConvolution*AlgorithmEx measured as the fastest. Which one that is
// differs from run to run; the algorithms round differently; and two of the backward ones add by
// atomics. With --deterministic: the first deterministic algorithm of the heuristic's list, without
// measuring, as PyTorch does under cudnn.deterministic.
//
// NCHW_VECT_C is a layout of 8-bit integers, forward only.
#include "cudnn_types.h"

#include <type_traits>

namespace {

using gpu::Convolution;
using gpu::Device;
using gpu::Layout;

constexpr size_t workspace_bytes = 64 << 20;
constexpr int candidates = 16;
constexpr int repeats = 10;

/// The descriptors and data of one convolution; a pass writes its own one of x, w, y and reads the
/// others.
struct Problem {
  cudnnHandle_t handle;
  cudnnTensorDescriptor_t x_desc, y_desc;
  cudnnFilterDescriptor_t w_desc;
  cudnnConvolutionDescriptor_t conv;
  void *x, *w, *y, *workspace;
};

const float one = 1, zero = 0;

struct Forward {
  using Found = cudnnConvolutionFwdAlgoPerf_t;
  static cudnnStatus_t find(const Problem& p, int* count, Found* found) {
    return cudnnFindConvolutionForwardAlgorithmEx(p.handle, p.x_desc, p.x, p.w_desc, p.w, p.conv,
                                                  p.y_desc, p.y, candidates, count, found,
                                                  p.workspace, workspace_bytes);
  }
  static cudnnStatus_t get(const Problem& p, int* count, Found* found) {
    return cudnnGetConvolutionForwardAlgorithm_v7(p.handle, p.x_desc, p.w_desc, p.conv, p.y_desc,
                                                  candidates, count, found);
  }
  static cudnnStatus_t run(const Problem& p, const Found& found) {
    return cudnnConvolutionForward(p.handle, &one, p.x_desc, p.x, p.w_desc, p.w, p.conv, found.algo,
                                   p.workspace, workspace_bytes, &zero, p.y_desc, p.y);
  }
};

struct BackwardData {
  using Found = cudnnConvolutionBwdDataAlgoPerf_t;
  static cudnnStatus_t find(const Problem& p, int* count, Found* found) {
    return cudnnFindConvolutionBackwardDataAlgorithmEx(p.handle, p.w_desc, p.w, p.y_desc, p.y,
                                                       p.conv, p.x_desc, p.x, candidates, count,
                                                       found, p.workspace, workspace_bytes);
  }
  static cudnnStatus_t get(const Problem& p, int* count, Found* found) {
    return cudnnGetConvolutionBackwardDataAlgorithm_v7(p.handle, p.w_desc, p.y_desc, p.conv,
                                                       p.x_desc, candidates, count, found);
  }
  static cudnnStatus_t run(const Problem& p, const Found& found) {
    return cudnnConvolutionBackwardData(p.handle, &one, p.w_desc, p.w, p.y_desc, p.y, p.conv,
                                        found.algo, p.workspace, workspace_bytes, &zero, p.x_desc,
                                        p.x);
  }
};

struct BackwardFilter {
  using Found = cudnnConvolutionBwdFilterAlgoPerf_t;
  static cudnnStatus_t find(const Problem& p, int* count, Found* found) {
    return cudnnFindConvolutionBackwardFilterAlgorithmEx(p.handle, p.x_desc, p.x, p.y_desc, p.y,
                                                         p.conv, p.w_desc, p.w, candidates, count,
                                                         found, p.workspace, workspace_bytes);
  }
  static cudnnStatus_t get(const Problem& p, int* count, Found* found) {
    return cudnnGetConvolutionBackwardFilterAlgorithm_v7(p.handle, p.x_desc, p.y_desc, p.conv,
                                                         p.w_desc, candidates, count, found);
  }
  static cudnnStatus_t run(const Problem& p, const Found& found) {
    return cudnnConvolutionBackwardFilter(p.handle, &one, p.x_desc, p.x, p.y_desc, p.y, p.conv,
                                          found.algo, p.workspace, workspace_bytes, &zero, p.w_desc,
                                          p.w);
  }
};

/// Chooses an algorithm and runs it.
template <class Pass>
void run_pass(const Problem& problem, bool deterministic) {
  typename Pass::Found found[candidates];
  int count = 0;
  CHECK(deterministic ? Pass::get(problem, &count, found) : Pass::find(problem, &count, found));
  for (int i = 0; i < count; ++i) {
    if (found[i].status != CUDNN_STATUS_SUCCESS || found[i].memory > workspace_bytes)
      continue;
    if (deterministic && found[i].determinism != CUDNN_DETERMINISTIC)
      continue;
    CHECK(cudnnSetConvolutionMathType(problem.conv, found[i].mathType));
    // What was measured runs; what the heuristic proposes need not.
    if (deterministic && gpu::is_unsupported(Pass::run(problem, found[i])))
      continue;
    gpu::work(repeats, [&] {
      CHECK(Pass::run(problem, found[i]));
    });
    return;
  }
  gpu::unsupported();
}

void describe_tensor(cudnnTensorDescriptor_t descriptor, cudnnDataType_t type,
                     const gpu::Tensor& tensor, Layout layout) {
  const auto dims = tensor.dims(), strides = tensor.strides(layout);
  const auto at = [](const std::vector<int64_t>& values, size_t i) {
    return static_cast<int>(values[i]);
  };
  CHECK(cudnnSetTensor4dDescriptorEx(descriptor, type, at(dims, 0), at(dims, 1), at(dims, 2),
                                     at(dims, 3), at(strides, 0), at(strides, 1), at(strides, 2),
                                     at(strides, 3)));
}

void describe_convolution(cudnnConvolutionDescriptor_t descriptor, const Convolution& shape,
                          cudnnDataType_t compute, cudnnMathType_t math) {
  const int padding = static_cast<int>(shape.padding());
  CHECK(cudnnSetConvolution2dDescriptor(descriptor, padding, padding, 1, 1, 1, 1,
                                        CUDNN_CROSS_CORRELATION, compute));
  CHECK(cudnnSetConvolutionMathType(descriptor, math));
}

void describe_filter(cudnnFilterDescriptor_t descriptor, const Convolution& shape,
                     cudnnDataType_t type, cudnnTensorFormat_t format) {
  const int window = static_cast<int>(shape.window);
  CHECK(cudnnSetFilter4dDescriptor(descriptor, type, format, static_cast<int>(shape.k),
                                   static_cast<int>(shape.c), window, window));
}

Problem create(cudnnHandle_t handle, const Device<char>& workspace) {
  Problem problem{};
  problem.handle = handle;
  problem.workspace = workspace.get();
  CHECK(cudnnCreateTensorDescriptor(&problem.x_desc));
  CHECK(cudnnCreateTensorDescriptor(&problem.y_desc));
  CHECK(cudnnCreateFilterDescriptor(&problem.w_desc));
  CHECK(cudnnCreateConvolutionDescriptor(&problem.conv));
  return problem;
}

void destroy(const Problem& problem) {
  CHECK(cudnnDestroyTensorDescriptor(problem.x_desc));
  CHECK(cudnnDestroyTensorDescriptor(problem.y_desc));
  CHECK(cudnnDestroyFilterDescriptor(problem.w_desc));
  CHECK(cudnnDestroyConvolutionDescriptor(problem.conv));
}

template <class T>
void train(cudnnHandle_t handle, const Device<char>& workspace, const Convolution& shape,
           Layout layout, bool deterministic) {
  const cudnnDataType_t type = gpu::CudnnType<T>::value;
  const Layout filter_layout = layout == Layout::nhwc ? Layout::nhwc : Layout::nchw;
  Problem problem = create(handle, workspace);
  describe_tensor(problem.x_desc, type, shape.x(), layout);
  describe_tensor(problem.y_desc, type, shape.y(), layout);
  describe_filter(problem.w_desc, shape, type,
                  layout == Layout::nhwc ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW);
  const cudnnMathType_t math = std::is_same_v<T, float> ? CUDNN_DEFAULT_MATH : CUDNN_TENSOR_OP_MATH;
  describe_convolution(problem.conv, shape, CUDNN_DATA_FLOAT, math);

  const Device<T> x(gpu::fixed<T>(shape.x().size(layout), 1));
  const Device<T> w(gpu::fixed<T>(shape.w().size(filter_layout), 2));
  const Device<T> dy(gpu::fixed<T>(shape.y().size(layout), 3));
  const Device<T> y(shape.y().size(layout)), dx(shape.x().size(layout)),
      dw(shape.w().size(filter_layout));
  const std::string variant =
      std::string(gpu::name(layout)) + "." + gpu::CudnnType<T>::name + "." + shape.name + ".";
  // A pass writes one of the three tensors and reads the other two.
  const auto run = [&](const char* name, auto pass, const Device<T>& in_x, const Device<T>& in_w,
                       const Device<T>& in_y, const Device<T>& result) {
    gpu::attempt(variant + name, [&] {
      problem.x = in_x.get(), problem.w = in_w.get(), problem.y = in_y.get();
      CHECK(cudnnSetConvolutionMathType(problem.conv,
                                        math)); // an earlier pass set what it had chosen
      run_pass<decltype(pass)>(problem, deterministic);
      gpu::print(variant + name, result);
    });
  };
  run("forward", Forward{}, x, w, y, y);
  run("backward_data", BackwardData{}, dx, w, dy, dx);
  run("backward_filter", BackwardFilter{}, x, dw, dy, dw);
  destroy(problem);
}

void infer_integers(cudnnHandle_t handle, const Device<char>& workspace, bool deterministic) {
  const std::string variant = "nchw_vect_c.int8.medium.forward";
  const Convolution& shape = gpu::medium_convolution;
  Problem problem = create(handle, workspace);
  const auto describe = [](cudnnTensorDescriptor_t descriptor, const gpu::Tensor& t) {
    return cudnnSetTensor4dDescriptor(descriptor, CUDNN_TENSOR_NCHW_VECT_C, CUDNN_DATA_INT8x4,
                                      static_cast<int>(t.n), static_cast<int>(t.c),
                                      static_cast<int>(t.h), static_cast<int>(t.w));
  };
  const Device<int8_t> x(gpu::fixed<int8_t>(shape.x().size(Layout::nchw), 1));
  const Device<int8_t> w(gpu::fixed<int8_t>(shape.w().size(Layout::nchw), 2));
  const Device<int8_t> y(shape.y().size(Layout::nchw));
  problem.x = x.get(), problem.w = w.get(), problem.y = y.get();
  gpu::attempt(variant, [&] {
    CHECK(describe(problem.x_desc, shape.x()));
    CHECK(describe(problem.y_desc, shape.y()));
    describe_filter(problem.w_desc, shape, CUDNN_DATA_INT8x4, CUDNN_TENSOR_NCHW_VECT_C);
    describe_convolution(problem.conv, shape, CUDNN_DATA_INT32, CUDNN_DEFAULT_MATH);
    run_pass<Forward>(problem, deterministic);
    gpu::print(variant, y);
  });
  destroy(problem);
}

} // namespace

int main(int argc, char** argv) {
  const bool deterministic = gpu::start(argc, argv).deterministic;
  cudnnHandle_t handle = nullptr;
  CHECK(cudnnCreate(&handle));
  const Device<char> workspace(workspace_bytes);
  for (const Layout layout : gpu::layouts) {
    train<float>(handle, workspace, gpu::small_convolution, layout, deterministic);
    train<__half>(handle, workspace, gpu::small_convolution, layout, deterministic);
    train<__nv_bfloat16>(handle, workspace, gpu::small_convolution, layout, deterministic);
  }
  train<float>(handle, workspace, gpu::medium_convolution, Layout::nchw, deterministic);
  train<__half>(handle, workspace, gpu::medium_convolution, Layout::nhwc, deterministic);
  train<float>(handle, workspace, gpu::wide_convolution, Layout::nchw, deterministic);
  infer_integers(handle, workspace, deterministic);
  CHECK(cudnnDestroy(handle));
  return gpu::finish();
}
