// cuDNN's CTC loss: the deterministic algorithm runs, with a workspace of its size.
#include "hooks/cudnn/substitute.h"

namespace detshim {
namespace {

using namespace abi;

using Algorithm = cudnnCTCLossAlgo;

Substitution<Algorithm> substitute(Algorithm requested) {
  return {requested, Algorithm::deterministic};
}

constexpr Description runs_deterministic = {
    .action = Action::refuse,
    .fields = {"requested"_in, "effective"_out, "workspace"_in},
    .summary = "Runs ALGO_DETERMINISTIC instead of ALGO_NON_DETERMINISTIC, if the workspace "
               "suffices and the "
               "library takes it.",
};
constexpr Description answers_deterministic = {
    .action = Action::replace,
    .fields = {"requested"_in, "effective"_out, "workspace"_out},
    .summary =
        "Answers for the algorithm that will run: ALGO_DETERMINISTIC, where the library takes it.",
};

using Size =
    OutermostCall<cudnnStatus(Word, Word, Word, Word, Word, Word, Algorithm, Word, size_t* bytes)>;
using SizeV8 = OutermostCall<cudnnStatus(Word, Algorithm, Word, Word, Word, size_t* bytes)>;

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_HOOK(cudnn, cudnnStatus, cudnnCTCLoss,
             (cudnnHandle_t handle, cudnnTensorDescriptor_t probabilities,
              const void* probabilities_data, const int* labels, const int* label_lengths,
              const int* input_lengths, void* costs, cudnnTensorDescriptor_t gradients,
              void* gradients_data, cudnnCTCLossAlgo algo, cudnnCTCLossDescriptor_t loss,
              void* workspace, size_t workspace_size),
             runs_deterministic) {
  DETSHIM_ENTER_OUTERMOST(cudnnCTCLoss);
  return run_substitute(
      call, substitute(algo),
      [&](Algorithm which, size_t* bytes) {
        return ask_cudnn(call.hook(), "cudnnGetCTCLossWorkspaceSize", handle, probabilities,
                         gradients, labels, label_lengths, input_lengths, which, loss, bytes);
      },
      handle, probabilities, probabilities_data, labels, label_lengths, input_lengths, costs,
      gradients, gradients_data, algo, loss, workspace, workspace_size);
}

DETSHIM_HOOK(cudnn, cudnnStatus, cudnnCTCLoss_v8,
             (cudnnHandle_t handle, cudnnCTCLossAlgo algo, cudnnCTCLossDescriptor_t loss,
              cudnnTensorDescriptor_t probabilities, const void* probabilities_data,
              const int* labels, const int* label_lengths, const int* input_lengths, void* costs,
              cudnnTensorDescriptor_t gradients, void* gradients_data, size_t workspace_size,
              void* workspace),
             runs_deterministic) {
  DETSHIM_ENTER_OUTERMOST(cudnnCTCLoss_v8);
  return run_substitute(
      call, substitute(algo),
      [&](Algorithm which, size_t* bytes) {
        return ask_cudnn(call.hook(), "cudnnGetCTCLossWorkspaceSize_v8", handle, which, loss,
                         probabilities, gradients, bytes);
      },
      handle, algo, loss, probabilities, probabilities_data, labels, label_lengths, input_lengths,
      costs, gradients, gradients_data, workspace_size, workspace);
}

DETSHIM_TEMPLATE_HOOK(cudnn, Size, cudnnGetCTCLossWorkspaceSize,
                      (answer_size<Algorithm, substitute>), answers_deterministic);
DETSHIM_TEMPLATE_HOOK(cudnn, SizeV8, cudnnGetCTCLossWorkspaceSize_v8,
                      (answer_size<Algorithm, substitute>), answers_deterministic);

// With SKIP_OOB_GRADIENTS a sample whose label is too long keeps what its part of the gradients'
// memory held before (cudnn_graph.h, cudnnCTCGradMode_t). Whether the program has cleared it is not
// known here, and with ZERO_OOB_GRADIENTS one that accumulates there would compute something else.
DETSHIM_HOOK(
    cudnn, cudnnStatus, cudnnSetCTCLossDescriptor_v9,
    (cudnnCTCLossDescriptor_t loss, cudnnDataType type, cudnnLossNormalizationMode normalization,
     cudnnCTCGradMode gradients, int longest_label),
    .action = Action::nondeterministic, .fields = {"gradients"_in},
    .summary = "Records SKIP_OOB_GRADIENTS, which leaves what memory held in some gradients.") {
  DETSHIM_ENTER_OUTERMOST(cudnnSetCTCLossDescriptor_v9);
  const cudnnStatus status = call.real(loss, type, normalization, gradients, longest_label);
  if (status != cudnnStatus::success || gradients != cudnnCTCGradMode::skip_oob_gradients ||
      call.passes())
    return status;
  call.record(Action::nondeterministic, Reason::stale_gradients, {"SKIP_OOB_GRADIENTS"});
  return status;
}
