// Layers of cuDNN's legacy interface that have no hook otherwise: what goes in and what comes out is hashed
// on the GPU if DETSHIM_FINGERPRINT=calls asks for it.
//
// Symbols: cudnn_ops.h and cudnn_cnn.h of cuDNN 9.19; cuDNN 7 and 8 have them too.
#include "hooks/cudnn/outputs.h"

namespace detshim {
namespace {

using namespace abi;

using Tensor = cudnnTensorDescriptor_t;
using Filter = cudnnFilterDescriptor_t;
using In = const void*;
using Out = void*;

// ---- Poolings, activations and transformations: a descriptor, and no more ----

/// Whether a backward pass looks at x and y: that of an average does not.
bool reads_forward(const Hook& hook, cudnnPoolingDescriptor_t pooling) {
  constexpr int average = 1, average_without_padding = 2; // CUDNN_POOLING_AVERAGE_COUNT_…_PADDING
  const int mode = mode_of(hook, pooling);
  return mode != average && mode != average_without_padding;
}
bool reads_forward(const Hook&, cudnnActivationDescriptor_t) { return true; }

template <typename Call, typename Descriptor, typename Data>
cudnnStatus run_forward(const Call& call, cudnnHandle_t handle, Descriptor descriptor, In alpha, Data x,
                        In x_data, In beta, Data y, Out y_data) {
  return print_described(
      call, handle,
      [&](CallOutputs& outputs) {
        add_layer(call.hook(), outputs, {{x, x_data}}, alpha, beta, {y, y_data});
        add_settings(call.hook(), outputs, descriptor);
      },
      [&] { return call.real(handle, descriptor, alpha, x, x_data, beta, y, y_data); });
}

template <typename Call, typename Descriptor>
cudnnStatus run_backward(const Call& call, cudnnHandle_t handle, Descriptor descriptor, In alpha, Tensor y,
                         In y_data, Tensor dy, In dy_data, Tensor x, In x_data, In beta, Tensor dx,
                         Out dx_data) {
  return print_described(
      call, handle,
      [&](CallOutputs& outputs) {
        const Hook& hook = call.hook();
        add_layer(hook, outputs, {{dy, dy_data}}, alpha, beta, {dx, dx_data});
        add_settings(hook, outputs, descriptor);
        if (!reads_forward(hook, descriptor)) return;
        add_perhaps_read(hook, outputs, {y, y_data});
        add_perhaps_read(hook, outputs, {x, x_data});
      },
      [&] {
        return call.real(handle, descriptor, alpha, y, y_data, dy, dy_data, x, x_data, beta, dx, dx_data);
      });
}

template <typename Descriptor, typename Data = Tensor>
using Forward = OutermostCall<cudnnStatus(cudnnHandle_t handle, Descriptor descriptor, In alpha, Data x,
                                          In x_data, In beta, Data y, Out y_data)>;
template <typename Descriptor>
using Backward =
    OutermostCall<cudnnStatus(cudnnHandle_t handle, Descriptor descriptor, In alpha, Tensor y, In y_data,
                              Tensor dy, In dy_data, Tensor x, In x_data, In beta, Tensor dx, Out dx_data)>;

// ---- Normalisation across channels ----

template <typename Call>
cudnnStatus normalize_forward(const Call& call, cudnnHandle_t handle, cudnnLRNDescriptor_t descriptor,
                              int mode, In alpha, Tensor x, In x_data, In beta, Tensor y, Out y_data) {
  return print_described(
      call, handle,
      [&](CallOutputs& outputs) {
        outputs.add_shape("mode", static_cast<uint64_t>(mode));
        add_layer(call.hook(), outputs, {{x, x_data}}, alpha, beta, {y, y_data});
        add_settings(call.hook(), outputs, descriptor);
      },
      [&] { return call.real(handle, descriptor, mode, alpha, x, x_data, beta, y, y_data); });
}

template <typename Call>
cudnnStatus normalize_backward(const Call& call, cudnnHandle_t handle, cudnnLRNDescriptor_t descriptor,
                               int mode, In alpha, Tensor y, In y_data, Tensor dy, In dy_data, Tensor x,
                               In x_data, In beta, Tensor dx, Out dx_data) {
  return print_described(
      call, handle,
      [&](CallOutputs& outputs) {
        outputs.add_shape("mode", static_cast<uint64_t>(mode));
        add_layer(call.hook(), outputs, {{y, y_data}, {dy, dy_data}, {x, x_data}}, alpha, beta,
                  {dx, dx_data});
        add_settings(call.hook(), outputs, descriptor);
      },
      [&] {
        return call.real(handle, descriptor, mode, alpha, y, y_data, dy, dy_data, x, x_data, beta, dx,
                         dx_data);
      });
}

using NormalizeForward =
    OutermostCall<cudnnStatus(cudnnHandle_t handle, cudnnLRNDescriptor_t descriptor, int mode, In alpha,
                              Tensor x, In x_data, In beta, Tensor y, Out y_data)>;
using NormalizeBackward = OutermostCall<cudnnStatus(
    cudnnHandle_t handle, cudnnLRNDescriptor_t descriptor, int mode, In alpha, Tensor y, In y_data, Tensor dy,
    In dy_data, Tensor x, In x_data, In beta, Tensor dx, Out dx_data)>;

// ---- Divisive normalisation: by means that the program gives; none are zero ----

template <typename Call>
cudnnStatus divide_forward(const Call& call, cudnnHandle_t handle, cudnnLRNDescriptor_t descriptor, int mode,
                           In alpha, Tensor x, In x_data, In means, Out workspace, Out workspace_2, In beta,
                           Tensor y, Out y_data) {
  return print_described(
      call, handle,
      [&](CallOutputs& outputs) {
        outputs.add_shape("mode", static_cast<uint64_t>(mode));
        add_layer(call.hook(), outputs, {{x, x_data}, {x, means}}, alpha, beta, {y, y_data});
        add_settings(call.hook(), outputs, descriptor);
      },
      [&] {
        return call.real(handle, descriptor, mode, alpha, x, x_data, means, workspace, workspace_2, beta, y,
                         y_data);
      });
}

template <typename Call>
cudnnStatus divide_backward(const Call& call, cudnnHandle_t handle, cudnnLRNDescriptor_t descriptor, int mode,
                            In alpha, Tensor x, In x_data, In means, In dy_data, Out workspace,
                            Out workspace_2, In beta, Tensor dx, Out dx_data, Out dmeans) {
  return print_described(
      call, handle,
      [&](CallOutputs& outputs) {
        outputs.add_shape("mode", static_cast<uint64_t>(mode));
        add_layer(call.hook(), outputs, {{x, x_data}, {x, means}, {x, dy_data}}, alpha, beta, {dx, dx_data});
        add_written(call.hook(), outputs, {dx, dmeans}, nullptr, beta);
        add_settings(call.hook(), outputs, descriptor);
      },
      [&] {
        return call.real(handle, descriptor, mode, alpha, x, x_data, means, dy_data, workspace, workspace_2,
                         beta, dx, dx_data, dmeans);
      });
}

using DivideForward = OutermostCall<cudnnStatus(
    cudnnHandle_t handle, cudnnLRNDescriptor_t descriptor, int mode, In alpha, Tensor x, In x_data, In means,
    Out workspace, Out workspace_2, In beta, Tensor y, Out y_data)>;
using DivideBackward = OutermostCall<cudnnStatus(
    cudnnHandle_t handle, cudnnLRNDescriptor_t descriptor, int mode, In alpha, Tensor x, In x_data, In means,
    In dy_data, Out workspace, Out workspace_2, In beta, Tensor dx, Out dx_data, Out dmeans)>;

// ---- Softmax ----

void add_softmax(CallOutputs& outputs, int algorithm, int mode) {
  outputs.add_shape("algo", static_cast<uint64_t>(algorithm));
  outputs.add_shape("mode", static_cast<uint64_t>(mode));
}

template <typename Call>
cudnnStatus soften_forward(const Call& call, cudnnHandle_t handle, int algorithm, int mode, In alpha,
                           Tensor x, In x_data, In beta, Tensor y, Out y_data) {
  return print_described(
      call, handle,
      [&](CallOutputs& outputs) {
        add_softmax(outputs, algorithm, mode);
        add_layer(call.hook(), outputs, {{x, x_data}}, alpha, beta, {y, y_data});
      },
      [&] { return call.real(handle, algorithm, mode, alpha, x, x_data, beta, y, y_data); });
}

template <typename Call>
cudnnStatus soften_backward(const Call& call, cudnnHandle_t handle, int algorithm, int mode, In alpha,
                            Tensor y, In y_data, Tensor dy, In dy_data, In beta, Tensor dx, Out dx_data) {
  return print_described(
      call, handle,
      [&](CallOutputs& outputs) {
        add_softmax(outputs, algorithm, mode);
        add_layer(call.hook(), outputs, {{y, y_data}, {dy, dy_data}}, alpha, beta, {dx, dx_data});
      },
      [&] { return call.real(handle, algorithm, mode, alpha, y, y_data, dy, dy_data, beta, dx, dx_data); });
}

using SoftenForward = OutermostCall<cudnnStatus(cudnnHandle_t handle, int algorithm, int mode, In alpha,
                                                Tensor x, In x_data, In beta, Tensor y, Out y_data)>;
using SoftenBackward =
    OutermostCall<cudnnStatus(cudnnHandle_t handle, int algorithm, int mode, In alpha, Tensor y, In y_data,
                              Tensor dy, In dy_data, In beta, Tensor dx, Out dx_data)>;

// ---- Tensors, element by element, and sums of them ----

/// C = alpha f(A) + beta C
template <typename Call>
cudnnStatus run_on_tensor(const Call& call, cudnnHandle_t handle, In alpha, Tensor a, In a_data, In beta,
                          Tensor c, Out c_data) {
  return print_layer(call, handle, {{a, a_data}}, alpha, beta, {c, c_data},
                     [&] { return call.real(handle, alpha, a, a_data, beta, c, c_data); });
}

/// C = op(alpha_a A, alpha_b B) + beta C
template <typename Call>
cudnnStatus combine(const Call& call, cudnnHandle_t handle, cudnnOpTensorDescriptor_t operation, In alpha_a,
                    Tensor a, In a_data, In alpha_b, Tensor b, In b_data, In beta, Tensor c, Out c_data) {
  return print_described(
      call, handle,
      [&](CallOutputs& outputs) {
        add_layer(call.hook(), outputs, {{a, a_data}, {b, b_data}}, alpha_a, beta, {c, c_data});
        add_scale(call.hook(), outputs, c, alpha_b);
        add_settings(call.hook(), outputs, operation);
      },
      [&] { return call.real(handle, operation, alpha_a, a, a_data, alpha_b, b, b_data, beta, c, c_data); });
}

template <typename Call>
cudnnStatus reduce(const Call& call, cudnnHandle_t handle, cudnnReduceTensorDescriptor_t reduction,
                   Out indices, size_t indices_size, Out workspace, size_t workspace_size, In alpha, Tensor a,
                   In a_data, In beta, Tensor c, Out c_data) {
  return print_described(
      call, handle,
      [&](CallOutputs& outputs) {
        add_layer(call.hook(), outputs, {{a, a_data}}, alpha, beta, {c, c_data});
        if (!add_settings(call.hook(), outputs, reduction).are_left) return;
        auto* const get_size =
            find_in_cudnn<cudnnStatus(cudnnHandle_t, cudnnReduceTensorDescriptor_t, Tensor, Tensor, size_t*)>(
                call.hook(), "cudnnGetReductionIndicesSize");
        size_t size = 0;
        if (get_size == nullptr || get_size(handle, reduction, a, c, &size) != cudnnStatus::success)
          return outputs.leave_outputs(Reason::size_unknown);
        if (indices != nullptr) outputs.add_output(bytes_at(indices, size));
      },
      [&] {
        return call.real(handle, reduction, indices, indices_size, workspace, workspace_size, alpha, a,
                         a_data, beta, c, c_data);
      });
}

template <typename Call>
cudnnStatus scale(const Call& call, cudnnHandle_t handle, Tensor y, Out y_data, In alpha) {
  return print_described(
      call, handle,
      [&](CallOutputs& outputs) {
        add_written(call.hook(), outputs, {y, y_data}, alpha, nullptr);
        add_read(call.hook(), outputs, {y, y_data}); // written over: hashed before the call
      },
      [&] { return call.real(handle, y, y_data, alpha); });
}

template <typename Call>
cudnnStatus fill(const Call& call, cudnnHandle_t handle, Tensor y, Out y_data, In value) {
  return print_described(
      call, handle,
      [&](CallOutputs& outputs) {
        add_written(call.hook(), outputs, {y, y_data}, nullptr, nullptr);
        add_element(call.hook(), outputs, y, value);
      },
      [&] { return call.real(handle, y, y_data, value); });
}

using OnTensor = OutermostCall<cudnnStatus(cudnnHandle_t handle, In alpha, Tensor a, In a_data, In beta,
                                           Tensor c, Out c_data)>;
using Combine =
    OutermostCall<cudnnStatus(cudnnHandle_t handle, cudnnOpTensorDescriptor_t operation, In alpha_a, Tensor a,
                              In a_data, In alpha_b, Tensor b, In b_data, In beta, Tensor c, Out c_data)>;
using Reduce = OutermostCall<cudnnStatus(
    cudnnHandle_t handle, cudnnReduceTensorDescriptor_t reduction, Out indices, size_t indices_size,
    Out workspace, size_t workspace_size, In alpha, Tensor a, In a_data, In beta, Tensor c, Out c_data)>;
using OnOneTensor = OutermostCall<cudnnStatus(cudnnHandle_t handle, Tensor y, Out y_data, In number)>;

// ---- A convolution with what is added to it, and an activation ----

template <typename Call>
cudnnStatus convolve_and_activate(const Call& call, cudnnHandle_t handle, In alpha, Tensor x, In x_data,
                                  Filter w, In w_data, cudnnConvolutionDescriptor_t convolution,
                                  int algorithm, Out workspace, size_t workspace_size, In alpha_z, Tensor z,
                                  In z_data, Tensor bias, In bias_data,
                                  cudnnActivationDescriptor_t activation, Tensor y, Out y_data) {
  return print_described(
      call, handle,
      [&](CallOutputs& outputs) {
        const Hook& hook = call.hook();
        outputs.add_shape("algo", static_cast<uint64_t>(algorithm));
        add_written(hook, outputs, {y, y_data}, alpha, nullptr);
        if (y_data == nullptr) outputs.leave_outputs(Reason::address_unknown);
        for (const LayerTensor& input : {LayerTensor{x, x_data}, {w, w_data}, {bias, bias_data}})
          add_read(hook, outputs, input);
        // By 0 it is not read.
        if (add_scale(hook, outputs, y, alpha_z)) add_read(hook, outputs, {z, z_data});
        add_settings(hook, outputs, convolution);
        add_settings(hook, outputs, activation);
      },
      [&] {
        return call.real(handle, alpha, x, x_data, w, w_data, convolution, algorithm, workspace,
                         workspace_size, alpha_z, z, z_data, bias, bias_data, activation, y, y_data);
      });
}

using ConvolveAndActivate = OutermostCall<cudnnStatus(
    cudnnHandle_t handle, In alpha, Tensor x, In x_data, cudnnFilterDescriptor_t w, In w_data,
    cudnnConvolutionDescriptor_t convolution, int algorithm, Out workspace, size_t workspace_size, In alpha_z,
    Tensor z, In z_data, Tensor bias, In bias_data, cudnnActivationDescriptor_t activation, Tensor y,
    Out y_data)>;

// ---- A convolution's data in another order ----

/// The matrix that a convolution multiplies by its filter: a row for each place of the result, a column for
/// each element of the filter. Without width where that is not told, and of a convolution in groups.
HashedArea columns_at(const Hook& hook, Tensor x, Filter w, cudnnConvolutionDescriptor_t convolution,
                      const void* data) {
  using Get = cudnnStatus(Tensor, int, int*, int*, int*, int*);
  using GetFilter = cudnnStatus(Filter, int, int*, int*, int*, int*);
  using GetResult = cudnnStatus(cudnnConvolutionDescriptor_t, Tensor, Filter, int, int*);
  auto* const get = find_in_cudnn<Get>(hook, "cudnnGetTensorNdDescriptor");
  auto* const get_filter = find_in_cudnn<GetFilter>(hook, "cudnnGetFilterNdDescriptor");
  auto* const get_result = find_in_cudnn<GetResult>(hook, "cudnnGetConvolutionNdForwardOutputDim");
  constexpr int most = 8; // CUDNN_DIM_MAX
  constexpr auto success = cudnnStatus::success;
  int type = -1, type_of_filter = -1, format = 0, count = 0, count_of_filter = 0;
  int sizes[most], strides[most], filter[most], result[most];
  if (get == nullptr || get_filter == nullptr || get_result == nullptr ||
      get(x, most, &type, &count, sizes, strides) != success || count < 2 || count > most ||
      get_filter(w, most, &type_of_filter, &format, &count_of_filter, filter) != success ||
      count_of_filter != count || sizes[1] != filter[1] ||
      get_result(convolution, x, w, count, result) != success)
    return {};
  uint64_t elements = static_cast<uint64_t>(result[0]) * static_cast<uint64_t>(filter[1]);
  for (int i = 2; i < count; ++i)
    elements *= static_cast<uint64_t>(result[i]) * static_cast<uint64_t>(filter[i]);
  return bytes_at(data, elements * size_of_cudnn_type(type));
}

template <typename Call>
cudnnStatus make_columns(const Call& call, cudnnHandle_t handle, Tensor x, In x_data, Filter w,
                         cudnnConvolutionDescriptor_t convolution, Out columns) {
  return print_described(
      call, handle,
      [&](CallOutputs& outputs) {
        const HashedArea area = columns_at(call.hook(), x, w, convolution, columns);
        add_read(call.hook(), outputs, {x, x_data});
        add_settings(call.hook(), outputs, convolution);
        if (area.width == 0) outputs.leave_outputs(Reason::layout_unknown);
        outputs.add_output(area);
      },
      [&] { return call.real(handle, x, x_data, w, convolution, columns); });
}

/// The biases of a convolution that is done in such an order are of type float, one for each of its filters.
HashedArea biases_at(const Hook& hook, Filter w, const void* data) {
  using Get = cudnnStatus(Filter, int, int*, int*, int*, int*);
  auto* const get = find_in_cudnn<Get>(hook, "cudnnGetFilterNdDescriptor");
  constexpr int most = 8; // CUDNN_DIM_MAX
  int type = -1, format = 0, count = 0, sizes[most];
  if (get == nullptr || get(w, most, &type, &format, &count, sizes) != cudnnStatus::success) return {};
  return bytes_at(data, static_cast<uint64_t>(sizes[0]) * sizeof(float));
}

template <typename Call>
cudnnStatus reorder(const Call& call, cudnnHandle_t handle, Filter w, int order, In w_data, Out reordered,
                    int is_for_bias, In bias, Out reordered_bias) {
  return print_described(
      call, handle,
      [&](CallOutputs& outputs) {
        outputs.add_shape("order", static_cast<uint64_t>(order));
        add_written(call.hook(), outputs, {w, reordered}, nullptr, nullptr);
        add_read(call.hook(), outputs, {w, w_data});
        if (is_for_bias <= 0) return;
        const HashedArea area = biases_at(call.hook(), w, reordered_bias);
        if (area.width == 0) return outputs.leave_outputs(Reason::size_unknown);
        outputs.add_input(bytes_at(bias, area.width));
        outputs.add_output(area);
      },
      [&] { return call.real(handle, w, order, w_data, reordered, is_for_bias, bias, reordered_bias); });
}

using MakeColumns = OutermostCall<cudnnStatus(cudnnHandle_t handle, Tensor x, In x_data, Filter w,
                                              cudnnConvolutionDescriptor_t convolution, Out columns)>;
using Reorder = OutermostCall<cudnnStatus(cudnnHandle_t handle, Filter w, int order, In w_data, Out reordered,
                                          int is_for_bias, In bias, Out reordered_bias)>;

// ---- Dropout backward ----

template <typename Call>
cudnnStatus drop_backward(const Call& call, cudnnHandle_t handle, cudnnDropoutDescriptor_t dropout, Tensor dy,
                          In dy_data, Tensor dx, Out dx_data, Out reserve, size_t reserve_size) {
  return print_described(
      call, handle,
      [&](CallOutputs& outputs) {
        add_written(call.hook(), outputs, {dx, dx_data}, nullptr, nullptr);
        add_read(call.hook(), outputs, {dy, dy_data});
        outputs.add_changed(bytes_at(reserve, reserve_size)); // which elements the forward pass dropped
        add_settings(call.hook(), outputs, handle, dropout, false);
      },
      [&] { return call.real(handle, dropout, dy, dy_data, dx, dx_data, reserve, reserve_size); });
}

using DropBackward =
    OutermostCall<cudnnStatus(cudnnHandle_t handle, cudnnDropoutDescriptor_t dropout, Tensor dy, In dy_data,
                              Tensor dx, Out dx_data, Out reserve, size_t reserve_size)>;

constexpr Description hashed = {
    .action = Action::none,
    .summary = "Hashes what goes in and what comes out on the GPU, if DETSHIM_FINGERPRINT=calls asks for it.",
};

using PoolForward = Forward<cudnnPoolingDescriptor_t>;
using PoolBackward = Backward<cudnnPoolingDescriptor_t>;
using ActivateForward = Forward<cudnnActivationDescriptor_t>;
using ActivateBackward = Backward<cudnnActivationDescriptor_t>;
using TransformTensor = Forward<cudnnTensorTransformDescriptor_t>;
using TransformFilter = Forward<cudnnTensorTransformDescriptor_t, Filter>;

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_TEMPLATE_HOOK(cudnn, ActivateForward, cudnnActivationForward, run_forward, hashed);
DETSHIM_TEMPLATE_HOOK(cudnn, ActivateBackward, cudnnActivationBackward, run_backward, hashed);
DETSHIM_TEMPLATE_HOOK(cudnn, PoolForward, cudnnPoolingForward, run_forward, hashed);
DETSHIM_TEMPLATE_HOOK(cudnn, PoolBackward, cudnnPoolingBackward, run_backward, hashed);
DETSHIM_TEMPLATE_HOOK(cudnn, NormalizeForward, cudnnLRNCrossChannelForward, normalize_forward, hashed);
DETSHIM_TEMPLATE_HOOK(cudnn, NormalizeBackward, cudnnLRNCrossChannelBackward, normalize_backward, hashed);
DETSHIM_TEMPLATE_HOOK(cudnn, DivideForward, cudnnDivisiveNormalizationForward, divide_forward, hashed);
DETSHIM_TEMPLATE_HOOK(cudnn, DivideBackward, cudnnDivisiveNormalizationBackward, divide_backward, hashed);
DETSHIM_TEMPLATE_HOOK(cudnn, SoftenForward, cudnnSoftmaxForward, soften_forward, hashed);
DETSHIM_TEMPLATE_HOOK(cudnn, SoftenBackward, cudnnSoftmaxBackward, soften_backward, hashed);
DETSHIM_TEMPLATE_HOOK(cudnn, OnTensor, cudnnAddTensor, run_on_tensor, hashed);
DETSHIM_TEMPLATE_HOOK(cudnn, OnTensor, cudnnTransformTensor, run_on_tensor, hashed);
DETSHIM_TEMPLATE_HOOK(cudnn, TransformTensor, cudnnTransformTensorEx, run_forward, hashed);
DETSHIM_TEMPLATE_HOOK(cudnn, TransformFilter, cudnnTransformFilter, run_forward, hashed);
DETSHIM_TEMPLATE_HOOK(cudnn, OnTensor, cudnnConvolutionBackwardBias, run_on_tensor, hashed);
DETSHIM_TEMPLATE_HOOK(cudnn, Combine, cudnnOpTensor, combine, hashed);
DETSHIM_TEMPLATE_HOOK(cudnn, Reduce, cudnnReduceTensor, reduce, hashed);
DETSHIM_TEMPLATE_HOOK(cudnn, OnOneTensor, cudnnScaleTensor, scale, hashed);
DETSHIM_TEMPLATE_HOOK(cudnn, OnOneTensor, cudnnSetTensor, fill, hashed);
DETSHIM_TEMPLATE_HOOK(cudnn, ConvolveAndActivate, cudnnConvolutionBiasActivationForward,
                      convolve_and_activate, hashed);
DETSHIM_TEMPLATE_HOOK(cudnn, MakeColumns, cudnnIm2Col, make_columns, hashed);
DETSHIM_TEMPLATE_HOOK(cudnn, Reorder, cudnnReorderFilterAndBias, reorder, hashed);
DETSHIM_TEMPLATE_HOOK(cudnn, DropBackward, cudnnDropoutBackward, drop_backward, hashed);
