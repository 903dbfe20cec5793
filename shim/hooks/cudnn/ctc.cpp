// cuDNN's CTC loss: the deterministic algorithm runs, with a workspace of its size.
#include "hooks/cudnn/outputs.h"
#include "hooks/cudnn/substitute.h"

namespace detshim {
namespace {

using namespace abi;

using Size = cudnnStatus(cudnnHandle_t, cudnnTensorDescriptor_t, cudnnTensorDescriptor_t, const int*,
                         const int*, const int*, cudnnCTCLossAlgo, cudnnCTCLossDescriptor_t, size_t*);
using SizeV8 = cudnnStatus(cudnnHandle_t, cudnnCTCLossAlgo, cudnnCTCLossDescriptor_t, cudnnTensorDescriptor_t,
                           cudnnTensorDescriptor_t, size_t*);

bool is_deterministic(cudnnCTCLossAlgo algo) { return algo != cudnnCTCLossAlgo::non_deterministic; }

Substitution<cudnnCTCLossAlgo> substitute(cudnnCTCLossAlgo asked) {
  return {asked, cudnnCTCLossAlgo::deterministic};
}

// ---- What goes in and what comes out, for DETSHIM_FINGERPRINT=calls ----

struct Loss {
  cudnnCTCLossAlgo algorithm;
  cudnnCTCLossDescriptor_t descriptor;
  LayerTensor probabilities, gradients; ///< in time, of so many samples, by label
  const void* costs;
};

/// How many samples there are; 0 where it is not told.
int samples_of(const Hook& hook, cudnnTensorDescriptor_t probabilities) {
  auto* const get = find_in_cudnn<cudnnStatus(cudnnTensorDescriptor_t, int, int*, int*, int*, int*)>(
      hook, "cudnnGetTensorNdDescriptor");
  constexpr int most = 8; // CUDNN_DIM_MAX
  int type = -1, count = 0, sizes[most] = {}, strides[most] = {};
  return probabilities != nullptr && get != nullptr &&
                 get(probabilities, most, &type, &count, sizes, strides) == cudnnStatus::success && count > 1
             ? sizes[1]
             : 0;
}

/// Returns how many samples there are.
int describe(const Hook& hook, CallOutputs& outputs, const Loss& loss) {
  outputs.add_shape("algo", static_cast<uint64_t>(loss.algorithm));
  add_read(hook, outputs, loss.probabilities);
  const bool skips = add_settings(hook, outputs, loss.descriptor);
  const int samples = samples_of(hook, loss.probabilities.tensor);
  if (samples <= 0) outputs.leave_outputs(Reason::layout_unknown);
  if (skips && loss.gradients.data != nullptr) outputs.leave_outputs(Reason::partly_written);
  if (loss.costs != nullptr && samples > 0)
    outputs.add_output(bytes_at(loss.costs, static_cast<uint64_t>(samples) * sizeof(float)));
  add_written(hook, outputs, loss.gradients, nullptr, nullptr);
  return samples;
}

/// Labels and lengths that lie on the host.
void add_labels(CallOutputs& outputs, const int* labels, const int* label_lengths, const int* input_lengths,
                int samples) {
  if (samples <= 0 || labels == nullptr || label_lengths == nullptr || input_lengths == nullptr)
    return outputs.leave_inputs();
  const auto count = static_cast<size_t>(samples);
  size_t all = 0;
  for (size_t i = 0; i < count; ++i) all += static_cast<size_t>(label_lengths[i] > 0 ? label_lengths[i] : 0);
  outputs.add_number(label_lengths, count * sizeof *label_lengths);
  outputs.add_number(input_lengths, count * sizeof *input_lengths);
  outputs.add_number(labels, all * sizeof *labels);
}

} // namespace
} // namespace detshim

using namespace detshim;
using namespace detshim::abi;

DETSHIM_HOOK(cudnn, cudnnStatus, cudnnCTCLoss,
             (cudnnHandle_t handle, cudnnTensorDescriptor_t probabilities, const void* probabilities_data,
              const int* labels, const int* label_lengths, const int* input_lengths, void* costs,
              cudnnTensorDescriptor_t gradients, void* gradients_data, cudnnCTCLossAlgo algo,
              cudnnCTCLossDescriptor_t loss, void* workspace, size_t workspace_size),
             .action = Action::refuse, .fields = {"asked", "given", "workspace"},
             .summary = "Runs ALGO_DETERMINISTIC instead of ALGO_NON_DETERMINISTIC, if the workspace "
                        "suffices and the library takes it.") {
  DETSHIM_ENTER_OUTERMOST(cudnnCTCLoss);
  const auto run = [&](cudnnCTCLossAlgo which) {
    return print_described(
        call, handle,
        [&](CallOutputs& outputs) {
          const int samples = describe(
              call.hook(), outputs,
              {which, loss, {probabilities, probabilities_data}, {gradients, gradients_data}, costs});
          add_labels(outputs, labels, label_lengths, input_lengths, samples);
        },
        [&] {
          return call.real(handle, probabilities, probabilities_data, labels, label_lengths, input_lengths,
                           costs, gradients, gradients_data, which, loss, workspace, workspace_size);
        });
  };
  if (call.passes() || is_deterministic(algo)) return run(algo);
  auto* size = call.beside<Size>("cudnnGetCTCLossWorkspaceSize");
  return run_substitute(
      call, substitute(algo), workspace_size,
      [&](cudnnCTCLossAlgo which, size_t* bytes) {
        return size != nullptr ? size(handle, probabilities, gradients, labels, label_lengths, input_lengths,
                                      which, loss, bytes)
                               : cudnnStatus::not_supported;
      },
      run);
}

