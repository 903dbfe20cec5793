// Functions of cuDNN that add by atomics, and for which there is no other algorithm: the backward
// passes of the spatial transformer (cudnn_ops.h) and of causal convolutions
// (cudnn_subquadratic_ops.h, since 9.22), as their headers say.
#include "hooks/cudnn/library.h"
#include "hooks/support/functions.h"

namespace detshim {
namespace {

using namespace abi;

/// Records such a call; strict refuses it. `is_whole` is false where the library would not take the
/// arguments, which it says itself. `run()` calls the library.
template <typename Call, typename Run>
cudnnStatus run_with_atomics(const Call& call, bool is_whole, Run run) {
  if (call.passes())
    return run();
  if (is_whole && options().strict()) {
    call.record(Action::refuse, Reason::atomic_adds, {});
    return cudnn_not_supported(call.hook());
  }
  const cudnnStatus status = run();
  if (status == cudnnStatus::success)
    call.record(Action::nondeterministic, Reason::atomic_adds, {});
  return status;
}

/// cudnnCausalConv1dBackward, and its form for another layout: sizes follow the pointers.
template <typename Call, typename... Sizes>
cudnnStatus convolve_backward(const Call& call, void* stream, void* x, void* weight, void* bias,
                              void* dy, void* dx, void* dweight, void* dbias, Sizes... sizes) {
  return run_with_atomics(call, are_there(x, weight, bias, dy, dx, dweight, dbias), [&] {
    return call.real(stream, x, weight, bias, dy, dx, dweight, dbias, sizes...);
  });
}

/// cudnnSpatialTfSamplerBackward, which takes pointers alone.
template <typename Call, typename... Pointers>
cudnnStatus sample_backward(const Call& call, Pointers... pointers) {
  return run_with_atomics(call, are_there(pointers...), [&] {
    return call.real(pointers...);
  });
}

constexpr Description adds_by_atomics = {
    .action = Action::refuse,
    .summary = "Recorded: it adds by atomics, and there is no other algorithm; strict refuses it.",
};

using ConvolutionBackward = CallOfWords<cudnnStatus, 15>;
using SamplerBackward = CallOfWords<cudnnStatus, 14>;

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_TEMPLATE_HOOK(cudnn, ConvolutionBackward, cudnnCausalConv1dBackward, convolve_backward,
                      adds_by_atomics);
DETSHIM_TEMPLATE_HOOK(cudnn, ConvolutionBackward, cudnnCausalConv1dNwhBackward, convolve_backward,
                      adds_by_atomics);

DETSHIM_TEMPLATE_HOOK(cudnn, SamplerBackward, cudnnSpatialTfSamplerBackward, sample_backward,
                      adds_by_atomics);
