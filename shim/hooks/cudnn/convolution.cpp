// cuDNN's convolutions backward with an algorithm that the program names: a deterministic one runs.
//
// Forward algorithms are all deterministic (cuDNN documentation, "Odds and Ends: Reproducibility").
#include "hooks/cudnn/substitute.h"

namespace detshim {
namespace {

using namespace abi;

/// The function that answers how large a workspace an algorithm wants. An old library may have
/// none.
constexpr const char* size_name(cudnnBackwardDataAlgo) {
  return "cudnnGetConvolutionBackwardDataWorkspaceSize";
}
constexpr const char* size_name(cudnnBackwardFilterAlgo) {
  return "cudnnGetConvolutionBackwardFilterWorkspaceSize";
}

Substitution<cudnnBackwardDataAlgo> substitute(cudnnBackwardDataAlgo requested) {
  using Algorithm = cudnnBackwardDataAlgo;
  return {requested, requested == Algorithm::algo_0 ? Algorithm::algo_1 : requested};
}
Substitution<cudnnBackwardFilterAlgo> substitute(cudnnBackwardFilterAlgo requested) {
  using Algorithm = cudnnBackwardFilterAlgo;
  const bool adds_by_atomics = requested == Algorithm::algo_0 || requested == Algorithm::algo_3;
  return {requested, adds_by_atomics ? Algorithm::algo_1 : requested};
}

// Both directions take and give in the same order: from `in` (the filter, or x) and dy comes `out`
// (dx, or the filter's gradient).

template <typename Call, typename In, typename Out, typename Algorithm>
cudnnStatus run_backward(const Call& call, cudnnHandle_t handle, const void* alpha, In in,
                         const void* in_data, cudnnTensorDescriptor_t dy, const void* dy_data,
                         cudnnConvolutionDescriptor_t convolution, Algorithm algo, void* workspace,
                         size_t workspace_size, const void* beta, Out out, void* out_data) {
  return run_substitute(
      call, substitute(algo),
      [&](Algorithm which, size_t* bytes) {
        return ask_cudnn(call.hook(), size_name(algo), handle, in, dy, convolution, out, which,
                         bytes);
      },
      handle, alpha, in, in_data, dy, dy_data, convolution, algo, workspace, workspace_size, beta,
      out, out_data);
}

using Tensor = cudnnTensorDescriptor_t;
using Filter = cudnnFilterDescriptor_t;

template <typename In, typename Out, typename Algorithm>
using Run = OutermostCall<cudnnStatus(cudnnHandle_t, const void*, In, const void*, Tensor,
                                      const void*, cudnnConvolutionDescriptor_t, Algorithm, void*,
                                      size_t, const void*, Out, void*)>;
using RunData = Run<Filter, Tensor, cudnnBackwardDataAlgo>;
using RunFilter = Run<Tensor, Filter, cudnnBackwardFilterAlgo>;

using SizeOfData =
    OutermostCall<cudnnStatus(Word, Word, Word, Word, Word, cudnnBackwardDataAlgo, size_t* bytes)>;
using SizeOfFilter = OutermostCall<cudnnStatus(Word, Word, Word, Word, Word,
                                               cudnnBackwardFilterAlgo, size_t* bytes)>;

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_TEMPLATE_HOOK(
    cudnn, RunData, cudnnConvolutionBackwardData, run_backward, .action = Action::refuse,
    .fields = {"requested"_in, "effective"_out, "workspace"_in},
    .summary = "Runs ALGO_1 instead of ALGO_0, which adds by atomics, if the workspace suffices.");
DETSHIM_TEMPLATE_HOOK(cudnn, RunFilter, cudnnConvolutionBackwardFilter, run_backward,
                      .action = Action::refuse,
                      .fields = {"requested"_in, "effective"_out, "workspace"_in},
                      .summary = "Runs ALGO_1 instead of ALGO_0 and ALGO_3, which add by atomics, "
                                 "if the workspace suffices.");
DETSHIM_TEMPLATE_HOOK(
    cudnn, SizeOfData, cudnnGetConvolutionBackwardDataWorkspaceSize,
    (answer_size<cudnnBackwardDataAlgo, substitute>), .action = Action::replace,
    .fields = {"requested"_in, "effective"_out, "workspace"_out},
    .summary = "Answers for the algorithm that will run: ALGO_1 instead of ALGO_0.");
DETSHIM_TEMPLATE_HOOK(
    cudnn, SizeOfFilter, cudnnGetConvolutionBackwardFilterWorkspaceSize,
    (answer_size<cudnnBackwardFilterAlgo, substitute>), .action = Action::replace,
    .fields = {"requested"_in, "effective"_out, "workspace"_out},
    .summary = "Answers for the algorithm that will run: ALGO_1 instead of ALGO_0 and ALGO_3.");
