// What cuDNN's hooks share.
#pragma once

#include "abi/cudnn.h"
#include "core/base/modules.h"
#include "hooks/library_version.h"
#include "loader/hook.h"

namespace detshim {

/// cuDNN's version number (90190 for 9.19.0), 0 where it cannot be asked. A part of it that is used directly
/// (libcudnn_ops.so.9) may have no such function, another that is loaded has.
template <typename Call>
size_t cudnn_version(const Call& call) {
  using Get = size_t();
  auto* get_version = call.template beside<Get>("cudnnGetVersion");
  if (get_version == nullptr)
    get_version = reinterpret_cast<Get*>(const_cast<void*>(find_symbol("cudnnGetVersion")));
  return get_version != nullptr ? get_version() : 0;
}

/// Whether cuDNN is of version 9 or later. A part of it that is used directly (libcudnn_ops.so.9) has no
/// cudnnGetVersion; each has a check of its own, which cuDNN 8 called otherwise (cudnnOpsInferVersionCheck).
template <typename Call>
bool is_cudnn_9(const Call& call) {
  if (const size_t version = cudnn_version(call); version != 0) return version >= 90000;
  for (const char* check :
       {"cudnnOpsVersionCheck", "cudnnCnnVersionCheck", "cudnnAdvVersionCheck", "cudnnGraphVersionCheck"})
    if (call.template beside<abi::cudnnStatus()>(check) != nullptr) return true;
  return false;
}

/// CUDNN_STATUS_NOT_SUPPORTED as the loaded version numbers it.
template <typename Call>
abi::cudnnStatus cudnn_not_supported(const Call& call) {
  return is_cudnn_9(call) ? abi::cudnnStatus::not_supported : abi::cudnnStatus::not_supported_before_9;
}

inline constinit uint32_t cudnn_said = 0;

template <typename Call>
void record_cudnn_once(const Call& call) {
  record_library_once(call.hook(), cudnn_said, [&](auto& text) {
    if (const size_t version = cudnn_version(call)) text.add(uint64_t{version});
  });
}

} // namespace detshim
