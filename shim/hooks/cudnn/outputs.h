// What cuDNN's layers read and write, for DETSHIM_FINGERPRINT=calls: as the descriptors of their tensors say.
#pragma once

#include "hooks/cuda/outputs.h"
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

/// What a layer reads. Nothing where there is no data.
void add_read(const Hook& hook, CallOutputs& outputs, const LayerTensor& tensor);
/// What it writes, alpha times the result added to beta times what was there; null for both where it has
/// none. Nothing where there is no data.
void add_written(const Hook& hook, CallOutputs& outputs, const LayerTensor& tensor, const void* alpha,
                 const void* beta);
/// A layer with one result.
void add_layer(const Hook& hook, CallOutputs& outputs, std::initializer_list<LayerTensor> inputs,
               const void* alpha, const void* beta, const LayerTensor& result);

/// Makes the call by run(), hashed if that is wanted: alpha times the result is added to beta times what was
/// there.
template <typename Call, typename Run>
abi::cudnnStatus print_layer(const Call& call, abi::cudnnHandle_t handle,
                             std::initializer_list<LayerTensor> inputs, const void* alpha, const void* beta,
                             const LayerTensor& result, Run run) {
  return print_outputs(
      call,
      [&](CallOutputs& outputs) {
        outputs.set_stream(stream_of(call, handle));
        add_layer(call.hook(), outputs, inputs, alpha, beta, result);
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
