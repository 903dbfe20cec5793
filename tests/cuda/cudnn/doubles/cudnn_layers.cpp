// A double of cuDNN's layers: it computes nothing, it records what it is told, and refuses a
// workspace that is too small for the algorithm that it is asked to run.
//
// DOUBLE_MISBEHAVE:
//   no_size     there is no size for the deterministic algorithms
//   refuses     the deterministic algorithms are not supported, nor is MAX_DETERMINISTIC
//   fail        every call that would work on a device fails
//   created_deterministic   a new pooling descriptor holds MAX_DETERMINISTIC
//
// DETSHIM_TEST_NO_SIZES builds a library without the functions that say how large a workspace must
// be.
#include "cudnn_double.h"
#include "layers.h"
#include "record_call.h"

#include <cstdint>
#include <cstdlib>

namespace {

constexpr int max_pooling = 0, max_pooling_deterministic = 3;

/// The workspace of each algorithm, and which of them is the deterministic one of interest.
struct Sizes {
  size_t of[7];
  int deterministic;
};
constexpr Sizes data_sizes = {{0, 8 * kib, 64 * kib, 64 * kib, 64 * kib, 64 * kib, 64 * kib}, 1};
constexpr Sizes filter_sizes = {{0, 8 * kib, 64 * kib, 16 * kib, 64 * kib, 64 * kib, 64 * kib}, 1};
constexpr Sizes ctc_sizes = {{4 * kib, 1 * kib}, 0};

#ifndef DETSHIM_TEST_NO_SIZES
int give_size(const Sizes& sizes, int algo, size_t* bytes) {
  if (misbehaves("no_size") && algo == sizes.deterministic)
    return not_supported;
  *bytes = sizes.of[algo];
  return 0;
}
#endif

int run_algorithm(const Sizes& sizes, int algo, size_t workspace) {
  if (misbehaves("refuses") && algo == sizes.deterministic)
    return not_supported;
  if (workspace < sizes.of[algo])
    return bad_param;
  return misbehaves("fail") ? execution_failed : 0;
}

/// One pooling descriptor, so that a new one has the address of the one before.
struct Pooling {
  int mode;
} the_pooling;

int set_mode(Opaque descriptor, int mode) {
  if (misbehaves("refuses") && mode == max_pooling_deterministic)
    return bad_param;
  static_cast<Pooling*>(descriptor)->mode = mode;
  return 0;
}

int run() { return misbehaves("fail") ? execution_failed : 0; }

} // namespace

