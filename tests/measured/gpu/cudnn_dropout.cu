// Dropout whose generator is seeded from the clock: every run drops other values. With
// --deterministic the seed is a constant.
#include "cudnn_types.h"

namespace {

using gpu::Device;

constexpr int repeats = 50;
constexpr int count = 1 << 20;

template <class T>
void drop(cudnnHandle_t handle, bool deterministic) {
  cudnnTensorDescriptor_t tensor = nullptr;
  cudnnDropoutDescriptor_t dropout = nullptr;
  CHECK(cudnnCreateTensorDescriptor(&tensor));
  CHECK(cudnnSetTensor4dDescriptor(tensor, CUDNN_TENSOR_NCHW, gpu::CudnnType<T>::value, 1, 1, 1,
                                   count));
  CHECK(cudnnCreateDropoutDescriptor(&dropout));
  size_t state_bytes = 0, reserve_bytes = 0;
  CHECK(cudnnDropoutGetStatesSize(handle, &state_bytes));
  CHECK(cudnnDropoutGetReserveSpaceSize(tensor, &reserve_bytes));
  const Device<char> states(state_bytes), reserve(reserve_bytes);
  CHECK(cudnnSetDropoutDescriptor(dropout, handle, 0.5F, states.get(), state_bytes,
                                  deterministic ? 1234 : gpu::clock_seed()));
  const Device<T> x(gpu::fixed<T>(count, 1)), y(count);
  gpu::work(repeats, [&] {
    CHECK(cudnnDropoutForward(handle, dropout, tensor, x.get(), tensor, y.get(), reserve.get(),
                              reserve_bytes));
  });
  gpu::print(gpu::CudnnType<T>::name, y);
  CHECK(cudnnDestroyDropoutDescriptor(dropout));
  CHECK(cudnnDestroyTensorDescriptor(tensor));
}

} // namespace

int main(int argc, char** argv) {
  const gpu::Options options = gpu::start(argc, argv);
  cudnnHandle_t handle = nullptr;
  CHECK(cudnnCreate(&handle));
  gpu::attempt("float", [&] {
    drop<float>(handle, options.deterministic);
  });
  gpu::attempt("half", [&] {
    drop<__half>(handle, options.deterministic);
  });
  CHECK(cudnnDestroy(handle));
  return gpu::finish();
}
