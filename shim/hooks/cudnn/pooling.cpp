// cuDNN's max-pooling: a descriptor is given the mode whose backward pass is deterministic.
//
// The program that asks for the mode again is told the one that it set, as frameworks compare descriptors.
#include "core/base/lock.h"
#include "core/base/table.h"
#include "hooks/cudnn/substitute.h"

namespace detshim {
namespace {

using namespace abi;

/// Descriptors that the program set to MAX and that hold MAX_DETERMINISTIC.
constinit Table<32> replaced = {};
constinit uint64_t lock = 0;
constinit bool any_replaced = false; // until then nothing needs to be looked up

uint64_t key_of(cudnnPoolingDescriptor_t descriptor) { return reinterpret_cast<uintptr_t>(descriptor); }

void remember(cudnnPoolingDescriptor_t descriptor) {
  Lock guard(lock);
  if (!guard.held()) return;
  replaced.insert(key_of(descriptor)) = 1;
  __atomic_store_n(&any_replaced, true, __ATOMIC_RELEASE);
}

void forget(cudnnPoolingDescriptor_t descriptor) {
  if (!__atomic_load_n(&any_replaced, __ATOMIC_ACQUIRE)) return;
  Lock guard(lock);
  if (!guard.held()) return;
  if (uint64_t* is_replaced = replaced.find(key_of(descriptor))) *is_replaced = 0;
}

bool was_replaced(cudnnPoolingDescriptor_t descriptor) {
  if (!__atomic_load_n(&any_replaced, __ATOMIC_ACQUIRE)) return false;
  Lock guard(lock);
  if (!guard.held()) return false;
  const uint64_t* is_replaced = replaced.find(key_of(descriptor));
  return is_replaced != nullptr && *is_replaced != 0;
}

/// The body of both ways to set a descriptor. `set(mode)` calls the library.
template <typename Call, typename Set>
cudnnStatus set_pooling(const Call& call, cudnnPoolingDescriptor_t descriptor, cudnnPoolingMode mode,
                        Set set) {
  constexpr auto max = static_cast<int64_t>(cudnnPoolingMode::max);
  const auto set_as_asked = [&] {
    const cudnnStatus status = set(mode);
    if (status == cudnnStatus::success) forget(descriptor);
    return status;
  };
  if (mode != cudnnPoolingMode::max) return set_as_asked();
  record_cudnn_once(call);
  Reason why = Reason::nondeterministic_pooling;
  if (options().forces()) {
    const cudnnStatus status = set(cudnnPoolingMode::max_deterministic);
    if (status == cudnnStatus::success) {
      remember(descriptor);
      call.record(Action::replace, Reason::nondeterministic_pooling,
                  {max, static_cast<int64_t>(cudnnPoolingMode::max_deterministic)});
    }
    if (!is_refusal(status)) return status;
    why = Reason::refused_by_library;
    if (options().strict()) {
      call.record(Action::refuse, why, {max, ""});
      return status;
    }
  }
  const cudnnStatus status = set_as_asked();
  if (status == cudnnStatus::success) call.record(Action::unfixed, why, {max, max});
  return status;
}

/// What both ways to read a descriptor do with what the library answered.
template <typename Call>
void tell_own_mode(const Call& call, cudnnPoolingDescriptor_t descriptor, cudnnPoolingMode* mode) {
  if (mode == nullptr || *mode != cudnnPoolingMode::max_deterministic || !was_replaced(descriptor)) return;
  call.record(Action::replace, Reason::own_value,
              {static_cast<int64_t>(*mode), static_cast<int64_t>(cudnnPoolingMode::max)});
  *mode = cudnnPoolingMode::max;
}

} // namespace
} // namespace detshim

using namespace detshim;
using namespace detshim::abi;

