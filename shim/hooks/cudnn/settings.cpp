#include "hooks/cudnn/settings.h"

namespace detshim {
namespace {

using namespace abi;

/// Asks the library, and adds what it answers. False, and nothing is said of the inputs, where it does not.
template <typename Descriptor, typename... Values>
bool add_told(const Hook& hook, CallOutputs& outputs, const char* getter, Descriptor descriptor,
              Values&... values) {
  auto* const get = find_in_cudnn<cudnnStatus(Descriptor, Values * ...)>(hook, getter);
  if (descriptor == nullptr || get == nullptr || get(descriptor, &values...) != cudnnStatus::success)
    return outputs.leave_inputs(), false;
  (outputs.add_number(&values, sizeof values), ...);
  return true;
}

/// What versions came to have later: nothing where the library does not answer.
template <typename Value, typename Descriptor>
void add_later(const Hook& hook, CallOutputs& outputs, const char* getter, Descriptor descriptor) {
  Value value = {};
  auto* const get = find_in_cudnn<cudnnStatus(Descriptor, Value*)>(hook, getter);
  if (descriptor != nullptr && get != nullptr && get(descriptor, &value) == cudnnStatus::success)
    outputs.add_number(&value, sizeof value);
}

// CUDNN_DIM_MAX, and what is left of it for windows: a tensor has two dimensions more. cuDNN 9.19 refuses to
// tell more of them.
constexpr int most_dimensions = 8, most_of_windows = most_dimensions - 2;

} // namespace

void add_settings(const Hook& hook, CallOutputs& outputs, cudnnConvolutionDescriptor_t convolution) {
  auto* const get =
      find_in_cudnn<cudnnStatus(cudnnConvolutionDescriptor_t, int, int*, int*, int*, int*, int*, int*)>(
          hook, "cudnnGetConvolutionNdDescriptor");
  struct {
    int count = 0, mode = 0, type = 0;
    int pads[most_dimensions] = {}, strides[most_dimensions] = {}, dilations[most_dimensions] = {};
  } told;
  if (convolution == nullptr || get == nullptr ||
      get(convolution, most_of_windows, &told.count, told.pads, told.strides, told.dilations, &told.mode,
          &told.type) != cudnnStatus::success ||
      told.count > most_of_windows)
    return outputs.leave_inputs();
  outputs.add_number(&told, sizeof told);
  for (const char* const getter :
       {"cudnnGetConvolutionMathType", "cudnnGetConvolutionGroupCount", "cudnnGetConvolutionReorderType"})
    add_later<int>(hook, outputs, getter, convolution);
}

void add_settings(const Hook& hook, CallOutputs& outputs, cudnnActivationDescriptor_t activation) {
  int mode = 0, nan_propagation = 0;
  double coefficient = 0;
  if (!add_told(hook, outputs, "cudnnGetActivationDescriptor", activation, mode, nan_propagation,
                coefficient))
    return;
  constexpr int swish = 6; // CUDNN_ACTIVATION_SWISH
  if (mode == swish) add_later<double>(hook, outputs, "cudnnGetActivationDescriptorSwishBeta", activation);
}

void add_settings(const Hook& hook, CallOutputs& outputs, cudnnLRNDescriptor_t normalization) {
  unsigned width = 0;
  double alpha = 0, beta = 0, k = 0;
  add_told(hook, outputs, "cudnnGetLRNDescriptor", normalization, width, alpha, beta, k);
}

void add_settings(const Hook& hook, CallOutputs& outputs, cudnnOpTensorDescriptor_t operation) {
  int what = 0, type = 0, nan_propagation = 0;
  add_told(hook, outputs, "cudnnGetOpTensorDescriptor", operation, what, type, nan_propagation);
}

void add_settings(const Hook& hook, CallOutputs& outputs, cudnnTensorTransformDescriptor_t transform) {
  auto* const get =
      find_in_cudnn<cudnnStatus(cudnnTensorTransformDescriptor_t, uint32_t, int*, int32_t*, int32_t*,
                                uint32_t*, int*)>(hook, "cudnnGetTensorTransformDescriptor");
  struct {
    int format = 0, direction = 0;
    int32_t padded_before[most_dimensions] = {}, padded_after[most_dimensions] = {};
    uint32_t fold[most_dimensions] = {};
  } told;
  if (transform == nullptr || get == nullptr ||
      get(transform, most_dimensions, &told.format, told.padded_before, told.padded_after, told.fold,
          &told.direction) != cudnnStatus::success)
    return outputs.leave_inputs();
  outputs.add_number(&told, sizeof told);
}

namespace {

struct Pooling {
  int mode = -1, nan_propagation = 0, count = 0;
  int window[most_dimensions] = {}, padding[most_dimensions] = {}, stride[most_dimensions] = {};
};

bool ask(const Hook& hook, cudnnPoolingDescriptor_t pooling, Pooling& told) {
  auto* const get =
      find_in_cudnn<cudnnStatus(cudnnPoolingDescriptor_t, int, int*, int*, int*, int*, int*, int*)>(
          hook, "cudnnGetPoolingNdDescriptor");
  return pooling != nullptr && get != nullptr &&
         get(pooling, most_of_windows, &told.mode, &told.nan_propagation, &told.count, told.window,
             told.padding, told.stride) == cudnnStatus::success &&
         told.count <= most_of_windows;
}

} // namespace

void add_settings(const Hook& hook, CallOutputs& outputs, cudnnPoolingDescriptor_t pooling) {
  Pooling told;
  if (!ask(hook, pooling, told)) return outputs.leave_inputs();
  outputs.add_number(&told, sizeof told);
}

int mode_of(const Hook& hook, cudnnPoolingDescriptor_t pooling) {
  Pooling told;
  return ask(hook, pooling, told) ? told.mode : -1;
}

ReducedIndices add_settings(const Hook& hook, CallOutputs& outputs, cudnnReduceTensorDescriptor_t reduction) {
  int what = 0, type = 0, nan_propagation = 0, indices = 0, type_of_indices = 0;
  if (!add_told(hook, outputs, "cudnnGetReduceTensorDescriptor", reduction, what, type, nan_propagation,
                indices, type_of_indices))
    return {};
  return {indices != 0}; // CUDNN_REDUCE_TENSOR_NO_INDICES
}

void add_settings(const Hook& hook, CallOutputs& outputs, cudnnHandle_t handle,
                  cudnnDropoutDescriptor_t dropout, bool draws) {
  auto* const get = find_in_cudnn<cudnnStatus(cudnnDropoutDescriptor_t, cudnnHandle_t, float*, void**,
                                              unsigned long long*)>(hook, "cudnnGetDropoutDescriptor");
  auto* const get_size =
      find_in_cudnn<cudnnStatus(cudnnHandle_t, size_t*)>(hook, "cudnnDropoutGetStatesSize");
  float probability = 0;
  void* states = nullptr;
  unsigned long long seed = 0; // it is in the states
  size_t size = 0;
  if (dropout == nullptr || get == nullptr || get_size == nullptr ||
      get(dropout, handle, &probability, &states, &seed) != cudnnStatus::success)
    return outputs.leave_inputs();
  outputs.add_number(&probability, sizeof probability);
  if (!draws || probability == 0) return;
  if (states == nullptr || get_size(handle, &size) != cudnnStatus::success) return outputs.leave_inputs();
  outputs.add_changed(bytes_at(states, size));
}

namespace {

/// As programs set it by a function that cuDNN 9 lacks, of which the getter of cuDNN 8 tells nothing.
void add_settings_of_7(const Hook& hook, CallOutputs& outputs, cudnnHandle_t handle, cudnnRNNDescriptor_t rnn,
                       bool draws) {
  using Get = cudnnStatus(cudnnHandle_t, cudnnRNNDescriptor_t, int*, int*, cudnnDropoutDescriptor_t*, int*,
                          int*, int*, int*, int*);
  auto* get = find_in_cudnn<Get>(hook, "cudnnGetRNNDescriptor_v6");
  if (get == nullptr) get = find_in_cudnn<Get>(hook, "cudnnGetRNNDescriptor");
  struct {
    int hidden_size, layers, input, direction, cell, algorithm, precision;
    int recurrent_projection, output_projection, clip, nan_propagation, later[3];
    double low, high;
  } told = {};
  cudnnDropoutDescriptor_t dropout = nullptr;
  if (rnn == nullptr || get == nullptr ||
      get(handle, rnn, &told.hidden_size, &told.layers, &dropout, &told.input, &told.direction, &told.cell,
          &told.algorithm, &told.precision) != cudnnStatus::success)
    return outputs.leave_inputs();
  // What versions came to have later.
  if (auto* const ask = find_in_cudnn<cudnnStatus(cudnnHandle_t, cudnnRNNDescriptor_t, int*, int*)>(
          hook, "cudnnGetRNNProjectionLayers"))
    ask(handle, rnn, &told.recurrent_projection, &told.output_projection);
  if (auto* const ask =
          find_in_cudnn<cudnnStatus(cudnnHandle_t, cudnnRNNDescriptor_t, int*, int*, double*, double*)>(
              hook, "cudnnRNNGetClip"))
    ask(handle, rnn, &told.clip, &told.nan_propagation, &told.low, &told.high);
  int* later = told.later;
  for (const char* const getter :
       {"cudnnGetRNNBiasMode", "cudnnGetRNNMatrixMathType", "cudnnGetRNNPaddingMode"}) {
    auto* const ask = find_in_cudnn<cudnnStatus(cudnnRNNDescriptor_t, int*)>(hook, getter);
    if (ask != nullptr) ask(rnn, later);
    ++later;
  }
  outputs.add_number(&told, sizeof told);
  if (dropout != nullptr) add_settings(hook, outputs, handle, dropout, draws);
}

} // namespace

void add_settings(const Hook& hook, CallOutputs& outputs, cudnnHandle_t handle, cudnnRNNDescriptor_t rnn,
                  bool draws) {
  struct {
    int algorithm, cell, bias, direction, input, type, precision, math;
    int32_t input_size, hidden_size, projected_size, layers;
    uint32_t flags;
  } told = {};
  cudnnDropoutDescriptor_t dropout = nullptr;
  auto* const get = find_in_cudnn<cudnnStatus(
      cudnnRNNDescriptor_t, int*, int*, int*, int*, int*, int*, int*, int*, int32_t*, int32_t*, int32_t*,
      int32_t*, cudnnDropoutDescriptor_t*, uint32_t*)>(hook, "cudnnGetRNNDescriptor_v8");
  if (rnn == nullptr || get == nullptr ||
      get(rnn, &told.algorithm, &told.cell, &told.bias, &told.direction, &told.input, &told.type,
          &told.precision, &told.math, &told.input_size, &told.hidden_size, &told.projected_size,
          &told.layers, &dropout, &told.flags) != cudnnStatus::success)
    return add_settings_of_7(hook, outputs, handle, rnn, draws);
  outputs.add_number(&told, sizeof told);
  int clip = 0, nan_propagation = 0;
  double low = 0, high = 0;
  add_told(hook, outputs, "cudnnRNNGetClip_v8", rnn, clip, nan_propagation, low, high);
  if (dropout != nullptr) add_settings(hook, outputs, handle, dropout, draws);
}

void add_settings(const Hook& hook, CallOutputs& outputs, cudnnHandle_t handle,
                  cudnnAttnDescriptor_t attention, bool draws) {
  struct {
    double scale;
    unsigned mode;
    int heads, type, precision, math;
    int q, k, v, projected_q, projected_k, projected_v, projected_o;
    int longest_q, longest_k, batch, beam;
  } told = {};
  cudnnDropoutDescriptor_t dropouts[2] = {}; // of the weights, and behind all
  auto* const get =
      find_in_cudnn<cudnnStatus(cudnnAttnDescriptor_t, unsigned*, int*, double*, int*, int*, int*,
                                cudnnDropoutDescriptor_t*, cudnnDropoutDescriptor_t*, int*, int*, int*, int*,
                                int*, int*, int*, int*, int*, int*, int*)>(hook, "cudnnGetAttnDescriptor");
  if (attention == nullptr || get == nullptr ||
      get(attention, &told.mode, &told.heads, &told.scale, &told.type, &told.precision, &told.math,
          &dropouts[0], &dropouts[1], &told.q, &told.k, &told.v, &told.projected_q, &told.projected_k,
          &told.projected_v, &told.projected_o, &told.longest_q, &told.longest_k, &told.batch,
          &told.beam) != cudnnStatus::success)
    return outputs.leave_inputs();
  outputs.add_number(&told, sizeof told);
  for (const cudnnDropoutDescriptor_t dropout : dropouts)
    if (dropout != nullptr) add_settings(hook, outputs, handle, dropout, draws);
}

bool add_settings(const Hook& hook, CallOutputs& outputs, cudnnCTCLossDescriptor_t loss) {
  int type = 0, normalization = 0, gradients = 0, longest = 0;
  constexpr const char *latest = "cudnnGetCTCLossDescriptor_v9", *before = "cudnnGetCTCLossDescriptor_v8";
  using Get = cudnnStatus(cudnnCTCLossDescriptor_t, int*, int*, int*, int*);
  const bool is_9 = find_in_cudnn<Get>(hook, latest) != nullptr;
  const bool is_told =
      add_told(hook, outputs, is_9 ? latest : before, loss, type, normalization, gradients, longest);
  return is_9 && is_told && gradients == static_cast<int>(cudnnCTCGradMode::skip_oob_gradients);
}

} // namespace detshim
