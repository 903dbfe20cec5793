// cuDNN's convolutions backward with an algorithm that the program names: a deterministic one runs.
//
// Forward algorithms are all deterministic (cuDNN documentation, "Odds and Ends: Reproducibility"): they have
// no hook here.
#include "hooks/cudnn/substitute.h"

namespace detshim {
namespace {

using namespace abi;

using DataSize = cudnnStatus(cudnnHandle_t, cudnnFilterDescriptor_t, cudnnTensorDescriptor_t,
                             cudnnConvolutionDescriptor_t, cudnnTensorDescriptor_t, cudnnBackwardDataAlgo,
                             size_t*);
using FilterSize = cudnnStatus(cudnnHandle_t, cudnnTensorDescriptor_t, cudnnTensorDescriptor_t,
                               cudnnConvolutionDescriptor_t, cudnnFilterDescriptor_t, cudnnBackwardFilterAlgo,
                               size_t*);
constexpr const char* data_size_name = "cudnnGetConvolutionBackwardDataWorkspaceSize";
constexpr const char* filter_size_name = "cudnnGetConvolutionBackwardFilterWorkspaceSize";

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
    call.record(Action::unfixed, "nondeterministic; this mode leaves algorithms alone",
                {algorithm.asked_number(), algorithm.asked_number()});
    return cudnnStatus::success;
  }
  const size_t available = preference == cudnnConvolutionPreference::prefer_fastest    ? ~size_t{0}
                           : preference == cudnnConvolutionPreference::workspace_limit ? limit
                                                                                       : 0;
  size_t needed = 0;
  if (size_of(algorithm.given, &needed) == cudnnStatus::success && needed <= available) {
    *chosen = algorithm.given;
    call.record(Action::replace, "nondeterministic", {algorithm.asked_number(), algorithm.given_number()});
    return cudnnStatus::success;
  }
  constexpr const char* why = "the deterministic algorithm does not fit the workspace, or the problem";
  if (options().strict()) {
    call.record(Action::refuse, why, {algorithm.asked_number(), ""});
    return cudnn_not_supported(call);
  }
  call.record(Action::unfixed, why, {algorithm.asked_number(), algorithm.asked_number()});
  return cudnnStatus::success;
}

} // namespace
} // namespace detshim

using namespace detshim;
using namespace detshim::abi;

DETSHIM_HOOK(cudnn, cudnnStatus, cudnnConvolutionBackwardData,
             (cudnnHandle_t handle, const void* alpha, cudnnFilterDescriptor_t w, const void* w_data,
              cudnnTensorDescriptor_t dy, const void* dy_data, cudnnConvolutionDescriptor_t convolution,
              cudnnBackwardDataAlgo algo, void* workspace, size_t workspace_size, const void* beta,
              cudnnTensorDescriptor_t dx, void* dx_data),
             DETSHIM_SUBSTITUTE,
             .summary = "Runs ALGO_1 instead of ALGO_0, which adds by atomics, if the workspace suffices.") {
  DETSHIM_ENTER_OUTERMOST(cudnnConvolutionBackwardData);
  const auto run = [&](cudnnBackwardDataAlgo which) {
    return call.real(handle, alpha, w, w_data, dy, dy_data, convolution, which, workspace, workspace_size,
                     beta, dx, dx_data);
  };
  if (call.passes() || is_deterministic(algo)) return run(algo);
  auto* size = call.beside<DataSize>(data_size_name);
  return run_substitute(
      call, substitute(algo), workspace_size,
      [&](cudnnBackwardDataAlgo which, size_t* bytes) {
        return size != nullptr ? size(handle, w, dy, convolution, dx, which, bytes)
                               : cudnnStatus::not_supported;
      },
      run);
}

DETSHIM_HOOK(cudnn, cudnnStatus, cudnnConvolutionBackwardFilter,
             (cudnnHandle_t handle, const void* alpha, cudnnTensorDescriptor_t x, const void* x_data,
              cudnnTensorDescriptor_t dy, const void* dy_data, cudnnConvolutionDescriptor_t convolution,
              cudnnBackwardFilterAlgo algo, void* workspace, size_t workspace_size, const void* beta,
              cudnnFilterDescriptor_t dw, void* dw_data),
             DETSHIM_SUBSTITUTE,
             .summary = "Runs ALGO_1 instead of ALGO_0 and ALGO_3, which add by atomics, if the workspace "
                        "suffices.") {
  DETSHIM_ENTER_OUTERMOST(cudnnConvolutionBackwardFilter);
  const auto run = [&](cudnnBackwardFilterAlgo which) {
    return call.real(handle, alpha, x, x_data, dy, dy_data, convolution, which, workspace, workspace_size,
                     beta, dw, dw_data);
  };
  if (call.passes() || is_deterministic(algo)) return run(algo);
  auto* size = call.beside<FilterSize>(filter_size_name);
  return run_substitute(
      call, substitute(algo), workspace_size,
      [&](cudnnBackwardFilterAlgo which, size_t* bytes) {
        return size != nullptr ? size(handle, x, dy, convolution, dw, which, bytes)
                               : cudnnStatus::not_supported;
      },
      run);
}

