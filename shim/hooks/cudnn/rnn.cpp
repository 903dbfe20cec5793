// cuDNN's recurrent networks and multi-head attention. The networks of cuDNN 7 and 8 are in rnn_8.cpp.
#include "hooks/cudnn/rnn.h"

namespace detshim {

using namespace abi;

namespace {

// ---- What goes in and what comes out, for DETSHIM_FINGERPRINT=calls ----

/// The data of sequences; without width where not all of it is written: padded ones, in an array that is not
/// packed, or more of them than are looked at.
HashedArea sequences_at(const Hook& hook, CallOutputs& outputs, cudnnRNNDataDescriptor_t sequences,
                        const void* data) {
  auto* const get =
      find_in_cudnn<cudnnStatus(cudnnRNNDataDescriptor_t, int*, int*, int*, int*, int*, int, int*, void*)>(
          hook, "cudnnGetRNNDataDescriptor");
  constexpr int most = 512, packed = 1; // CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED
  int type = -1, layout = 0, longest = 0, batch = 0, width = 0, lengths[most] = {};
  uint64_t fill = 0;
  if (get == nullptr ||
      get(sequences, &type, &layout, &longest, &batch, &width, 0, lengths, &fill) != cudnnStatus::success ||
      batch <= 0 || batch > most ||
      get(sequences, &type, &layout, &longest, &batch, &width, batch, lengths, &fill) != cudnnStatus::success)
    return {};
  uint64_t rows = 0;
  for (int i = 0; i < batch; ++i) rows += static_cast<uint64_t>(lengths[i] > 0 ? lengths[i] : 0);
  outputs.add_shape("steps", rows);
  outputs.add_shape("width", static_cast<uint64_t>(width));
  outputs.add_number(&layout, sizeof layout);
  outputs.add_number(lengths, static_cast<size_t>(batch) * sizeof *lengths);
  if (layout != packed && rows != static_cast<uint64_t>(longest) * static_cast<uint64_t>(batch)) return {};
  return bytes_at(data, rows * static_cast<uint64_t>(width) * size_of_cudnn_type(type));
}

} // namespace

void add_sequences_read(const Hook& hook, CallOutputs& outputs, cudnnRNNDataDescriptor_t sequences,
                        const void* data) {
  const HashedArea area = sequences_at(hook, outputs, sequences, data);
  if (area.width == 0) outputs.leave_inputs();
  outputs.add_input(area);
}

void add_sequences_written(const Hook& hook, CallOutputs& outputs, cudnnRNNDataDescriptor_t sequences,
                           const void* data) {
  const HashedArea area = sequences_at(hook, outputs, sequences, data);
  if (area.width == 0) outputs.leave_outputs(Reason::partly_written);
  outputs.add_output(area);
}

namespace {

/// Gradients of weights, which are added to what was there or replace it.
void add_weight_gradients(CallOutputs& outputs, cudnnWgradMode mode, const void* gradients, size_t size) {
  constexpr int added = 0; // CUDNN_WGRAD_MODE_ADD
  const HashedArea area = bytes_at(gradients, size);
  outputs.add_shape("mode", static_cast<uint64_t>(mode));
  outputs.add_shape("weights", size);
  if (static_cast<int>(mode) == added) outputs.add_changed(area);
  outputs.add_output(area);
}

template <typename Call>
cudnnStatus run_forward(const Call& call, cudnnHandle_t handle, cudnnRNNDescriptor_t rnn,
                        cudnnForwardMode mode, const int32_t* lengths, cudnnRNNDataDescriptor_t x,
                        const void* x_data, cudnnRNNDataDescriptor_t y, void* y_data,
                        cudnnTensorDescriptor_t h, const void* hx, void* hy, cudnnTensorDescriptor_t c,
                        const void* cx, void* cy, size_t weights_size, const void* weights,
                        size_t workspace_size, void* workspace, size_t reserve_size, void* reserve) {
  const auto describe = [&](CallOutputs& outputs) {
    const Hook& hook = call.hook();
    outputs.add_shape("mode", static_cast<uint64_t>(mode));
    add_sequences_read(hook, outputs, x, x_data);
    add_read(hook, outputs, {h, hx});
    add_read(hook, outputs, {c, cx});
    outputs.add_input(bytes_at(weights, weights_size));
    add_settings(hook, outputs, handle, rnn, static_cast<int>(mode) != 0);
    add_sequences_written(hook, outputs, y, y_data);
    add_written(hook, outputs, {h, hy}, nullptr, nullptr);
    add_written(hook, outputs, {c, cy}, nullptr, nullptr);
  };
  return print_with_workspace(call, describe, handle, rnn, mode, lengths, x, x_data, y, y_data, h, hx, hy, c,
                              cx, cy, weights_size, weights, workspace_size, workspace, reserve_size,
                              reserve);
}

template <typename Call>
cudnnStatus derive_data(const Call& call, cudnnHandle_t handle, cudnnRNNDescriptor_t rnn,
                        const int32_t* lengths, cudnnRNNDataDescriptor_t y, const void* y_data,
                        const void* dy, cudnnRNNDataDescriptor_t x, void* dx, cudnnTensorDescriptor_t h,
                        const void* hx, const void* dhy, void* dhx, cudnnTensorDescriptor_t c, const void* cx,
                        const void* dcy, void* dcx, size_t weights_size, const void* weights,
                        size_t workspace_size, void* workspace, size_t reserve_size, void* reserve) {
  const auto describe = [&](CallOutputs& outputs) {
    const Hook& hook = call.hook();
    add_sequences_read(hook, outputs, y, y_data);
    add_sequences_read(hook, outputs, y, dy);
    for (const void* const state : {hx, dhy}) add_read(hook, outputs, {h, state});
    for (const void* const state : {cx, dcy}) add_read(hook, outputs, {c, state});
    outputs.add_input(bytes_at(weights, weights_size));
    add_reserve(outputs, reserve, reserve_size);
    add_settings(hook, outputs, handle, rnn, false);
    add_sequences_written(hook, outputs, x, dx);
    add_written(hook, outputs, {h, dhx}, nullptr, nullptr);
    add_written(hook, outputs, {c, dcx}, nullptr, nullptr);
  };
  return print_with_workspace(call, describe, handle, rnn, lengths, y, y_data, dy, x, dx, h, hx, dhy, dhx, c,
                              cx, dcy, dcx, weights_size, weights, workspace_size, workspace, reserve_size,
                              reserve);
}

template <typename Call>
cudnnStatus derive_weights(const Call& call, cudnnHandle_t handle, cudnnRNNDescriptor_t rnn,
                           cudnnWgradMode add, const int32_t* lengths, cudnnRNNDataDescriptor_t x,
                           const void* x_data, cudnnTensorDescriptor_t h, const void* hx,
                           cudnnRNNDataDescriptor_t y, const void* y_data, size_t weights_size,
                           void* dweights, size_t workspace_size, void* workspace, size_t reserve_size,
                           void* reserve) {
  const auto describe = [&](CallOutputs& outputs) {
    const Hook& hook = call.hook();
    add_sequences_read(hook, outputs, x, x_data);
    add_read(hook, outputs, {h, hx});
    add_sequences_read(hook, outputs, y, y_data);
    add_reserve(outputs, reserve, reserve_size);
    add_settings(hook, outputs, handle, rnn, false);
    add_weight_gradients(outputs, add, dweights, weights_size);
  };
  return print_with_workspace(call, describe, handle, rnn, add, lengths, x, x_data, h, hx, y, y_data,
                              weights_size, dweights, workspace_size, workspace, reserve_size, reserve);
}

// ---- Multi-head attention ----

constexpr int longest_vectors = 512; // more lengths are not looked at

/// Vectors of sequences, all of which are as long as the array has room for; without width where they are
/// not, since of the others not all is read or written. `longest`: of a sequence.
HashedArea vectors_at(const Hook& hook, CallOutputs& outputs, cudnnSeqDataDescriptor_t vectors,
                      const void* data, int& longest) {
  auto* const get = find_in_cudnn<cudnnStatus(cudnnSeqDataDescriptor_t, int*, int*, int, int*, int*, size_t*,
                                              size_t, int*, void*)>(hook, "cudnnGetSeqDataDescriptor");
  constexpr int dimensions = 4, time = 0; // CUDNN_SEQDATA_DIM_COUNT, CUDNN_SEQDATA_TIME_DIM
  int type = -1, count = 0, sizes[dimensions] = {}, axes[dimensions] = {}, lengths[longest_vectors] = {};
  size_t sequences = 0;
  uint64_t fill = 0;
  if (vectors == nullptr || get == nullptr ||
      get(vectors, &type, &count, dimensions, sizes, axes, &sequences, longest_vectors, lengths, &fill) !=
          cudnnStatus::success ||
      count != dimensions || sequences > longest_vectors)
    return {};
  uint64_t elements = 1;
  for (const int size : sizes) elements *= static_cast<uint64_t>(size > 0 ? size : 0);
  longest = sizes[time];
  outputs.add_sizes("v", sizes, dimensions);
  outputs.add_number(axes, sizeof axes);
  outputs.add_number(lengths, sequences * sizeof *lengths);
  for (size_t i = 0; i < sequences; ++i)
    if (lengths[i] != longest) return {};
  return bytes_at(data, elements * size_of_cudnn_type(type));
}

void add_vectors_read(const Hook& hook, CallOutputs& outputs, cudnnSeqDataDescriptor_t vectors,
                      const void* data) {
  int longest = 0;
  if (data == nullptr) return;
  const HashedArea area = vectors_at(hook, outputs, vectors, data, longest);
  if (area.width == 0) outputs.leave_inputs();
  outputs.add_input(area);
}

/// Where the windows of an attention begin and end is given for each step of the queries.
void add_vectors_written(const Hook& hook, CallOutputs& outputs, cudnnSeqDataDescriptor_t vectors,
                         const void* data, const int* low = nullptr, const int* high = nullptr) {
  int longest = 0;
  const HashedArea area = vectors_at(hook, outputs, vectors, data, longest);
  if (area.width == 0) return outputs.leave_outputs(Reason::partly_written);
  const size_t size = static_cast<size_t>(longest) * sizeof(int);
  outputs.add_number(low, size);
  outputs.add_number(high, size);
  outputs.add_output(area);
}

template <typename Call>
cudnnStatus attend_forward(const Call& call, cudnnHandle_t handle, cudnnAttnDescriptor_t attention,
                           int current, const int* low, const int* high, const int* lengths_q,
                           const int* lengths_k, cudnnSeqDataDescriptor_t q, const void* queries,
                           const void* residuals, cudnnSeqDataDescriptor_t k, const void* keys,
                           cudnnSeqDataDescriptor_t v, const void* values, cudnnSeqDataDescriptor_t o,
                           void* out, size_t weights_size, const void* weights, size_t workspace_size,
                           void* workspace, size_t reserve_size, void* reserve) {
  const auto describe = [&](CallOutputs& outputs) {
    const Hook& hook = call.hook();
    if (current >= 0) outputs.leave_outputs(Reason::address_unknown);
    add_settings(hook, outputs, handle, attention, reserve != nullptr);
    add_vectors_written(hook, outputs, o, out, low, high);
    add_vectors_read(hook, outputs, q, queries);
    add_vectors_read(hook, outputs, q, residuals);
    add_vectors_read(hook, outputs, k, keys);
    add_vectors_read(hook, outputs, v, values);
    if (weights_size != 0) outputs.add_input(bytes_at(weights, weights_size));
  };
  return print_with_workspace(call, describe, handle, attention, current, low, high, lengths_q, lengths_k, q,
                              queries, residuals, k, keys, v, values, o, out, weights_size, weights,
                              workspace_size, workspace, reserve_size, reserve);
}

template <typename Call>
cudnnStatus derive_attended(const Call& call, cudnnHandle_t handle, cudnnAttnDescriptor_t attention,
                            const int* low, const int* high, const int* lengths_q, const int* lengths_k,
                            cudnnSeqDataDescriptor_t o, const void* dout, cudnnSeqDataDescriptor_t q,
                            void* dqueries, const void* queries, cudnnSeqDataDescriptor_t k, void* dkeys,
                            const void* keys, cudnnSeqDataDescriptor_t v, void* dvalues, const void* values,
                            size_t weights_size, const void* weights, size_t workspace_size, void* workspace,
                            size_t reserve_size, void* reserve) {
  const auto describe = [&](CallOutputs& outputs) {
    const Hook& hook = call.hook();
    add_settings(hook, outputs, handle, attention, false);
    add_vectors_written(hook, outputs, q, dqueries, low, high);
    add_vectors_written(hook, outputs, k, dkeys);
    add_vectors_written(hook, outputs, v, dvalues);
    add_vectors_read(hook, outputs, o, dout);
    add_vectors_read(hook, outputs, q, queries);
    add_vectors_read(hook, outputs, k, keys);
    add_vectors_read(hook, outputs, v, values);
    if (weights_size != 0) outputs.add_input(bytes_at(weights, weights_size));
    add_reserve(outputs, reserve, reserve_size);
  };
  return print_with_workspace(call, describe, handle, attention, low, high, lengths_q, lengths_k, o, dout, q,
                              dqueries, queries, k, dkeys, keys, v, dvalues, values, weights_size, weights,
                              workspace_size, workspace, reserve_size, reserve);
}

template <typename Call>
cudnnStatus derive_attention_weights(const Call& call, cudnnHandle_t handle, cudnnAttnDescriptor_t attention,
                                     cudnnWgradMode add, cudnnSeqDataDescriptor_t q, const void* queries,
                                     cudnnSeqDataDescriptor_t k, const void* keys, cudnnSeqDataDescriptor_t v,
                                     const void* values, cudnnSeqDataDescriptor_t o, const void* dout,
                                     size_t weights_size, const void* weights, void* dweights,
                                     size_t workspace_size, void* workspace, size_t reserve_size,
                                     void* reserve) {
  const auto describe = [&](CallOutputs& outputs) {
    const Hook& hook = call.hook();
    add_settings(hook, outputs, handle, attention, false);
    add_vectors_read(hook, outputs, q, queries);
    add_vectors_read(hook, outputs, k, keys);
    add_vectors_read(hook, outputs, v, values);
    add_vectors_read(hook, outputs, o, dout);
    if (weights_size != 0) outputs.add_input(bytes_at(weights, weights_size));
    add_reserve(outputs, reserve, reserve_size);
    add_weight_gradients(outputs, add, dweights, weights_size);
  };
  return print_with_workspace(call, describe, handle, attention, add, q, queries, k, keys, v, values, o, dout,
                              weights_size, weights, dweights, workspace_size, workspace, reserve_size,
                              reserve);
}

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

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_TEMPLATE_HOOK(cudnn, RnnForward, cudnnRNNForward, run_forward, needs_workspace_setting);
DETSHIM_TEMPLATE_HOOK(cudnn, RnnBackwardData, cudnnRNNBackwardData_v8, derive_data, needs_workspace_setting);
DETSHIM_TEMPLATE_HOOK(cudnn, RnnBackwardWeights, cudnnRNNBackwardWeights_v8, derive_weights,
                      needs_workspace_setting);
DETSHIM_TEMPLATE_HOOK(cudnn, AttentionForward, cudnnMultiHeadAttnForward, attend_forward,
                      needs_workspace_setting);
DETSHIM_TEMPLATE_HOOK(cudnn, AttentionBackwardData, cudnnMultiHeadAttnBackwardData, derive_attended,
                      needs_workspace_setting);
DETSHIM_TEMPLATE_HOOK(cudnn, AttentionBackwardWeights, cudnnMultiHeadAttnBackwardWeights,
                      derive_attention_weights, needs_workspace_setting);
