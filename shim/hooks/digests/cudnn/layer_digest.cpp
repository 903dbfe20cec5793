#include "hooks/digests/cudnn/layer_digest.h"

namespace detshim {

using namespace abi;

LayerDigest::Place LayerDigest::place_of(const LayerTensor& of) {
  if (of.tensor == nullptr) {
    size_t size = 0;
    CudnnFilter filter;
    if (of.filter == nullptr ||
        ask_cudnn(hook, "cudnnGetFilterSizeInBytes", of.filter, &size) != cudnnStatus::success)
      return {};
    read_descriptor(hook, of.filter, filter);
    call.add_sizes("w", filter.sizes, filter.count);
    return {bytes_at(of.data, size), filter.type == cudnn_type_of_double};
  }
  CudnnTensor tensor;
  if (!read_descriptor(hook, of.tensor, tensor) || size_of_cudnn_type(tensor.type) == 0) return {};
  int64_t sizes[cudnn_dimensions], strides[cudnn_dimensions];
  for (int i = 0; i < tensor.count; ++i) sizes[i] = tensor.sizes[i], strides[i] = tensor.strides[i];
  call.add_sizes("t", tensor.sizes, tensor.count);
  return {tensor_at(of.data, size_of_cudnn_type(tensor.type), tensor.count, sizes, strides),
          tensor.type == cudnn_type_of_double};
}

void LayerDigest::read(const LayerTensor& tensor) {
  if (tensor.data == nullptr) return;
  const HashedArea area = place_of(tensor).area;
  if (area.width == 0) call.leave_inputs();
  call.add_input(area);
}

void LayerDigest::may_read(const LayerTensor& tensor) {
  if (tensor.data == nullptr) return;
  const HashedArea area = place_of(tensor).area;
  if (area.width == 0) call.leave_inputs();
  call.add_changed(area);
}

void LayerDigest::write(const LayerTensor& tensor, const void* alpha, const void* beta) {
  if (tensor.data == nullptr) return;
  const auto [area, is_double] = place_of(tensor);
  const size_t size = is_double ? sizeof(double) : sizeof(float); // of the factors
  call.add_number(alpha, size);
  call.add_number(beta, size);
  if (beta != nullptr && !is_zero(beta, size)) call.add_changed(area);
  if (area.width == 0) call.leave_outputs(Reason::layout_unknown);
  call.add_output(area);
}

bool LayerDigest::scale(cudnnTensorDescriptor_t result, const void* factor) {
  CudnnTensor tensor;
  const bool is_double = read_descriptor(hook, result, tensor) && tensor.type == cudnn_type_of_double;
  const size_t size = is_double ? sizeof(double) : sizeof(float);
  call.add_number(factor, size);
  return factor != nullptr && !is_zero(factor, size);
}

void LayerDigest::settings(cudnnConvolutionDescriptor_t descriptor) {
  CudnnConvolution convolution;
  if (!read_descriptor(hook, descriptor, convolution)) return call.leave_inputs();
  call.add_number(&convolution, sizeof convolution);
}

void LayerDigest::settings(cudnnActivationDescriptor_t activation) {
  int mode = 0, nan_propagation = 0;
  double coefficient = 0, beta = 0;
  constexpr int swish = 6; // CUDNN_ACTIVATION_SWISH
  if (add_answer("cudnnGetActivationDescriptor", activation, mode, nan_propagation, coefficient) &&
      mode == swish)
    add_answer("cudnnGetActivationDescriptorSwishBeta", activation, beta);
}

} // namespace detshim
