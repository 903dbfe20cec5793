// Max-pooling's backward pass with windows that overlap: CUDNN_POOLING_MAX adds what several
// windows give to one input by atomics, in whatever order they come. With --deterministic:
// CUDNN_POOLING_MAX_DETERMINISTIC.
#include "cudnn_types.h"

namespace {

using gpu::Device;
using gpu::Layout;

constexpr int repeats = 20;
constexpr int window = 7; // with stride 1: up to 49 windows for one input
const float one = 1, zero = 0;

struct Pooling {
  cudnnPoolingDescriptor_t pooling = nullptr;
  cudnnTensorDescriptor_t tensor =
      nullptr; // the input's and, with stride 1 and padding, the output's

  Pooling() {
    CHECK(cudnnCreatePoolingDescriptor(&pooling));
    CHECK(cudnnCreateTensorDescriptor(&tensor));
  }
  ~Pooling() {
    cudnnDestroyPoolingDescriptor(pooling);
    cudnnDestroyTensorDescriptor(tensor);
  }
};

template <class T>
void run(cudnnHandle_t handle, const Pooling& pooling, size_t size, const std::string& variant) {
  const Device<T> x(gpu::fixed<T>(size, 1)), dy(gpu::fixed<T>(size, 2)), y(size), dx(size);
  CHECK(cudnnPoolingForward(handle, pooling.pooling, &one, pooling.tensor, x.get(), &zero,
                            pooling.tensor, y.get()));
  gpu::work(repeats, [&] {
    CHECK(cudnnPoolingBackward(handle, pooling.pooling, &one, pooling.tensor, y.get(),
                               pooling.tensor, dy.get(), pooling.tensor, x.get(), &zero,
                               pooling.tensor, dx.get()));
  });
  gpu::print(variant, dx);
}

template <class T>
void pool_images(cudnnHandle_t handle, cudnnPoolingMode_t mode, Layout layout) {
  const std::string variant =
      std::string("2d.") + gpu::name(layout) + "." + gpu::CudnnType<T>::name;
  const Pooling pooling;
  CHECK(cudnnSetPooling2dDescriptor(pooling.pooling, mode, CUDNN_NOT_PROPAGATE_NAN, window, window,
                                    window / 2, window / 2, 1, 1));
  CHECK(cudnnSetTensor4dDescriptor(pooling.tensor,
                                   layout == Layout::nhwc ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW,
                                   gpu::CudnnType<T>::value, 8, 32, 64, 64));
  gpu::attempt(variant, [&] {
    run<T>(handle, pooling, 8 * 32 * 64 * 64, variant);
  });
}

void pool_volumes(cudnnHandle_t handle, cudnnPoolingMode_t mode) {
  const Pooling pooling;
  const int windows[] = {3, 3, 3}, padding[] = {1, 1, 1}, stride[] = {1, 1, 1};
  const int dims[] = {4, 16, 16, 32, 32};
  const int strides[] = {16 * 16 * 32 * 32, 16 * 32 * 32, 32 * 32, 32, 1};
  CHECK(cudnnSetPoolingNdDescriptor(pooling.pooling, mode, CUDNN_NOT_PROPAGATE_NAN, 3, windows,
                                    padding, stride));
  CHECK(cudnnSetTensorNdDescriptor(pooling.tensor, CUDNN_DATA_FLOAT, 5, dims, strides));
  const size_t size = static_cast<size_t>(dims[0]) * static_cast<size_t>(strides[0]);
  gpu::attempt("3d.ncdhw.float", [&] {
    run<float>(handle, pooling, size, "3d.ncdhw.float");
  });
}

} // namespace

int main(int argc, char** argv) {
  const gpu::Options options = gpu::start(argc, argv);
  const cudnnPoolingMode_t mode =
      options.deterministic ? CUDNN_POOLING_MAX_DETERMINISTIC : CUDNN_POOLING_MAX;
  cudnnHandle_t handle = nullptr;
  CHECK(cudnnCreate(&handle));
  for (const Layout layout : {Layout::nchw, Layout::nhwc}) {
    pool_images<float>(handle, mode, layout);
    pool_images<__half>(handle, mode, layout);
    pool_images<__nv_bfloat16>(handle, mode, layout);
  }
  pool_volumes(handle, mode);
  CHECK(cudnnDestroy(handle));
  return gpu::finish();
}