extern "C" {

int cudnnConvolutionBackwardData(Opaque handle, Const alpha, Opaque w, Const w_data, Opaque dy,
                                 Const dy_data, Opaque convolution, int algo, Opaque workspace,
                                 size_t workspace_size, Const beta, Opaque dx, Opaque dx_data) {
  record_call("cudnnConvolutionBackwardData", handle, alpha, w, w_data, dy, dy_data, convolution,
              algo, workspace, workspace_size, beta, dx, dx_data);
  return run_algorithm(data_sizes, algo, workspace_size);
}

int cudnnConvolutionBackwardFilter(Opaque handle, Const alpha, Opaque x, Const x_data, Opaque dy,
                                   Const dy_data, Opaque convolution, int algo, Opaque workspace,
                                   size_t workspace_size, Const beta, Opaque dw, Opaque dw_data) {
  record_call("cudnnConvolutionBackwardFilter", handle, alpha, x, x_data, dy, dy_data, convolution,
              algo, workspace, workspace_size, beta, dw, dw_data);
  return run_algorithm(filter_sizes, algo, workspace_size);
}

int cudnnCTCLoss(Opaque handle, Opaque probabilities, Const probabilities_data, const int* labels,
                 const int* label_lengths, const int* input_lengths, Opaque costs, Opaque gradients,
                 Opaque gradients_data, int algo, Opaque loss, Opaque workspace,
                 size_t workspace_size) {
  record_call("cudnnCTCLoss", handle, probabilities, probabilities_data, labels, label_lengths,
              input_lengths, costs, gradients, gradients_data, algo, loss, workspace,
              workspace_size);
  return run_algorithm(ctc_sizes, algo, workspace_size);
}

int cudnnCTCLoss_v8(Opaque handle, int algo, Opaque loss, Opaque probabilities,
                    Const probabilities_data, const int* labels, const int* label_lengths,
                    const int* input_lengths, Opaque costs, Opaque gradients, Opaque gradients_data,
                    size_t workspace_size, Opaque workspace) {
  record_call("cudnnCTCLoss_v8", handle, algo, loss, probabilities, probabilities_data, labels,
              label_lengths, input_lengths, costs, gradients, gradients_data, workspace_size,
              workspace);
  return run_algorithm(ctc_sizes, algo, workspace_size);
}

#ifndef DETSHIM_TEST_NO_SIZES

int cudnnGetConvolutionBackwardDataWorkspaceSize(Opaque handle, Opaque w, Opaque dy,
                                                 Opaque convolution, Opaque dx, int algo,
                                                 size_t* bytes) {
  record_call("cudnnGetConvolutionBackwardDataWorkspaceSize", handle, w, dy, convolution, dx, algo);
  return give_size(data_sizes, algo, bytes);
}

int cudnnGetConvolutionBackwardFilterWorkspaceSize(Opaque handle, Opaque x, Opaque dy,
                                                   Opaque convolution, Opaque dw, int algo,
                                                   size_t* bytes) {
  record_call("cudnnGetConvolutionBackwardFilterWorkspaceSize", handle, x, dy, convolution, dw,
              algo);
  return give_size(filter_sizes, algo, bytes);
}

int cudnnGetCTCLossWorkspaceSize(Opaque handle, Opaque probabilities, Opaque gradients,
                                 const int* labels, const int* label_lengths,
                                 const int* input_lengths, int algo, Opaque loss, size_t* bytes) {
  record_call("cudnnGetCTCLossWorkspaceSize", handle, probabilities, gradients, labels,
              label_lengths, input_lengths, algo, loss);
  return give_size(ctc_sizes, algo, bytes);
}

int cudnnGetCTCLossWorkspaceSize_v8(Opaque handle, int algo, Opaque loss, Opaque probabilities,
                                    Opaque gradients, size_t* bytes) {
  record_call("cudnnGetCTCLossWorkspaceSize_v8", handle, algo, loss, probabilities, gradients);
  return give_size(ctc_sizes, algo, bytes);
}

#endif

int cudnnCreatePoolingDescriptor(Opaque* descriptor) {
  the_pooling.mode = misbehaves("created_deterministic") ? max_pooling_deterministic : max_pooling;
  *descriptor = &the_pooling;
  return 0;
}

int cudnnDestroyPoolingDescriptor(Opaque) { return 0; }

int cudnnSetPooling2dDescriptor(Opaque descriptor, int mode, int nan_propagation, int window_height,
                                int window_width, int vertical_padding, int horizontal_padding,
                                int vertical_stride, int horizontal_stride) {
  record_call("cudnnSetPooling2dDescriptor", mode, nan_propagation, window_height, window_width,
              vertical_padding, horizontal_padding, vertical_stride, horizontal_stride);
  return set_mode(descriptor, mode);
}

int cudnnSetPoolingNdDescriptor(Opaque descriptor, int mode, int nan_propagation, int dimensions,
                                const int* window, const int* padding, const int* stride) {
  record_call("cudnnSetPoolingNdDescriptor", mode, nan_propagation, dimensions, window[0],
              padding[0], stride[0]);
  return set_mode(descriptor, mode);
}

int cudnnGetPooling2dDescriptor(Opaque descriptor, int* mode, int* nan_propagation,
                                int* window_height, int* window_width, int* vertical_padding,
                                int* horizontal_padding, int* vertical_stride,
                                int* horizontal_stride) {
  *mode = static_cast<Pooling*>(descriptor)->mode;
  *nan_propagation = 1;
  *window_height = 2;
  *window_width = 3;
  *vertical_padding = 4;
  *horizontal_padding = 5;
  *vertical_stride = 6;
  *horizontal_stride = 7;
  return 0;
}

int cudnnGetPoolingNdDescriptor(Opaque descriptor, int requested, int* mode, int* nan_propagation,
                                int* dimensions, int* window, int* padding, int* stride) {
  *mode = static_cast<Pooling*>(descriptor)->mode;
  *nan_propagation = 1;
  *dimensions = requested;
  for (int i = 0; i < requested; ++i) {
    window[i] = 4 + i;
    padding[i] = 2 + i;
    stride[i] = 6 + i;
  }
  return 0;
}

static unsigned long long last_seed = 0;

int cudnnGetDropoutDescriptor(Opaque, Opaque, float*, Opaque*, unsigned long long* seed) {
  *seed = last_seed;
  return 0;
}

int cudnnSetDropoutDescriptor(Opaque dropout, Opaque handle, float probability, Opaque states,
                              size_t states_size, unsigned long long seed) {
  last_seed = seed;
  record_call("cudnnSetDropoutDescriptor", dropout, handle, probability, states, states_size, seed);
  return run();
}

int cudnnRestoreDropoutDescriptor(Opaque dropout, Opaque handle, float probability, Opaque states,
                                  size_t states_size, unsigned long long seed) {
  record_call("cudnnRestoreDropoutDescriptor", dropout, handle, probability, states, states_size,
              seed);
  return run();
}

// Handles are numbers here, and so are their streams: of a hundred handles, one stream, or
// DOUBLE_STREAM.
int cudnnGetStream(Opaque handle, Opaque* stream) {
  const char* asked = std::getenv("DOUBLE_STREAM");
  *stream = reinterpret_cast<Opaque>(asked ? std::strtoull(asked, nullptr, 0)
                                           : reinterpret_cast<uintptr_t>(handle) / 100);
  return 0;
}

int cudnnSpatialTfSamplerBackward(Opaque handle, Opaque transformer, Const alpha, Opaque x,
                                  Const x_data, Const beta, Opaque dx, Opaque dx_data,
                                  Const alpha_grid, Opaque dy, Const dy_data, Const grid,
                                  Const beta_grid, Opaque dgrid) {
  record_call("cudnnSpatialTfSamplerBackward", handle, transformer, alpha, x, x_data, beta, dx,
              dx_data, alpha_grid, dy, dy_data, grid, beta_grid, dgrid);
  return run();
}

int cudnnSetCTCLossDescriptor_v9(Opaque loss, int type, int normalization, int gradients,
                                 int longest_label) {
  record_call("cudnnSetCTCLossDescriptor_v9", loss, type, normalization, gradients, longest_label);
  return run();
}

int cudnnRNNForward(Opaque handle, Opaque rnn, int mode, const int32_t* lengths, Opaque x,
                    Const x_data, Opaque y, Opaque y_data, Opaque h, Const hx, Opaque hy, Opaque c,
                    Const cx, Opaque cy, size_t weights_size, Const weights, size_t workspace_size,
                    Opaque workspace, size_t reserve_size, Opaque reserve) {
  record_call("cudnnRNNForward", handle, rnn, mode, lengths, x, x_data, y, y_data, h, hx, hy, c, cx,
              cy, weights_size, weights, workspace_size, workspace, reserve_size, reserve);
  return run();
}

int cudnnRNNBackwardData_v8(Opaque handle, Opaque rnn, const int32_t* lengths, Opaque y,
                            Const y_data, Const dy, Opaque x, Opaque dx, Opaque h, Const hx,
                            Const dhy, Opaque dhx, Opaque c, Const cx, Const dcy, Opaque dcx,
                            size_t weights_size, Const weights, size_t workspace_size,
                            Opaque workspace, size_t reserve_size, Opaque reserve) {
  record_call("cudnnRNNBackwardData_v8", handle, rnn, lengths, y, y_data, dy, x, dx, h, hx, dhy,
              dhx, c, cx, dcy, dcx, weights_size, weights, workspace_size, workspace, reserve_size,
              reserve);
  return run();
}

int cudnnRNNBackwardWeights_v8(Opaque handle, Opaque rnn, int add, const int32_t* lengths, Opaque x,
                               Const x_data, Opaque h, Const hx, Opaque y, Const y_data,
                               size_t weights_size, Opaque dweights, size_t workspace_size,
                               Opaque workspace, size_t reserve_size, Opaque reserve) {
  record_call("cudnnRNNBackwardWeights_v8", handle, rnn, add, lengths, x, x_data, h, hx, y, y_data,
              weights_size, dweights, workspace_size, workspace, reserve_size, reserve);
  return run();
}

int cudnnMultiHeadAttnForward(Opaque handle, Opaque attention, int current, const int* low,
                              const int* high, const int* lengths_q, const int* lengths_k, Opaque q,
                              Const queries, Const residuals, Opaque k, Const keys, Opaque v,
                              Const values, Opaque o, Opaque out, size_t weights_size,
                              Const weights, size_t workspace_size, Opaque workspace,
                              size_t reserve_size, Opaque reserve) {
  record_call("cudnnMultiHeadAttnForward", handle, attention, current, low, high, lengths_q,
              lengths_k, q, queries, residuals, k, keys, v, values, o, out, weights_size, weights,
              workspace_size, workspace, reserve_size, reserve);
  return run();
}

int cudnnMultiHeadAttnBackwardData(Opaque handle, Opaque attention, const int* low, const int* high,
                                   const int* lengths_q, const int* lengths_k, Opaque o, Const dout,
                                   Opaque q, Opaque dqueries, Const queries, Opaque k, Opaque dkeys,
                                   Const keys, Opaque v, Opaque dvalues, Const values,
                                   size_t weights_size, Const weights, size_t workspace_size,
                                   Opaque workspace, size_t reserve_size, Opaque reserve) {
  record_call("cudnnMultiHeadAttnBackwardData", handle, attention, low, high, lengths_q, lengths_k,
              o, dout, q, dqueries, queries, k, dkeys, keys, v, dvalues, values, weights_size,
              weights, workspace_size, workspace, reserve_size, reserve);
  return run();
}

int cudnnMultiHeadAttnBackwardWeights(Opaque handle, Opaque attention, int add, Opaque q,
                                      Const queries, Opaque k, Const keys, Opaque v, Const values,
                                      Opaque o, Const dout, size_t weights_size, Const weights,
                                      Opaque dweights, size_t workspace_size, Opaque workspace,
                                      size_t reserve_size, Opaque reserve) {
  record_call("cudnnMultiHeadAttnBackwardWeights", handle, attention, add, q, queries, k, keys, v,
              values, o, dout, weights_size, weights, dweights, workspace_size, workspace,
              reserve_size, reserve);
  return run();
}

int cudnnCausalConv1dBackward(Opaque stream, Const x, Const weight, Const bias, Const dy, Opaque dx,
                              Opaque dweight, Opaque dbias, int batch, int dimensions, int length,
                              int kernel_size, int type, int weight_type, int activation) {
  record_call("cudnnCausalConv1dBackward", stream, x, weight, bias, dy, dx, dweight, dbias, batch,
              dimensions, length, kernel_size, type, weight_type, activation);
  return misbehaves("fail") ? execution_failed : 0;
}

int cudnnCausalConv1dNwhBackward(Opaque stream, Const x, Const weight, Const bias, Const dy,
                                 Opaque dx, Opaque dweight, Opaque dbias, int batch, int dimensions,
                                 int length, int kernel_size, int type, int weight_type,
                                 int activation) {
  record_call("cudnnCausalConv1dNwhBackward", stream, x, weight, bias, dy, dx, dweight, dbias,
              batch, dimensions, length, kernel_size, type, weight_type, activation);
  return misbehaves("fail") ? execution_failed : 0;
}

} // extern "C"
