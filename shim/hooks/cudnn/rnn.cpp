// cuDNN's recurrent networks and multi-head attention.
//
// Both multiply matrices through cuBLAS on streams of their own, which may share a workspace unless
// CUBLAS_WORKSPACE_CONFIG bounds it (release notes of cuDNN 7.6.5; cuBLAS documentation, "Results
// Reproducibility"). Nothing in the calls themselves would change that: they are recorded with whether it is.
#include "core/policy/settings_table.h"
#include "hooks/cudnn/stream.h"

#include <cstdlib>

namespace detshim {
namespace {

using namespace abi;

template <typename Call>
void record_workspace_setting(const Call& call, cudnnHandle_t handle) {
  if (call.passes()) return;
  record_cudnn_once(call);
  constexpr const char* setting = "CUBLAS_WORKSPACE_CONFIG";
  const char* value = getenv(setting);
  // Not its address, which differs from run to run.
  const char* const stream = stream_of(call, handle) == nullptr ? "default" : "own";
  if (value != nullptr && setting_is_good(setting, value))
    call.record(Action::observe, "CUBLAS_WORKSPACE_CONFIG bounds each stream's workspace", {value, stream});
  else
    call.record(Action::unfixed,
                "without CUBLAS_WORKSPACE_CONFIG the streams that it runs on may share a workspace",
                {value != nullptr ? value : "", stream});
}

/// The body of a search by timing. Its results are opaque, so they stay in the order of the times.
template <typename Call, typename Find>
cudnnStatus find_rnn(const Call& call, int* returned, Find find) {
  if (call.passes()) return find();
  record_cudnn_once(call);
  constexpr const char* why = "sorted by measured time; the list cannot be put in another order";
  if (options().strict()) {
    if (returned != nullptr) *returned = 0;
    call.record(Action::refuse, why, {0});
    return cudnn_not_supported(call);
  }
  const cudnnStatus status = find();
  if (status == cudnnStatus::success)
    call.record(Action::unfixed, why, {returned != nullptr ? *returned : 0});
  return status;
}

} // namespace
} // namespace detshim

using namespace detshim;
using namespace detshim::abi;

/// Recorded with CUBLAS_WORKSPACE_CONFIG, and handed on.
#define DETSHIM_WORKSPACE_USER(NAME, PARAMS, ARGUMENTS)                                                      \
  DETSHIM_HOOK(cudnn, cudnnStatus, NAME, PARAMS, .action = Action::unfixed, .fields = {"setting", "stream"}, \
               .summary = "Recorded: repeatable if CUBLAS_WORKSPACE_CONFIG is.") {                           \
    DETSHIM_ENTER_OUTERMOST(NAME);                                                                           \
    record_workspace_setting(call, handle);                                                                  \
    return call.real ARGUMENTS;                                                                              \
  }

DETSHIM_WORKSPACE_USER(cudnnRNNForward,
                       (cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, cudnnForwardMode mode,
                        const int32_t* lengths, cudnnRNNDataDescriptor_t x, const void* x_data,
                        cudnnRNNDataDescriptor_t y, void* y_data, cudnnTensorDescriptor_t h, const void* hx,
                        void* hy, cudnnTensorDescriptor_t c, const void* cx, void* cy, size_t weights_size,
                        const void* weights, size_t workspace_size, void* workspace, size_t reserve_size,
                        void* reserve),
                       (handle, rnn, mode, lengths, x, x_data, y, y_data, h, hx, hy, c, cx, cy, weights_size,
                        weights, workspace_size, workspace, reserve_size, reserve))

DETSHIM_WORKSPACE_USER(cudnnRNNBackwardData_v8,
                       (cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, const int32_t* lengths,
                        cudnnRNNDataDescriptor_t y, const void* y_data, const void* dy,
                        cudnnRNNDataDescriptor_t x, void* dx, cudnnTensorDescriptor_t h, const void* hx,
                        const void* dhy, void* dhx, cudnnTensorDescriptor_t c, const void* cx,
                        const void* dcy, void* dcx, size_t weights_size, const void* weights,
                        size_t workspace_size, void* workspace, size_t reserve_size, void* reserve),
                       (handle, rnn, lengths, y, y_data, dy, x, dx, h, hx, dhy, dhx, c, cx, dcy, dcx,
                        weights_size, weights, workspace_size, workspace, reserve_size, reserve))

