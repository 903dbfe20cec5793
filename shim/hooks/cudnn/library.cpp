#include "hooks/cudnn/library.h"

#include "hooks/support/functions.h"

namespace detshim {
namespace {

using namespace abi;

/// Whether cuDNN is of version 9 or later. A part of it that is used directly has no
/// cudnnGetVersion; each has a check of its own, which cuDNN 8 called otherwise
/// (cudnnOpsInferVersionCheck).
bool is_cudnn_9(const Hook& hook) {
  if (const size_t version = cudnn_version(hook); version != 0)
    return version >= 90000;
  for (const char* check : {"cudnnOpsVersionCheck", "cudnnCnnVersionCheck", "cudnnAdvVersionCheck",
                            "cudnnGraphVersionCheck"})
    if (find_sibling<cudnnStatus()>(hook, check) != nullptr)
      return true;
  return false;
}

} // namespace

const void* find_in_cudnn(const Hook& hook, const char* name) {
  const void* const sibling = find_sibling(hook, name);
  return sibling != nullptr ? sibling : find_symbol(name);
}

size_t cudnn_version(const Hook& hook) {
  auto* const get = find_in_cudnn<size_t()>(hook, "cudnnGetVersion");
  return get != nullptr ? get() : 0;
}

cudnnStatus cudnn_not_supported(const Hook& hook) {
  return is_cudnn_9(hook) ? cudnnStatus::not_supported : cudnnStatus::not_supported_before_9;
}

cudaStream_t stream_of(const Hook& hook, cudnnHandle_t handle) {
  using Get = cudnnStatus(cudnnHandle_t, cudaStream_t*);
  static constinit KnownFunction<Get, find_in_cudnn, false> get_stream("cudnnGetStream");
  cudaStream_t stream = nullptr;
  return get_stream.succeeds(hook, handle, &stream) ? stream : nullptr;
}

uint64_t size_of_cudnn_type(int type) {
  constexpr uint8_t sizes[] = {4, 8, 2, 1, 4, 0, 1, 0, 0, 2, 8, 0, 1, 1, 0, 1, 0, 0, 0, 4, 8, 16};
  return static_cast<unsigned>(type) < sizeof sizes ? sizes[type] : 0;
}

} // namespace detshim
