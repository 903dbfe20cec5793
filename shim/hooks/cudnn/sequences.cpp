// cuDNN's causal convolutions and operations on graphs of nodes: what its headers say of their backward
// passes (cudnn_subquadratic_ops.h, since 9.22; cudnn_gnn_ops.h, since 9.26).
#include "hooks/cudnn/atomics.h"

namespace detshim {
namespace {

using namespace abi;

/// cudnnCausalConv1dBackward, and its form for another layout.
template <typename Call>
cudnnStatus convolve_backward(const Call& call, cudaStream_t stream, const void* x, const void* weight,
                              const void* bias, const void* dy, void* dx, void* dweight, void* dbias,
                              int batch, int dimensions, int length, int kernel_size, int type,
                              int weight_type, int activation) {
  return run_with_atomics(call, Reason::atomic_adds, are_there(x, weight, bias, dy, dx, dweight, dbias), [&] {
    return call.real(stream, x, weight, bias, dy, dx, dweight, dbias, batch, dimensions, length, kernel_size,
                     type, weight_type, activation);
  });
}

/// An attention's backward pass: with both workspaces it adds in one order, without them by atomics. One
/// alone the library refuses.
template <typename Call, typename Run>
cudnnStatus attend_backward(const Call& call, const void* feature_workspace, const void* weight_workspace,
                            bool is_whole, Run run) {
  if (feature_workspace == nullptr && weight_workspace == nullptr)
    return run_with_atomics(call, Reason::workspaces_missing, is_whole, run);
  const cudnnStatus status = run();
  if (call.passes() || status != cudnnStatus::success) return status;
  record_cudnn_once(call);
  call.record(Action::observe, Reason::one_order, {});
  return status;
}

constexpr Description convolves_by_atomics = {
    .action = Action::refuse,
    .summary = "Recorded: it adds gradients by atomics, and there is no other algorithm; strict refuses it.",
};
constexpr Description attends_by_atomics = {
    .action = Action::refuse,
    .summary = "Recorded: without both workspaces it adds by atomics, which strict refuses.",
};

using ConvolutionBackward =
    OutermostCall<cudnnStatus(cudaStream_t stream, const void* x, const void* weight, const void* bias,
                              const void* dy, void* dx, void* dweight, void* dbias, int batch, int dimensions,
                              int length, int kernel_size, int type, int weight_type, int activation)>;

} // namespace
} // namespace detshim

using namespace detshim;
using namespace detshim::abi;

DETSHIM_TEMPLATE_HOOK(cudnn, ConvolutionBackward, cudnnCausalConv1dBackward, convolve_backward,
                      convolves_by_atomics);
DETSHIM_TEMPLATE_HOOK(cudnn, ConvolutionBackward, cudnnCausalConv1dNwhBackward, convolve_backward,
                      convolves_by_atomics);

DETSHIM_HOOK(cudnn, cudnnStatus, cudnnGnnAggSimpleBackward,
             (cudaStream_t stream, const void* graph, const void* dy, const void* positions, void* dnodes,
              void* dedges, void* dothers, int nodes_size, int edges_size, int others_size, int type,
              int operation),
             .action = Action::refuse,
             .summary = "Recorded: it adds by atomics, and there is no other algorithm; strict refuses it.") {
  DETSHIM_ENTER_OUTERMOST(cudnnGnnAggSimpleBackward);
  return run_with_atomics(call, Reason::atomic_adds, are_there(graph, dy), [&] {
    return call.real(stream, graph, dy, positions, dnodes, dedges, dothers, nodes_size, edges_size,
                     others_size, type, operation);
  });
}

DETSHIM_HOOK(cudnn, cudnnStatus, cudnnGnnMhaGatBackward,
             (cudaStream_t stream, const void* graph, const void* dy, const void* sources,
              const void* destinations, const void* edges, const void* weights, const void* scores,
              const float* dropout, const float* dattention, void* dsources, void* ddestinations,
              void* dedges, void* dweights, void* dscores, void* feature_workspace, void* weight_workspace,
              int nodes_size, int edges_size, const void* parameters, int type, int gradient_type,
              int weight_type),
             attends_by_atomics) {
  DETSHIM_ENTER_OUTERMOST(cudnnGnnMhaGatBackward);
  return attend_backward(call, feature_workspace, weight_workspace,
                         are_there(graph, dy, sources, weights, scores, dscores, parameters), [&] {
                           return call.real(stream, graph, dy, sources, destinations, edges, weights, scores,
                                            dropout, dattention, dsources, ddestinations, dedges, dweights,
                                            dscores, feature_workspace, weight_workspace, nodes_size,
                                            edges_size, parameters, type, gradient_type, weight_type);
                         });
}

DETSHIM_HOOK(cudnn, cudnnStatus, cudnnGnnMhaGatV2Backward,
             (cudaStream_t stream, const void* graph, const void* dy, const void* sources,
              const void* destinations, const void* edges, const void* weights, const void* scores,
              const void* activations, const float* dropout, const float* dattention, void* dsources,
              void* ddestinations, void* dedges, void* dweights, void* dscores, void* feature_workspace,
              void* weight_workspace, int nodes_size, const void* parameters, int type, int gradient_type),
             attends_by_atomics) {
  DETSHIM_ENTER_OUTERMOST(cudnnGnnMhaGatV2Backward);
  return attend_backward(call, feature_workspace, weight_workspace,
                         are_there(graph, dy, sources, weights, scores, dscores, parameters), [&] {
                           return call.real(stream, graph, dy, sources, destinations, edges, weights, scores,
                                            activations, dropout, dattention, dsources, ddestinations, dedges,
                                            dweights, dscores, feature_workspace, weight_workspace,
                                            nodes_size, parameters, type, gradient_type);
                         });
}