DETSHIM_HOOK(cudnn, cudnnStatus, cudnnCTCLoss_v8,
             (cudnnHandle_t handle, cudnnCTCLossAlgo algo, cudnnCTCLossDescriptor_t loss,
              cudnnTensorDescriptor_t probabilities, const void* probabilities_data, const int* labels,
              const int* label_lengths, const int* input_lengths, void* costs,
              cudnnTensorDescriptor_t gradients, void* gradients_data, size_t workspace_size,
              void* workspace),
             .action = Action::refuse, .fields = {"asked", "given", "workspace"},
             .summary = "Runs ALGO_DETERMINISTIC instead of ALGO_NON_DETERMINISTIC, if the workspace "
                        "suffices and the library takes it.") {
  DETSHIM_ENTER_OUTERMOST(cudnnCTCLoss_v8);
  const auto run = [&](cudnnCTCLossAlgo which) {
    return print_described(
        call, handle,
        [&](CallOutputs& outputs) {
          outputs.leave_inputs(); // labels and lengths lie on the GPU: how many there are is not known
          describe(call.hook(), outputs,
                   {which, loss, {probabilities, probabilities_data}, {gradients, gradients_data}, costs});
        },
        [&] {
          return call.real(handle, which, loss, probabilities, probabilities_data, labels, label_lengths,
                           input_lengths, costs, gradients, gradients_data, workspace_size, workspace);
        });
  };
  if (call.passes() || is_deterministic(algo)) return run(algo);
  auto* size = call.beside<SizeV8>("cudnnGetCTCLossWorkspaceSize_v8");
  return run_substitute(
      call, substitute(algo), workspace_size,
      [&](cudnnCTCLossAlgo which, size_t* bytes) {
        return size != nullptr ? size(handle, which, loss, probabilities, gradients, bytes)
                               : cudnnStatus::not_supported;
      },
      run);
}

DETSHIM_HOOK(cudnn, cudnnStatus, cudnnGetCTCLossWorkspaceSize,
             (cudnnHandle_t handle, cudnnTensorDescriptor_t probabilities, cudnnTensorDescriptor_t gradients,
              const int* labels, const int* label_lengths, const int* input_lengths, cudnnCTCLossAlgo algo,
              cudnnCTCLossDescriptor_t loss, size_t* bytes),
             .action = Action::replace, .fields = {"asked", "given", "workspace"},
             .summary = "Answers for the algorithm that will run: ALGO_DETERMINISTIC, where the library "
                        "takes it.") {
  DETSHIM_ENTER_OUTERMOST(cudnnGetCTCLossWorkspaceSize);
  const auto size_of = [&](cudnnCTCLossAlgo which, size_t* into) {
    return call.real(handle, probabilities, gradients, labels, label_lengths, input_lengths, which, loss,
                     into);
  };
  if (call.passes() || is_deterministic(algo)) return size_of(algo, bytes);
  return answer_substitute_size(call, substitute(algo), bytes, size_of);
}

DETSHIM_HOOK(cudnn, cudnnStatus, cudnnGetCTCLossWorkspaceSize_v8,
             (cudnnHandle_t handle, cudnnCTCLossAlgo algo, cudnnCTCLossDescriptor_t loss,
              cudnnTensorDescriptor_t probabilities, cudnnTensorDescriptor_t gradients, size_t* bytes),
             .action = Action::replace, .fields = {"asked", "given", "workspace"},
             .summary = "Answers for the algorithm that will run: ALGO_DETERMINISTIC, where the library "
                        "takes it.") {
  DETSHIM_ENTER_OUTERMOST(cudnnGetCTCLossWorkspaceSize_v8);
  const auto size_of = [&](cudnnCTCLossAlgo which, size_t* into) {
    return call.real(handle, which, loss, probabilities, gradients, into);
  };
  if (call.passes() || is_deterministic(algo)) return size_of(algo, bytes);
  return answer_substitute_size(call, substitute(algo), bytes, size_of);
}

// With SKIP_OOB_GRADIENTS a sample whose label is too long keeps what its part of the gradients' memory held
// before (cudnn_graph.h, cudnnCTCGradMode_t). Whether the program has cleared it cannot be told from here,
// and with ZERO_OOB_GRADIENTS one that accumulates there would compute something else.
DETSHIM_HOOK(cudnn, cudnnStatus, cudnnSetCTCLossDescriptor_v9,
             (cudnnCTCLossDescriptor_t loss, cudnnDataType type, cudnnLossNormalizationMode normalization,
              cudnnCTCGradMode gradients, int longest_label),
             .action = Action::unfixed, .fields = {"gradients"},
             .summary = "Records SKIP_OOB_GRADIENTS, which leaves what memory held in some gradients.") {
  DETSHIM_ENTER_OUTERMOST(cudnnSetCTCLossDescriptor_v9);
  const cudnnStatus status = call.real(loss, type, normalization, gradients, longest_label);
  if (status != cudnnStatus::success || gradients != cudnnCTCGradMode::skip_oob_gradients || call.passes())
    return status;
  record_cudnn_once(call);
  call.record(Action::unfixed, Reason::stale_gradients, {"SKIP_OOB_GRADIENTS"});
  return status;
}
