// cuDNN's max-pooling: a descriptor is given the mode whose backward pass is deterministic.
//
// A program that asks for the mode again gets the one that it set, because frameworks compare descriptors.
#include "hooks/cudnn/substitute.h"
#include "hooks/support/functions.h"
#include "hooks/support/shared_use.h"

namespace detshim {
namespace {

using namespace abi;

/// Descriptors that the program set to MAX and that hold MAX_DETERMINISTIC.
constinit ObjectTable<1024> replaced;

/// Both ways to set a descriptor.
template <typename Call, typename... Others>
cudnnStatus set_pooling(const Call& call, cudnnPoolingDescriptor_t descriptor, cudnnPoolingMode mode,
                        Others... others) {
  const auto set = [&](cudnnPoolingMode which) { return call.real(descriptor, which, others...); };
  if (call.passes()) return set(mode);
  constexpr auto max = static_cast<int64_t>(cudnnPoolingMode::max);
  const auto set_as_asked = [&] {
    const cudnnStatus status = set(mode);
    if (status == cudnnStatus::success) replaced.forget(descriptor);
    return status;
  };
  if (mode != cudnnPoolingMode::max) return set_as_asked();
  Reason why = Reason::nondeterministic_pooling;
  if (options().forces()) {
    const cudnnStatus status = set(cudnnPoolingMode::max_deterministic);
    if (status == cudnnStatus::success) {
      replaced.insert(descriptor);
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
  if (status == cudnnStatus::success) call.record(Action::nondeterministic, why, {max, max});
  return status;
}

/// Both ways to read a descriptor.
template <typename Call, typename... Others>
cudnnStatus get_pooling(const Call& call, cudnnPoolingDescriptor_t descriptor, Others... others) {
  const cudnnStatus status = call.real(descriptor, others...);
  cudnnPoolingMode* const mode = argument_of_type<cudnnPoolingMode*>(others...);
  if (status != cudnnStatus::success || call.passes() || mode == nullptr ||
      *mode != cudnnPoolingMode::max_deterministic || replaced.find(descriptor) == nullptr)
    return status;
  call.record(Action::replace, Reason::own_value,
              {static_cast<int64_t>(*mode), static_cast<int64_t>(cudnnPoolingMode::max)});
  *mode = cudnnPoolingMode::max;
  return status;
}

constexpr Description sets_deterministic = {
    .action = Action::refuse,
    .fields = {"requested", "effective"},
    .summary = "Sets MAX_DETERMINISTIC instead of MAX, whose backward pass adds by atomics.",
};
constexpr Description answers_own_mode = {
    .action = Action::replace,
    .fields = {"held", "answered"},
    .summary =
        "Tells the program the mode that it set, MAX, for a descriptor that was given MAX_DETERMINISTIC.",
};

using Set2d = CallOfWords<cudnnStatus, 7, cudnnPoolingDescriptor_t, cudnnPoolingMode>;
using SetNd = CallOfWords<cudnnStatus, 5, cudnnPoolingDescriptor_t, cudnnPoolingMode>;
using Get2d = CallOfWords<cudnnStatus, 7, cudnnPoolingDescriptor_t, cudnnPoolingMode*>;
using GetNd = CallOfWords<cudnnStatus, 5, cudnnPoolingDescriptor_t, Word, cudnnPoolingMode*>;

} // namespace
} // namespace detshim

using namespace detshim;
using namespace detshim::abi;

DETSHIM_TEMPLATE_HOOK(cudnn, Set2d, cudnnSetPooling2dDescriptor, set_pooling, sets_deterministic);
DETSHIM_TEMPLATE_HOOK(cudnn, SetNd, cudnnSetPoolingNdDescriptor, set_pooling, sets_deterministic);
DETSHIM_TEMPLATE_HOOK(cudnn, Get2d, cudnnGetPooling2dDescriptor, get_pooling, answers_own_mode);
DETSHIM_TEMPLATE_HOOK(cudnn, GetNd, cudnnGetPoolingNdDescriptor, get_pooling, answers_own_mode);

DETSHIM_HOOK(cudnn, cudnnStatus, cudnnDestroyPoolingDescriptor, (cudnnPoolingDescriptor_t descriptor),
             .action = Action::observe,
             .summary = "Forgets the descriptor: another one may get its address.") {
  DETSHIM_ENTER_OUTERMOST(cudnnDestroyPoolingDescriptor);
  if (!call.passes()) replaced.forget(descriptor);
  return call.real(descriptor);
}
