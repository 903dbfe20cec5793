// cuDNN's recurrent networks.
//
// They multiply matrices through cuBLAS on streams of their own, which may share a workspace unless
// CUBLAS_WORKSPACE_CONFIG bounds it (release notes of cuDNN 7.6.5; cuBLAS documentation, "Results
// Reproducibility"). Nothing in the calls themselves would change that: they are recorded with
// whether it is.
//
// Symbols: cudnn_adv.h of cuDNN 9.19; cudnn_adv_infer.h and cudnn_adv_train.h of 8.9, whose
// networks go over the steps of a batch, or, in functions whose name ends in Ex, over sequences.
#include "common/run_variable.h"
#include "core/policy/settings_table.h"
#include "hooks/cudnn/library.h"
#include "hooks/support/functions.h"

namespace detshim {
namespace {

using namespace abi;

/// Records with what CUBLAS_WORKSPACE_CONFIG the call runs, and hands it on. The handle comes
/// first.
template <typename Call, typename... Others>
cudnnStatus run_with_workspace(const Call& call, void* handle, Others... others) {
  if (call.passes())
    return call.real(handle, others...);
  constexpr const char* setting = "CUBLAS_WORKSPACE_CONFIG";
  const char* value = environment_value(setting);
  // Not its address, which differs from run to run.
  const char* const stream =
      stream_of(call.hook(), static_cast<cudnnHandle_t>(handle)) == nullptr ? "default" : "own";
  if (value != nullptr && setting_is_good(setting, value))
    call.record(Action::observe, Reason::workspace_bounded, {value, stream});
  else
    call.record(Action::nondeterministic, Reason::workspace_shared,
                {value != nullptr ? value : "", stream});
  return call.real(handle, others...);
}

constexpr Description needs_workspace_setting = {
    .action = Action::nondeterministic,
    .fields = {"setting"_in, "stream"_in},
    .summary = "Recorded: repeatable if CUBLAS_WORKSPACE_CONFIG is.",
};

template <int count>
using Words = CallOfWords<cudnnStatus, count>;

} // namespace
} // namespace detshim

using namespace detshim;

#define RECORDED(NAME, COUNT)                                                                      \
  DETSHIM_TEMPLATE_HOOK(cudnn, Words<COUNT>, NAME, run_with_workspace, needs_workspace_setting)

RECORDED(cudnnRNNForward, 20);
RECORDED(cudnnRNNBackwardData_v8, 22);
RECORDED(cudnnRNNBackwardWeights_v8, 16);

// Of cuDNN 7 and 8.
RECORDED(cudnnRNNForwardInference, 19);
RECORDED(cudnnRNNForwardTraining, 21);
RECORDED(cudnnRNNBackwardData, 27);
RECORDED(cudnnRNNBackwardWeights, 15);
RECORDED(cudnnRNNForwardInferenceEx, 26);
RECORDED(cudnnRNNForwardTrainingEx, 28);
RECORDED(cudnnRNNBackwardDataEx, 30);
RECORDED(cudnnRNNBackwardWeightsEx, 14);
