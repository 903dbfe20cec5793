// Functions of cuDNN that add by atomics, and for which there is no other algorithm.
#pragma once

#include "hooks/cudnn/library.h"

namespace detshim {

/// Records such a call; strict refuses it. `is_whole` is false where the library would not take the
/// arguments, which it says itself. `run()` calls the library.
template <typename Call, typename Run>
abi::cudnnStatus run_with_atomics(const Call& call, Reason why, bool is_whole, Run run) {
  if (call.passes()) return run();
  record_cudnn_once(call);
  if (is_whole && options().strict()) {
    call.record(Action::refuse, why, {});
    return cudnn_not_supported(call);
  }
  const abi::cudnnStatus status = run();
  if (status == abi::cudnnStatus::success) call.record(Action::unfixed, why, {});
  return status;
}

/// True if no pointer is null.
template <typename... Pointers>
bool are_there(Pointers... pointers) {
  return ((pointers != nullptr) && ...);
}

} // namespace detshim