DETSHIM_HOOK(cudnn, cudnnStatus, cudnnSetPooling2dDescriptor,
             (cudnnPoolingDescriptor_t descriptor, cudnnPoolingMode mode, cudnnNanPropagation nan_propagation,
              int window_height, int window_width, int vertical_padding, int horizontal_padding,
              int vertical_stride, int horizontal_stride),
             .action = Action::refuse, .fields = {"asked", "given"},
             .summary = "Sets MAX_DETERMINISTIC instead of MAX, whose backward pass adds by atomics.") {
  DETSHIM_ENTER_OUTERMOST(cudnnSetPooling2dDescriptor);
  const auto set = [&](cudnnPoolingMode which) {
    return call.real(descriptor, which, nan_propagation, window_height, window_width, vertical_padding,
                     horizontal_padding, vertical_stride, horizontal_stride);
  };
  return call.passes() ? set(mode) : set_pooling(call, descriptor, mode, set);
}

DETSHIM_HOOK(cudnn, cudnnStatus, cudnnSetPoolingNdDescriptor,
             (cudnnPoolingDescriptor_t descriptor, cudnnPoolingMode mode, cudnnNanPropagation nan_propagation,
              int dimensions, const int* window, const int* padding, const int* stride),
             .action = Action::refuse, .fields = {"asked", "given"},
             .summary = "Sets MAX_DETERMINISTIC instead of MAX, whose backward pass adds by atomics.") {
  DETSHIM_ENTER_OUTERMOST(cudnnSetPoolingNdDescriptor);
  const auto set = [&](cudnnPoolingMode which) {
    return call.real(descriptor, which, nan_propagation, dimensions, window, padding, stride);
  };
  return call.passes() ? set(mode) : set_pooling(call, descriptor, mode, set);
}

DETSHIM_HOOK(cudnn, cudnnStatus, cudnnGetPooling2dDescriptor,
             (cudnnPoolingDescriptor_t descriptor, cudnnPoolingMode* mode,
              cudnnNanPropagation* nan_propagation, int* window_height, int* window_width,
              int* vertical_padding, int* horizontal_padding, int* vertical_stride, int* horizontal_stride),
             .action = Action::replace, .fields = {"held", "told"},
             .summary = "Tells the program the mode that it set, MAX, for a descriptor that was given "
                        "MAX_DETERMINISTIC.") {
  DETSHIM_ENTER_OUTERMOST(cudnnGetPooling2dDescriptor);
  const cudnnStatus status =
      call.real(descriptor, mode, nan_propagation, window_height, window_width, vertical_padding,
                horizontal_padding, vertical_stride, horizontal_stride);
  if (status == cudnnStatus::success && !call.passes()) tell_own_mode(call, descriptor, mode);
  return status;
}

DETSHIM_HOOK(cudnn, cudnnStatus, cudnnGetPoolingNdDescriptor,
             (cudnnPoolingDescriptor_t descriptor, int requested, cudnnPoolingMode* mode,
              cudnnNanPropagation* nan_propagation, int* dimensions, int* window, int* padding, int* stride),
             .action = Action::replace, .fields = {"held", "told"},
             .summary = "Tells the program the mode that it set, MAX, for a descriptor that was given "
                        "MAX_DETERMINISTIC.") {
  DETSHIM_ENTER_OUTERMOST(cudnnGetPoolingNdDescriptor);
  const cudnnStatus status =
      call.real(descriptor, requested, mode, nan_propagation, dimensions, window, padding, stride);
  if (status == cudnnStatus::success && !call.passes()) tell_own_mode(call, descriptor, mode);
  return status;
}

DETSHIM_HOOK(cudnn, cudnnStatus, cudnnDestroyPoolingDescriptor, (cudnnPoolingDescriptor_t descriptor),
             .action = Action::observe,
             .summary = "Forgets the descriptor: another one may get its address.") {
  DETSHIM_ENTER_OUTERMOST(cudnnDestroyPoolingDescriptor);
  if (!call.passes()) forget(descriptor);
  return call.real(descriptor);
}
