// What cuDNN's hooks share.
#pragma once

#include "abi/cudnn.h"
#include "hooks/library_version.h"
#include "loader/hook.h"

namespace detshim {

/// cuDNN's version number (90190 for 9.19.0), 0 where it cannot be asked.
template <typename Call>
size_t cudnn_version(const Call& call) {
  auto* get_version = call.template beside<size_t()>("cudnnGetVersion");
  return get_version != nullptr ? get_version() : 0;
}

/// CUDNN_STATUS_NOT_SUPPORTED as the loaded version numbers it.
template <typename Call>
abi::cudnnStatus cudnn_not_supported(const Call& call) {
  return cudnn_version(call) >= 90000 ? abi::cudnnStatus::not_supported
                                      : abi::cudnnStatus::not_supported_before_9;
}

inline constinit uint32_t cudnn_said = 0;

template <typename Call>
void record_cudnn_once(const Call& call) {
  record_library_once(call.hook(), cudnn_said,
                      [&](auto& text) { text.add(static_cast<uint64_t>(cudnn_version(call))); });
}

} // namespace detshim
