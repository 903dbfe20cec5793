// cuDNN's convolutions backward with an algorithm that the program names: a deterministic one runs.
//
// Forward algorithms are all deterministic (cuDNN documentation, "Odds and Ends: Reproducibility"): they have
// no hook here.
#include "hooks/cudnn/outputs.h"
#include "hooks/cudnn/substitute.h"

namespace detshim {
namespace {

using namespace abi;

/// The function that answers how large a workspace an algorithm wants.
constexpr const char* size_name(cudnnBackwardDataAlgo) {
  return "cudnnGetConvolutionBackwardDataWorkspaceSize";
}
constexpr const char* size_name(cudnnBackwardFilterAlgo) {
  return "cudnnGetConvolutionBackwardFilterWorkspaceSize";
}

bool is_deterministic(cudnnBackwardDataAlgo algo) { return algo != cudnnBackwardDataAlgo::algo_0; }
bool is_deterministic(cudnnBackwardFilterAlgo algo) {
  return algo != cudnnBackwardFilterAlgo::algo_0 && algo != cudnnBackwardFilterAlgo::algo_3;
}

Substitution<cudnnBackwardDataAlgo> substitute(cudnnBackwardDataAlgo asked) {
  return {asked, cudnnBackwardDataAlgo::algo_1};
}
Substitution<cudnnBackwardFilterAlgo> substitute(cudnnBackwardFilterAlgo asked) {
  return {asked, cudnnBackwardFilterAlgo::algo_1};
}

/// What cuDNN 7's heuristic chose, replaced if it is nondeterministic. `size_of(algorithm, bytes)` asks the
/// library.
template <typename Call, typename Algorithm, typename Size>
cudnnStatus replace_choice(const Call& call, cudnnConvolutionPreference preference, size_t limit,
                           Algorithm* chosen, Size size_of) {
  record_cudnn_once(call);
  if (is_deterministic(*chosen)) return cudnnStatus::success;
  const auto algorithm = substitute(*chosen);
  if (!options().forces()) {
    call.record(Action::unfixed, Reason::nondeterministic,
                {algorithm.asked_number(), algorithm.asked_number()});
    return cudnnStatus::success;
  }
  const size_t available = preference == cudnnConvolutionPreference::prefer_fastest    ? ~size_t{0}
                           : preference == cudnnConvolutionPreference::workspace_limit ? limit
                                                                                       : 0;
  size_t needed = 0;
  if (size_of(algorithm.given, &needed) == cudnnStatus::success && needed <= available) {
    *chosen = algorithm.given;
    call.record(Action::replace, Reason::nondeterministic,
                {algorithm.asked_number(), algorithm.given_number()});
    return cudnnStatus::success;
  }
  constexpr Reason why = Reason::workspace_too_small;
  if (options().strict()) {
    call.record(Action::refuse, why, {algorithm.asked_number(), ""});
    return cudnn_not_supported(call);
  }
  call.record(Action::unfixed, why, {algorithm.asked_number(), algorithm.asked_number()});
  return cudnnStatus::success;
}

// Both directions take and give in the same order: from `in` (the filter, or x) and dy comes `out` (dx, or
// the filter's gradient).

/// Asks how large a workspace the algorithm wants. An old library may have no such function.
template <typename Call, typename In, typename Out, typename Algorithm>
cudnnStatus ask_size(const Call& call, cudnnHandle_t handle, In in, cudnnTensorDescriptor_t dy,
                     cudnnConvolutionDescriptor_t convolution, Out out, Algorithm algo, size_t* bytes) {
  auto* const size = call.template beside<cudnnStatus(cudnnHandle_t, In, cudnnTensorDescriptor_t,
                                                      cudnnConvolutionDescriptor_t, Out, Algorithm, size_t*)>(
      size_name(algo));
  return size != nullptr ? size(handle, in, dy, convolution, out, algo, bytes) : cudnnStatus::not_supported;
}

template <typename Call, typename In, typename Out, typename Algorithm>
cudnnStatus run_backward(const Call& call, cudnnHandle_t handle, const void* alpha, In in,
                         const void* in_data, cudnnTensorDescriptor_t dy, const void* dy_data,
                         cudnnConvolutionDescriptor_t convolution, Algorithm algo, void* workspace,
                         size_t workspace_size, const void* beta, Out out, void* out_data) {
  const auto run = [&](Algorithm which) {
    return print_convolution(call, handle, convolution, static_cast<int>(which),
                             {{in, in_data}, {dy, dy_data}}, alpha, beta, {out, out_data}, [&] {
                               return call.real(handle, alpha, in, in_data, dy, dy_data, convolution, which,
                                                workspace, workspace_size, beta, out, out_data);
                             });
  };
  if (call.passes() || is_deterministic(algo)) return run(algo);
  return run_substitute(
      call, substitute(algo), workspace_size,
      [&](Algorithm which, size_t* bytes) {
        return ask_size(call, handle, in, dy, convolution, out, which, bytes);
      },
      run);
}

template <typename Call, typename In, typename Out, typename Algorithm>
cudnnStatus answer_size(const Call& call, cudnnHandle_t handle, In in, cudnnTensorDescriptor_t dy,
                        cudnnConvolutionDescriptor_t convolution, Out out, Algorithm algo, size_t* bytes) {
  const auto size_of = [&](Algorithm which, size_t* into) {
    return call.real(handle, in, dy, convolution, out, which, into);
  };
  if (call.passes() || is_deterministic(algo)) return size_of(algo, bytes);
  return answer_substitute_size(call, substitute(algo), bytes, size_of);
}

template <typename Call, typename In, typename Out, typename Algorithm>
cudnnStatus answer_heuristic(const Call& call, cudnnHandle_t handle, In in, cudnnTensorDescriptor_t dy,
                             cudnnConvolutionDescriptor_t convolution, Out out,
                             cudnnConvolutionPreference preference, size_t limit, Algorithm* algo) {
  const cudnnStatus status = call.real(handle, in, dy, convolution, out, preference, limit, algo);
  if (status != cudnnStatus::success || algo == nullptr || call.passes()) return status;
  return replace_choice(call, preference, limit, algo, [&](Algorithm which, size_t* bytes) {
    return ask_size(call, handle, in, dy, convolution, out, which, bytes);
  });
}

using RunData = OutermostCall<cudnnStatus(cudnnHandle_t handle, const void* alpha, cudnnFilterDescriptor_t w,
                                          const void* w_data, cudnnTensorDescriptor_t dy, const void* dy_data,
                                          cudnnConvolutionDescriptor_t convolution,
                                          cudnnBackwardDataAlgo algo, void* workspace, size_t workspace_size,
                                          const void* beta, cudnnTensorDescriptor_t dx, void* dx_data)>;
using RunFilter = OutermostCall<cudnnStatus(
    cudnnHandle_t handle, const void* alpha, cudnnTensorDescriptor_t x, const void* x_data,
    cudnnTensorDescriptor_t dy, const void* dy_data, cudnnConvolutionDescriptor_t convolution,
    cudnnBackwardFilterAlgo algo, void* workspace, size_t workspace_size, const void* beta,
    cudnnFilterDescriptor_t dw, void* dw_data)>;
using SizeOfData =
    OutermostCall<cudnnStatus(cudnnHandle_t handle, cudnnFilterDescriptor_t w, cudnnTensorDescriptor_t dy,
                              cudnnConvolutionDescriptor_t convolution, cudnnTensorDescriptor_t dx,
                              cudnnBackwardDataAlgo algo, size_t* bytes)>;
using SizeOfFilter =
    OutermostCall<cudnnStatus(cudnnHandle_t handle, cudnnTensorDescriptor_t x, cudnnTensorDescriptor_t dy,
                              cudnnConvolutionDescriptor_t convolution, cudnnFilterDescriptor_t dw,
                              cudnnBackwardFilterAlgo algo, size_t* bytes)>;
using ChooseData = OutermostCall<cudnnStatus(
    cudnnHandle_t handle, cudnnFilterDescriptor_t w, cudnnTensorDescriptor_t dy,
    cudnnConvolutionDescriptor_t convolution, cudnnTensorDescriptor_t dx,
    cudnnConvolutionPreference preference, size_t limit, cudnnBackwardDataAlgo* algo)>;
using ChooseFilter = OutermostCall<cudnnStatus(
    cudnnHandle_t handle, cudnnTensorDescriptor_t x, cudnnTensorDescriptor_t dy,
    cudnnConvolutionDescriptor_t convolution, cudnnFilterDescriptor_t dw,
    cudnnConvolutionPreference preference, size_t limit, cudnnBackwardFilterAlgo* algo)>;

constexpr Description replaces_heuristic = {
    .action = Action::refuse,
    .fields = {"found", "given"},
    .summary = "Gives ALGO_1 where cuDNN 7's heuristic chose a nondeterministic algorithm.",
};

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_TEMPLATE_HOOK(
    cudnn, RunData, cudnnConvolutionBackwardData, run_backward, .action = Action::refuse,
    .fields = {"asked", "given", "workspace"},
    .summary = "Runs ALGO_1 instead of ALGO_0, which adds by atomics, if the workspace suffices.");
DETSHIM_TEMPLATE_HOOK(
    cudnn, RunFilter, cudnnConvolutionBackwardFilter, run_backward, .action = Action::refuse,
    .fields = {"asked", "given", "workspace"},
    .summary = "Runs ALGO_1 instead of ALGO_0 and ALGO_3, which add by atomics, if the workspace suffices.");
DETSHIM_TEMPLATE_HOOK(cudnn, SizeOfData, cudnnGetConvolutionBackwardDataWorkspaceSize, answer_size,
                      .action = Action::replace, .fields = {"asked", "given", "workspace"},
                      .summary = "Answers for the algorithm that will run: ALGO_1 instead of ALGO_0.");
DETSHIM_TEMPLATE_HOOK(
    cudnn, SizeOfFilter, cudnnGetConvolutionBackwardFilterWorkspaceSize, answer_size,
    .action = Action::replace, .fields = {"asked", "given", "workspace"},
    .summary = "Answers for the algorithm that will run: ALGO_1 instead of ALGO_0 and ALGO_3.");

// cuDNN 7 alone; later versions have Get*_v7 instead (hooks/cudnn/search.cpp).
DETSHIM_TEMPLATE_HOOK(cudnn, ChooseData, cudnnGetConvolutionBackwardDataAlgorithm, answer_heuristic,
                      replaces_heuristic);
DETSHIM_TEMPLATE_HOOK(cudnn, ChooseFilter, cudnnGetConvolutionBackwardFilterAlgorithm, answer_heuristic,
                      replaces_heuristic);