DETSHIM_WORKSPACE_USER(cudnnRNNBackwardWeights_v8,
                       (cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, cudnnWgradMode add,
                        const int32_t* lengths, cudnnRNNDataDescriptor_t x, const void* x_data,
                        cudnnTensorDescriptor_t h, const void* hx, cudnnRNNDataDescriptor_t y,
                        const void* y_data, size_t weights_size, void* dweights, size_t workspace_size,
                        void* workspace, size_t reserve_size, void* reserve),
                       (handle, rnn, add, lengths, x, x_data, h, hx, y, y_data, weights_size, dweights,
                        workspace_size, workspace, reserve_size, reserve))

DETSHIM_WORKSPACE_USER(
    cudnnMultiHeadAttnForward,
    (cudnnHandle_t handle, cudnnAttnDescriptor_t attention, int current, const int* low, const int* high,
     const int* lengths_q, const int* lengths_k, cudnnSeqDataDescriptor_t q, const void* queries,
     const void* residuals, cudnnSeqDataDescriptor_t k, const void* keys, cudnnSeqDataDescriptor_t v,
     const void* values, cudnnSeqDataDescriptor_t o, void* out, size_t weights_size, const void* weights,
     size_t workspace_size, void* workspace, size_t reserve_size, void* reserve),
    (handle, attention, current, low, high, lengths_q, lengths_k, q, queries, residuals, k, keys, v, values,
     o, out, weights_size, weights, workspace_size, workspace, reserve_size, reserve))

DETSHIM_WORKSPACE_USER(
    cudnnMultiHeadAttnBackwardData,
    (cudnnHandle_t handle, cudnnAttnDescriptor_t attention, const int* low, const int* high,
     const int* lengths_q, const int* lengths_k, cudnnSeqDataDescriptor_t o, const void* dout,
     cudnnSeqDataDescriptor_t q, void* dqueries, const void* queries, cudnnSeqDataDescriptor_t k, void* dkeys,
     const void* keys, cudnnSeqDataDescriptor_t v, void* dvalues, const void* values, size_t weights_size,
     const void* weights, size_t workspace_size, void* workspace, size_t reserve_size, void* reserve),
    (handle, attention, low, high, lengths_q, lengths_k, o, dout, q, dqueries, queries, k, dkeys, keys, v,
     dvalues, values, weights_size, weights, workspace_size, workspace, reserve_size, reserve))

DETSHIM_WORKSPACE_USER(cudnnMultiHeadAttnBackwardWeights,
                       (cudnnHandle_t handle, cudnnAttnDescriptor_t attention, cudnnWgradMode add,
                        cudnnSeqDataDescriptor_t q, const void* queries, cudnnSeqDataDescriptor_t k,
                        const void* keys, cudnnSeqDataDescriptor_t v, const void* values,
                        cudnnSeqDataDescriptor_t o, const void* dout, size_t weights_size,
                        const void* weights, void* dweights, size_t workspace_size, void* workspace,
                        size_t reserve_size, void* reserve),
                       (handle, attention, add, q, queries, k, keys, v, values, o, dout, weights_size,
                        weights, dweights, workspace_size, workspace, reserve_size, reserve))

// cuDNN 7 and 8 alone. Signatures: cudnn_adv_infer.h and cudnn_adv_train.h of cuDNN 8.
#define DETSHIM_FIND_RNN(NAME, PARAMS, ARGUMENTS)                                                            \
  DETSHIM_HOOK(cudnn, cudnnStatus, NAME, PARAMS, .action = Action::refuse, .fields = {"returned"},           \
               .summary = "Recorded: it sorts algorithms by measured time; strict refuses it.") {            \
    DETSHIM_ENTER_OUTERMOST(NAME);                                                                           \
    return find_rnn(call, returned, [&] { return call.real ARGUMENTS; });                                    \
  }

