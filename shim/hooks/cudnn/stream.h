// The stream that a cuDNN handle works on.
#pragma once

#include "abi/library_types.h"
#include "hooks/cudnn/library.h"

namespace detshim {

using CudnnGetStream = abi::cudnnStatus(abi::cudnnHandle_t, abi::cudaStream_t*);

/// The handle's stream; a null one where the library cannot be asked (libcudnn_ops used directly).
template <typename Call>
abi::cudaStream_t stream_of(const Call& call, abi::cudnnHandle_t handle) {
  // Looked up once until an object goes: a walk through all of them would cost more than a small pass.
  static constinit uint64_t known_epoch = 0;
  static constinit CudnnGetStream* known = nullptr;
  const uint64_t epoch = uint64_t{draw_epoch()} + 1;
  if (__atomic_load_n(&known_epoch, __ATOMIC_ACQUIRE) != epoch) {
    __atomic_store_n(&known, call.template beside<CudnnGetStream>("cudnnGetStream"), __ATOMIC_RELAXED);
    __atomic_store_n(&known_epoch, epoch, __ATOMIC_RELEASE);
  }
  CudnnGetStream* get = __atomic_load_n(&known, __ATOMIC_RELAXED);
  abi::cudaStream_t stream = nullptr;
  return get != nullptr && get(handle, &stream) == abi::cudnnStatus::success ? stream : nullptr;
}

} // namespace detshim
