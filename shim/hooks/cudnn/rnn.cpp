// cuDNN's recurrent networks and multi-head attention.
//
// Both multiply matrices through cuBLAS on streams of their own, which may share a workspace unless
// CUBLAS_WORKSPACE_CONFIG bounds it (release notes of cuDNN 7.6.5; cuBLAS documentation, "Results
// Reproducibility"). Nothing in the calls themselves would change that: they are recorded with whether it is.
#include "common/run_variable.h"
#include "core/policy/settings_table.h"
#include "hooks/cudnn/stream.h"

namespace detshim {
namespace {

using namespace abi;

template <typename Call>
void record_workspace_setting(const Call& call, cudnnHandle_t handle) {
  if (call.passes()) return;
  record_cudnn_once(call);
  constexpr const char* setting = "CUBLAS_WORKSPACE_CONFIG";
  const char* value = environment_value(setting);
  // Not its address, which differs from run to run.
  const char* const stream = stream_of(call, handle) == nullptr ? "default" : "own";
  if (value != nullptr && setting_is_good(setting, value))
    call.record(Action::observe, "CUBLAS_WORKSPACE_CONFIG bounds each stream's workspace", {value, stream});
  else
    call.record(Action::unfixed,
                "without CUBLAS_WORKSPACE_CONFIG the streams that it runs on may share a workspace",
                {value != nullptr ? value : "", stream});
}

/// Records with what CUBLAS_WORKSPACE_CONFIG the call runs, and hands it on.
template <typename Call, typename... Arguments>
cudnnStatus run_with_workspace(const Call& call, cudnnHandle_t handle, Arguments... arguments) {
  record_workspace_setting(call, handle);
  return call.real(handle, arguments...);
}

/// Where a search says how many algorithms it found: the only pointer to int among its arguments.
template <typename First, typename... Others>
int* find_returned(First first, Others... others) {
  if constexpr (__is_same(First, int*))
    return first;
  else
    return find_returned(others...);
}

/// A search by timing. Its results are opaque, so they stay in the order of the times.
template <typename Call, typename... Arguments>
cudnnStatus find_rnn(const Call& call, Arguments... arguments) {
  if (call.passes()) return call.real(arguments...);
  record_cudnn_once(call);
  int* const returned = find_returned(arguments...);
  constexpr const char* why = "sorted by measured time; the list cannot be put in another order";
  if (options().strict()) {
    if (returned != nullptr) *returned = 0;
    call.record(Action::refuse, why, {0});
    return cudnn_not_supported(call);
  }
  const cudnnStatus status = call.real(arguments...);
  if (status == cudnnStatus::success)
    call.record(Action::unfixed, why, {returned != nullptr ? *returned : 0});
  return status;
}

constexpr Description needs_workspace_setting = {
    .action = Action::unfixed,
    .fields = {"setting", "stream"},
    .summary = "Recorded: repeatable if CUBLAS_WORKSPACE_CONFIG is.",
};
constexpr Description sorts_by_time = {
    .action = Action::refuse,
    .fields = {"returned"},
    .summary = "Recorded: it sorts algorithms by measured time; strict refuses it.",
};

using RnnForward = OutermostCall<cudnnStatus(
    cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, cudnnForwardMode mode, const int32_t* lengths,
    cudnnRNNDataDescriptor_t x, const void* x_data, cudnnRNNDataDescriptor_t y, void* y_data,
    cudnnTensorDescriptor_t h, const void* hx, void* hy, cudnnTensorDescriptor_t c, const void* cx, void* cy,
    size_t weights_size, const void* weights, size_t workspace_size, void* workspace, size_t reserve_size,
    void* reserve)>;

using RnnBackwardData = OutermostCall<cudnnStatus(
    cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, const int32_t* lengths, cudnnRNNDataDescriptor_t y,
    const void* y_data, const void* dy, cudnnRNNDataDescriptor_t x, void* dx, cudnnTensorDescriptor_t h,
    const void* hx, const void* dhy, void* dhx, cudnnTensorDescriptor_t c, const void* cx, const void* dcy,
    void* dcx, size_t weights_size, const void* weights, size_t workspace_size, void* workspace,
    size_t reserve_size, void* reserve)>;

using RnnBackwardWeights = OutermostCall<cudnnStatus(
    cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, cudnnWgradMode add, const int32_t* lengths,
    cudnnRNNDataDescriptor_t x, const void* x_data, cudnnTensorDescriptor_t h, const void* hx,
    cudnnRNNDataDescriptor_t y, const void* y_data, size_t weights_size, void* dweights,
    size_t workspace_size, void* workspace, size_t reserve_size, void* reserve)>;

using AttentionForward = OutermostCall<cudnnStatus(
    cudnnHandle_t handle, cudnnAttnDescriptor_t attention, int current, const int* low, const int* high,
    const int* lengths_q, const int* lengths_k, cudnnSeqDataDescriptor_t q, const void* queries,
    const void* residuals, cudnnSeqDataDescriptor_t k, const void* keys, cudnnSeqDataDescriptor_t v,
    const void* values, cudnnSeqDataDescriptor_t o, void* out, size_t weights_size, const void* weights,
    size_t workspace_size, void* workspace, size_t reserve_size, void* reserve)>;

using AttentionBackwardData = OutermostCall<cudnnStatus(
    cudnnHandle_t handle, cudnnAttnDescriptor_t attention, const int* low, const int* high,
    const int* lengths_q, const int* lengths_k, cudnnSeqDataDescriptor_t o, const void* dout,
    cudnnSeqDataDescriptor_t q, void* dqueries, const void* queries, cudnnSeqDataDescriptor_t k, void* dkeys,
    const void* keys, cudnnSeqDataDescriptor_t v, void* dvalues, const void* values, size_t weights_size,
    const void* weights, size_t workspace_size, void* workspace, size_t reserve_size, void* reserve)>;

using AttentionBackwardWeights = OutermostCall<cudnnStatus(
    cudnnHandle_t handle, cudnnAttnDescriptor_t attention, cudnnWgradMode add, cudnnSeqDataDescriptor_t q,
    const void* queries, cudnnSeqDataDescriptor_t k, const void* keys, cudnnSeqDataDescriptor_t v,
    const void* values, cudnnSeqDataDescriptor_t o, const void* dout, size_t weights_size,
    const void* weights, void* dweights, size_t workspace_size, void* workspace, size_t reserve_size,
    void* reserve)>;

// cuDNN 7 and 8 alone: cudnn_adv_infer.h and cudnn_adv_train.h of cuDNN 8.
using FindForwardInference = OutermostCall<cudnnStatus(
    cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, int length, const cudnnTensorDescriptor_t* x,
    const void* x_data, cudnnTensorDescriptor_t hx, const void* hx_data, cudnnTensorDescriptor_t cx,
    const void* cx_data, cudnnFilterDescriptor_t w, const void* w_data, const cudnnTensorDescriptor_t* y,
    void* y_data, cudnnTensorDescriptor_t hy, void* hy_data, cudnnTensorDescriptor_t cy, void* cy_data,
    float intensity, int requested, int* returned, cudnnAlgorithmPerformance_t* results, void* workspace,
    size_t workspace_size)>;

using FindForwardTraining = OutermostCall<cudnnStatus(
    cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, int length, const cudnnTensorDescriptor_t* x,
    const void* x_data, cudnnTensorDescriptor_t hx, const void* hx_data, cudnnTensorDescriptor_t cx,
    const void* cx_data, cudnnFilterDescriptor_t w, const void* w_data, const cudnnTensorDescriptor_t* y,
    void* y_data, cudnnTensorDescriptor_t hy, void* hy_data, cudnnTensorDescriptor_t cy, void* cy_data,
    float intensity, int requested, int* returned, cudnnAlgorithmPerformance_t* results, void* workspace,
    size_t workspace_size, void* reserve, size_t reserve_size)>;

using FindBackwardData = OutermostCall<cudnnStatus(
    cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, int length, const cudnnTensorDescriptor_t* y,
    const void* y_data, const cudnnTensorDescriptor_t* dy, const void* dy_data, cudnnTensorDescriptor_t dhy,
    const void* dhy_data, cudnnTensorDescriptor_t dcy, const void* dcy_data, cudnnFilterDescriptor_t w,
    const void* w_data, cudnnTensorDescriptor_t hx, const void* hx_data, cudnnTensorDescriptor_t cx,
    const void* cx_data, const cudnnTensorDescriptor_t* dx, void* dx_data, cudnnTensorDescriptor_t dhx,
    void* dhx_data, cudnnTensorDescriptor_t dcx, void* dcx_data, float intensity, int requested,
    int* returned, cudnnAlgorithmPerformance_t* results, void* workspace, size_t workspace_size,
    void* reserve, size_t reserve_size)>;

using FindBackwardWeights = OutermostCall<cudnnStatus(
    cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, int length, const cudnnTensorDescriptor_t* x,
    const void* x_data, cudnnTensorDescriptor_t hx, const void* hx_data, const cudnnTensorDescriptor_t* y,
    const void* y_data, float intensity, int requested, int* returned, cudnnAlgorithmPerformance_t* results,
    const void* workspace, size_t workspace_size, cudnnFilterDescriptor_t dw, void* dw_data,
    const void* reserve, size_t reserve_size)>;

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_TEMPLATE_HOOK(cudnn, RnnForward, cudnnRNNForward, run_with_workspace, needs_workspace_setting);
DETSHIM_TEMPLATE_HOOK(cudnn, RnnBackwardData, cudnnRNNBackwardData_v8, run_with_workspace,
                      needs_workspace_setting);
DETSHIM_TEMPLATE_HOOK(cudnn, RnnBackwardWeights, cudnnRNNBackwardWeights_v8, run_with_workspace,
                      needs_workspace_setting);
DETSHIM_TEMPLATE_HOOK(cudnn, AttentionForward, cudnnMultiHeadAttnForward, run_with_workspace,
                      needs_workspace_setting);
DETSHIM_TEMPLATE_HOOK(cudnn, AttentionBackwardData, cudnnMultiHeadAttnBackwardData, run_with_workspace,
                      needs_workspace_setting);
DETSHIM_TEMPLATE_HOOK(cudnn, AttentionBackwardWeights, cudnnMultiHeadAttnBackwardWeights, run_with_workspace,
                      needs_workspace_setting);

DETSHIM_TEMPLATE_HOOK(cudnn, FindForwardInference, cudnnFindRNNForwardInferenceAlgorithmEx, find_rnn,
                      sorts_by_time);
DETSHIM_TEMPLATE_HOOK(cudnn, FindForwardTraining, cudnnFindRNNForwardTrainingAlgorithmEx, find_rnn,
                      sorts_by_time);
DETSHIM_TEMPLATE_HOOK(cudnn, FindBackwardData, cudnnFindRNNBackwardDataAlgorithmEx, find_rnn, sorts_by_time);
DETSHIM_TEMPLATE_HOOK(cudnn, FindBackwardWeights, cudnnFindRNNBackwardWeightsAlgorithmEx, find_rnn,
                      sorts_by_time);