DETSHIM_FIND_RNN(cudnnFindRNNForwardInferenceAlgorithmEx,
                 (cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, int length,
                  const cudnnTensorDescriptor_t* x, const void* x_data, cudnnTensorDescriptor_t hx,
                  const void* hx_data, cudnnTensorDescriptor_t cx, const void* cx_data,
                  cudnnFilterDescriptor_t w, const void* w_data, const cudnnTensorDescriptor_t* y,
                  void* y_data, cudnnTensorDescriptor_t hy, void* hy_data, cudnnTensorDescriptor_t cy,
                  void* cy_data, float intensity, int requested, int* returned,
                  cudnnAlgorithmPerformance_t* results, void* workspace, size_t workspace_size),
                 (handle, rnn, length, x, x_data, hx, hx_data, cx, cx_data, w, w_data, y, y_data, hy, hy_data,
                  cy, cy_data, intensity, requested, returned, results, workspace, workspace_size))

DETSHIM_FIND_RNN(
    cudnnFindRNNForwardTrainingAlgorithmEx,
    (cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, int length, const cudnnTensorDescriptor_t* x,
     const void* x_data, cudnnTensorDescriptor_t hx, const void* hx_data, cudnnTensorDescriptor_t cx,
     const void* cx_data, cudnnFilterDescriptor_t w, const void* w_data, const cudnnTensorDescriptor_t* y,
     void* y_data, cudnnTensorDescriptor_t hy, void* hy_data, cudnnTensorDescriptor_t cy, void* cy_data,
     float intensity, int requested, int* returned, cudnnAlgorithmPerformance_t* results, void* workspace,
     size_t workspace_size, void* reserve, size_t reserve_size),
    (handle, rnn, length, x, x_data, hx, hx_data, cx, cx_data, w, w_data, y, y_data, hy, hy_data, cy, cy_data,
     intensity, requested, returned, results, workspace, workspace_size, reserve, reserve_size))

DETSHIM_FIND_RNN(cudnnFindRNNBackwardDataAlgorithmEx,
                 (cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, int length,
                  const cudnnTensorDescriptor_t* y, const void* y_data, const cudnnTensorDescriptor_t* dy,
                  const void* dy_data, cudnnTensorDescriptor_t dhy, const void* dhy_data,
                  cudnnTensorDescriptor_t dcy, const void* dcy_data, cudnnFilterDescriptor_t w,
                  const void* w_data, cudnnTensorDescriptor_t hx, const void* hx_data,
                  cudnnTensorDescriptor_t cx, const void* cx_data, const cudnnTensorDescriptor_t* dx,
                  void* dx_data, cudnnTensorDescriptor_t dhx, void* dhx_data, cudnnTensorDescriptor_t dcx,
                  void* dcx_data, float intensity, int requested, int* returned,
                  cudnnAlgorithmPerformance_t* results, void* workspace, size_t workspace_size, void* reserve,
                  size_t reserve_size),
                 (handle, rnn, length, y, y_data, dy, dy_data, dhy, dhy_data, dcy, dcy_data, w, w_data, hx,
                  hx_data, cx, cx_data, dx, dx_data, dhx, dhx_data, dcx, dcx_data, intensity, requested,
                  returned, results, workspace, workspace_size, reserve, reserve_size))

DETSHIM_FIND_RNN(cudnnFindRNNBackwardWeightsAlgorithmEx,
                 (cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, int length,
                  const cudnnTensorDescriptor_t* x, const void* x_data, cudnnTensorDescriptor_t hx,
                  const void* hx_data, const cudnnTensorDescriptor_t* y, const void* y_data, float intensity,
                  int requested, int* returned, cudnnAlgorithmPerformance_t* results, const void* workspace,
                  size_t workspace_size, cudnnFilterDescriptor_t dw, void* dw_data, const void* reserve,
                  size_t reserve_size),
                 (handle, rnn, length, x, x_data, hx, hx_data, y, y_data, intensity, requested, returned,
                  results, workspace, workspace_size, dw, dw_data, reserve, reserve_size))
