// What cuDNN's layers read and write, for DETSHIM_FINGERPRINT=calls: as the descriptors of their tensors say.
#pragma once

#include "hooks/cuda/outputs.h"
#include "hooks/cudnn/settings.h"
#include "hooks/cudnn/stream.h"

#include <initializer_list>

namespace detshim {

/// Bytes of an element of cudnnDataType_t; 0 for vectors of elements, those below a byte and what is not
/// known. CUDNN_DATA_BOOLEAN has eight in a byte.
uint64_t size_of_cudnn_type(int type);

/// A tensor or a filter with its data.
struct LayerTensor {
  LayerTensor(abi::cudnnTensorDescriptor_t of, const void* at) : tensor(of), data(at) {}
  LayerTensor(abi::cudnnFilterDescriptor_t of, const void* at) : filter(of), data(at) {}

  abi::cudnnTensorDescriptor_t tensor = nullptr;
  abi::cudnnFilterDescriptor_t filter = nullptr;
  const void* data;
};

/// cudnnDataType_t of a tensor; -1 where the library does not tell.
int type_of(const Hook& hook, abi::cudnnTensorDescriptor_t tensor);

/// What a layer reads. Nothing where there is no data.
void add_read(const Hook& hook, CallOutputs& outputs, const LayerTensor& tensor);
/// What it may read: hashed before the call, if it lies within one allocation. Of what a mode does not need,
/// programs hand over an address of nothing.
void add_perhaps_read(const Hook& hook, CallOutputs& outputs, const LayerTensor& tensor);
/// What it writes, alpha times the result added to beta times what was there; null for both where it has
/// none. Nothing where there is no data.
void add_written(const Hook& hook, CallOutputs& outputs, const LayerTensor& tensor, const void* alpha,
                 const void* beta);
/// A further factor: of type double where the result is, else float. True if it is not 0.
bool add_scale(const Hook& hook, CallOutputs& outputs, abi::cudnnTensorDescriptor_t result,
               const void* scale);
/// A number of the tensor's own type.
void add_element(const Hook& hook, CallOutputs& outputs, abi::cudnnTensorDescriptor_t tensor,
                 const void* value);
/// A layer with one result.
void add_layer(const Hook& hook, CallOutputs& outputs, std::initializer_list<LayerTensor> inputs,
               const void* alpha, const void* beta, const LayerTensor& result);

/// Makes the call by run(), with what `describe(outputs)` adds hashed if that is wanted.
template <typename Call, typename Describe, typename Run>
abi::cudnnStatus print_described(const Call& call, abi::cudnnHandle_t handle, Describe describe, Run run) {
  return print_outputs(
      call,
      [&](CallOutputs& outputs) {
        record_cudnn_once(call);
        outputs.set_stream(stream_of(call, handle));
        describe(outputs);
      },
      run);
}

/// The same for a layer: alpha times the result is added to beta times what was there.
template <typename Call, typename Run>
abi::cudnnStatus print_layer(const Call& call, abi::cudnnHandle_t handle,
                             std::initializer_list<LayerTensor> inputs, const void* alpha, const void* beta,
                             const LayerTensor& result, Run run) {
  return print_described(
      call, handle,
      [&](CallOutputs& outputs) { add_layer(call.hook(), outputs, inputs, alpha, beta, result); }, run);
}

/// A convolution: what its descriptor says goes in, and its algorithm is part of what it is.
template <typename Call, typename Run>
abi::cudnnStatus print_convolution(const Call& call, abi::cudnnHandle_t handle,
                                   abi::cudnnConvolutionDescriptor_t convolution, int algorithm,
                                   std::initializer_list<LayerTensor> inputs, const void* alpha,
                                   const void* beta, const LayerTensor& result, Run run) {
  return print_described(
      call, handle,
      [&](CallOutputs& outputs) {
        outputs.add_shape("algo", static_cast<uint64_t>(algorithm));
        add_layer(call.hook(), outputs, inputs, alpha, beta, result);
        add_settings(call.hook(), outputs, convolution);
      },
      run);
}

/// A plan of the graph interface: what its graph was made of, with the data of the variant pack.
void add_plan(CallOutputs& outputs, const void* plan, const void* variant_pack);

template <typename Call, typename Run>
abi::cudnnStatus print_plan(const Call& call, abi::cudnnHandle_t handle, const void* plan,
                            const void* variant_pack, Run run) {
  return print_outputs(
      call,
      [&](CallOutputs& outputs) {
        outputs.set_stream(stream_of(call, handle));
        add_plan(outputs, plan, variant_pack);
      },
      run);
}

} // namespace detshim
