#include "hooks/support/cudnn.h"

#include "hooks/support/library_version.h"

namespace detshim {
namespace {

using namespace abi;

constinit uint32_t recorded_in = 0;

/// Whether cuDNN is of version 9 or later. A part of it that is used directly has no cudnnGetVersion; each
/// has a check of its own, which cuDNN 8 called otherwise (cudnnOpsInferVersionCheck).
bool is_cudnn_9(const Hook& hook) {
  if (const size_t version = cudnn_version(hook); version != 0) return version >= 90000;
  for (const char* check :
       {"cudnnOpsVersionCheck", "cudnnCnnVersionCheck", "cudnnAdvVersionCheck", "cudnnGraphVersionCheck"})
    if (find_sibling<cudnnStatus()>(hook, check) != nullptr) return true;
  return false;
}

} // namespace

size_t cudnn_version(const Hook& hook) {
  auto* const get = find_in_cudnn<size_t()>(hook, "cudnnGetVersion");
  return get != nullptr ? get() : 0;
}

cudnnStatus cudnn_not_supported(const Hook& hook) {
  return is_cudnn_9(hook) ? cudnnStatus::not_supported : cudnnStatus::not_supported_before_9;
}

void record_cudnn_once(const Hook& hook) {
  record_library_once(hook, recorded_in, [&](auto& text) {
    if (const size_t version = cudnn_version(hook)) text.add(uint64_t{version});
  });
}

cudaStream_t stream_of(const Hook& hook, cudnnHandle_t handle) {
  using Get = cudnnStatus(cudnnHandle_t, cudaStream_t*);
  // Looked up once until an object goes: a walk through all of them would cost more than a small pass.
  static constinit uint64_t known_epoch = 0;
  static constinit Get* known = nullptr;
  const uint64_t epoch = uint64_t{draw_epoch()} + 1;
  if (__atomic_load_n(&known_epoch, __ATOMIC_ACQUIRE) != epoch) {
    Get* const found = find_in_cudnn<Get>(hook, "cudnnGetStream");
    if (found == nullptr) return nullptr;
    __atomic_store_n(&known, found, __ATOMIC_RELAXED);
    __atomic_store_n(&known_epoch, epoch, __ATOMIC_RELEASE);
  }
  cudaStream_t stream = nullptr;
  return __atomic_load_n(&known, __ATOMIC_RELAXED)(handle, &stream) == cudnnStatus::success ? stream
                                                                                            : nullptr;
}

uint64_t size_of_cudnn_type(int type) {
  constexpr uint8_t sizes[] = {4, 8, 2, 1, 4, 0, 1, 0, 0, 2, 8, 0, 1, 1, 0, 1, 0, 0, 0, 4, 8, 16};
  return static_cast<unsigned>(type) < sizeof sizes ? sizes[type] : 0;
}

bool read_descriptor(const Hook& hook, cudnnTensorDescriptor_t descriptor, CudnnTensor& into) {
  return descriptor != nullptr &&
         ask_cudnn(hook, "cudnnGetTensorNdDescriptor", descriptor, cudnn_dimensions, &into.type, &into.count,
                   +into.sizes, +into.strides) == cudnnStatus::success &&
         into.count <= cudnn_dimensions;
}

bool read_descriptor(const Hook& hook, cudnnFilterDescriptor_t descriptor, CudnnFilter& into) {
  return descriptor != nullptr &&
         ask_cudnn(hook, "cudnnGetFilterNdDescriptor", descriptor, cudnn_dimensions, &into.type, &into.format,
                   &into.count, +into.sizes) == cudnnStatus::success &&
         into.count <= cudnn_dimensions;
}

bool read_descriptor(const Hook& hook, cudnnConvolutionDescriptor_t descriptor, CudnnConvolution& into) {
  // A tensor has two dimensions more; cuDNN 9.19 refuses to tell more of them.
  constexpr int most = cudnn_dimensions - 2;
  if (descriptor == nullptr ||
      ask_cudnn(hook, "cudnnGetConvolutionNdDescriptor", descriptor, most, &into.count, +into.pads,
                +into.strides, +into.dilations, &into.mode, &into.type) != cudnnStatus::success ||
      into.count > most)
    return false;
  const struct {
    const char* getter;
    int* value;
  } later[] = {{"cudnnGetConvolutionMathType", &into.math},
               {"cudnnGetConvolutionGroupCount", &into.groups},
               {"cudnnGetConvolutionReorderType", &into.reorder}};
  for (const auto& [getter, value] : later)
    if (auto* const get = find_in_cudnn<cudnnStatus(cudnnConvolutionDescriptor_t, int*)>(hook, getter);
        get != nullptr && get(descriptor, value) != cudnnStatus::success)
      return false;
  return true;
}

} // namespace detshim