DETSHIM_HOOK(cudnn, cudnnStatus, cudnnGetConvolutionBackwardDataWorkspaceSize,
             (cudnnHandle_t handle, cudnnFilterDescriptor_t w, cudnnTensorDescriptor_t dy,
              cudnnConvolutionDescriptor_t convolution, cudnnTensorDescriptor_t dx,
              cudnnBackwardDataAlgo algo, size_t* bytes),
             DETSHIM_SUBSTITUTE_SIZE,
             .summary = "Answers for the algorithm that will run: ALGO_1 instead of ALGO_0.") {
  DETSHIM_ENTER_OUTERMOST(cudnnGetConvolutionBackwardDataWorkspaceSize);
  const auto size_of = [&](cudnnBackwardDataAlgo which, size_t* into) {
    return call.real(handle, w, dy, convolution, dx, which, into);
  };
  if (call.passes() || is_deterministic(algo)) return size_of(algo, bytes);
  return answer_substitute_size(call, substitute(algo), bytes, size_of);
}

DETSHIM_HOOK(cudnn, cudnnStatus, cudnnGetConvolutionBackwardFilterWorkspaceSize,
             (cudnnHandle_t handle, cudnnTensorDescriptor_t x, cudnnTensorDescriptor_t dy,
              cudnnConvolutionDescriptor_t convolution, cudnnFilterDescriptor_t dw,
              cudnnBackwardFilterAlgo algo, size_t* bytes),
             DETSHIM_SUBSTITUTE_SIZE,
             .summary = "Answers for the algorithm that will run: ALGO_1 instead of ALGO_0 and ALGO_3.") {
  DETSHIM_ENTER_OUTERMOST(cudnnGetConvolutionBackwardFilterWorkspaceSize);
  const auto size_of = [&](cudnnBackwardFilterAlgo which, size_t* into) {
    return call.real(handle, x, dy, convolution, dw, which, into);
  };
  if (call.passes() || is_deterministic(algo)) return size_of(algo, bytes);
  return answer_substitute_size(call, substitute(algo), bytes, size_of);
}

// cuDNN 7 alone; later versions have Get*_v7 instead (hooks/cudnn/search.cpp).

DETSHIM_HOOK(cudnn, cudnnStatus, cudnnGetConvolutionBackwardDataAlgorithm,
             (cudnnHandle_t handle, cudnnFilterDescriptor_t w, cudnnTensorDescriptor_t dy,
              cudnnConvolutionDescriptor_t convolution, cudnnTensorDescriptor_t dx,
              cudnnConvolutionPreference preference, size_t limit, cudnnBackwardDataAlgo* algo),
             .action = Action::refuse, .fields = {"found", "given"},
             .summary = "Gives ALGO_1 where cuDNN 7's heuristic chose a nondeterministic algorithm.") {
  DETSHIM_ENTER_OUTERMOST(cudnnGetConvolutionBackwardDataAlgorithm);
  const cudnnStatus status = call.real(handle, w, dy, convolution, dx, preference, limit, algo);
  if (status != cudnnStatus::success || algo == nullptr || call.passes()) return status;
  auto* size = call.beside<DataSize>(data_size_name);
  return replace_choice(call, preference, limit, algo, [&](cudnnBackwardDataAlgo which, size_t* bytes) {
    return size != nullptr ? size(handle, w, dy, convolution, dx, which, bytes) : cudnnStatus::not_supported;
  });
}

DETSHIM_HOOK(cudnn, cudnnStatus, cudnnGetConvolutionBackwardFilterAlgorithm,
             (cudnnHandle_t handle, cudnnTensorDescriptor_t x, cudnnTensorDescriptor_t dy,
              cudnnConvolutionDescriptor_t convolution, cudnnFilterDescriptor_t dw,
              cudnnConvolutionPreference preference, size_t limit, cudnnBackwardFilterAlgo* algo),
             .action = Action::refuse, .fields = {"found", "given"},
             .summary = "Gives ALGO_1 where cuDNN 7's heuristic chose a nondeterministic algorithm.") {
  DETSHIM_ENTER_OUTERMOST(cudnnGetConvolutionBackwardFilterAlgorithm);
  const cudnnStatus status = call.real(handle, x, dy, convolution, dw, preference, limit, algo);
  if (status != cudnnStatus::success || algo == nullptr || call.passes()) return status;
  auto* size = call.beside<FilterSize>(filter_size_name);
  return replace_choice(call, preference, limit, algo, [&](cudnnBackwardFilterAlgo which, size_t* bytes) {
    return size != nullptr ? size(handle, x, dy, convolution, dw, which, bytes) : cudnnStatus::not_supported;
  });
}
