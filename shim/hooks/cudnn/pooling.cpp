// cuDNN's max-pooling: a descriptor is given the mode whose backward pass is deterministic.
#include "hooks/cudnn/substitute.h"
#include "hooks/support/functions.h"

namespace detshim {
namespace {

using namespace abi;

/// Both ways to set a descriptor.
template <typename Call, typename... Others>
cudnnStatus set_pooling(const Call& call, cudnnPoolingDescriptor_t descriptor,
                        cudnnPoolingMode mode, Others... others) {
  const auto set = [&](cudnnPoolingMode which) {
    return call.real(descriptor, which, others...);
  };
  if (call.passes() || mode != cudnnPoolingMode::max)
    return set(mode);
  constexpr auto max = static_cast<int64_t>(cudnnPoolingMode::max);
  Reason why = Reason::nondeterministic_pooling;
  if (options().forces()) {
    const cudnnStatus status = set(cudnnPoolingMode::max_deterministic);
    if (status == cudnnStatus::success)
      call.record(Action::replace, Reason::nondeterministic_pooling,
                  {max, static_cast<int64_t>(cudnnPoolingMode::max_deterministic)});
    if (!is_refusal(status))
      return status;
    why = Reason::refused_by_library;
    if (options().strict()) {
      call.record(Action::refuse, why, {max, ""});
      return status;
    }
  }
  const cudnnStatus status = set(mode);
  if (status == cudnnStatus::success)
    call.record(Action::nondeterministic, why, {max, max});
  return status;
}

constexpr Description sets_deterministic = {
    .action = Action::refuse,
    .fields = {"requested"_in, "effective"_out},
    .summary = "Sets MAX_DETERMINISTIC instead of MAX, whose backward pass adds by atomics.",
};
using Set2d = CallOfWords<cudnnStatus, 7, cudnnPoolingDescriptor_t, cudnnPoolingMode>;
using SetNd = CallOfWords<cudnnStatus, 5, cudnnPoolingDescriptor_t, cudnnPoolingMode>;

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_TEMPLATE_HOOK(cudnn, Set2d, cudnnSetPooling2dDescriptor, set_pooling, sets_deterministic);
DETSHIM_TEMPLATE_HOOK(cudnn, SetNd, cudnnSetPoolingNdDescriptor, set_pooling, sets_deterministic);
