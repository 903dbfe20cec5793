// What a double of libcudnn.so.8 has besides: the networks of cuDNN 7 and 8, and what describes them.
#include "compute.h"

namespace {

const Opaque stream = reinterpret_cast<Opaque>(64);

Result dense(Opaque descriptor, void* data) {
  size_t bytes = 4;
  for (const int one : static_cast<const Tensor*>(descriptor)->sizes) bytes *= static_cast<size_t>(one);
  return {data, bytes};
}
/// Of steps, which lie behind each other.
Result dense(int count, const Opaque* tensors, void* data) {
  Result all{data, 0};
  for (int i = 0; i < count; ++i) all.width += dense(tensors[i], nullptr).width;
  return all;
}
Result sequences(Opaque descriptor, void* data) {
  const auto& of = *static_cast<const Sequences*>(descriptor);
  return {data, static_cast<size_t>((of.lengths[0] + of.lengths[1]) * of.width) * 4};
}

/// Two results of one input.
int leave(const std::string& name, const void* from, const Result& first, const Result& second) {
  if (const int status = compute((name + ", before").c_str(), stream, from, first)) return status;
  return compute(name.c_str(), stream, from, second);
}

} // namespace

extern "C" {

int cudnnGetRNNDescriptor_v6(Opaque, Opaque descriptor, int* hidden_size, int* layers, Opaque* dropout,
                             int* input, int* direction, int* cell, int* algorithm, int* precision) {
  const auto& of = *static_cast<const Settings*>(descriptor);
  *hidden_size = of.numbers[0], *layers = of.numbers[1], *dropout = of.dropout;
  return *input = *direction = *cell = *algorithm = *precision = 0;
}
int cudnnRNNGetClip(Opaque, Opaque descriptor, int* clip, int* nan, double* low, double* high) {
  return *clip = *nan = 0, *low = *high = static_cast<const Settings*>(descriptor)->scale, 0;
}
int cudnnGetRNNPaddingMode(Opaque descriptor, unsigned* mode) {
  return *mode = static_cast<unsigned>(static_cast<const Settings*>(descriptor)->numbers[2]), 0;
}
int cudnnGetRNNProjectionLayers(Opaque, Opaque descriptor, int* recurrent, int* output) {
  return *recurrent = static_cast<const Settings*>(descriptor)->numbers[3], *output = 0;
}

int cudnnRNNForwardInference(Opaque, Opaque, int length, const Opaque*, const void* x, Opaque, const void*,
                             Opaque, const void*, Opaque, const void*, const Opaque* y, void* y_data,
                             Opaque hy, void* hy_data, Opaque, void*, void*, size_t) {
  return leave("cudnnRNNForwardInference", x, dense(length, y, y_data), dense(hy, hy_data));
}
int cudnnRNNForwardTraining(Opaque, Opaque, int length, const Opaque*, const void* x, Opaque, const void*,
                            Opaque, const void*, Opaque, const void*, const Opaque* y, void* y_data,
                            Opaque hy, void* hy_data, Opaque, void*, void*, size_t, void*, size_t) {
  return leave("cudnnRNNForwardTraining", x, dense(length, y, y_data), dense(hy, hy_data));
}
int cudnnRNNBackwardData(Opaque, Opaque, int length, const Opaque*, const void*, const Opaque*,
                         const void* dy, Opaque, const void*, Opaque, const void*, Opaque, const void*,
                         Opaque, const void*, Opaque, const void*, const Opaque* dx, void* dx_data,
                         Opaque dhx, void* dhx_data, Opaque, void*, void*, size_t, void*, size_t) {
  return leave("cudnnRNNBackwardData", dy, dense(length, dx, dx_data), dense(dhx, dhx_data));
}
int cudnnRNNBackwardWeights(Opaque, Opaque, int, const Opaque*, const void* x, Opaque, const void*,
                            const Opaque*, const void*, const void*, size_t, Opaque dw, void* dw_data,
                            const void*, size_t) {
  return compute("cudnnRNNBackwardWeights", stream, x, dense(dw, dw_data));
}

int cudnnRNNForwardInferenceEx(Opaque, Opaque, Opaque, const void* x, Opaque, const void*, Opaque,
                               const void*, Opaque, const void*, Opaque y, void* y_data, Opaque hy,
                               void* hy_data, Opaque, void*, Opaque, const void*, Opaque, void*, Opaque,
                               void*, Opaque, void*, void*, size_t) {
  return leave("cudnnRNNForwardInferenceEx", x, sequences(y, y_data), dense(hy, hy_data));
}
int cudnnRNNForwardTrainingEx(Opaque, Opaque, Opaque, const void* x, Opaque, const void*, Opaque, const void*,
                              Opaque, const void*, Opaque y, void* y_data, Opaque hy, void* hy_data, Opaque,
                              void*, Opaque, const void*, Opaque, void*, Opaque, void*, Opaque, void*, void*,
                              size_t, void*, size_t) {
  return leave("cudnnRNNForwardTrainingEx", x, sequences(y, y_data), dense(hy, hy_data));
}
int cudnnRNNBackwardDataEx(Opaque, Opaque, Opaque, const void*, Opaque, const void* dy, Opaque, const void*,
                           Opaque, const void*, Opaque, const void*, Opaque, const void*, Opaque, const void*,
                           Opaque, const void*, Opaque dx, void* dx_data, Opaque dhx, void* dhx_data, Opaque,
                           void*, Opaque, void*, void*, size_t, void*, size_t) {
  return leave("cudnnRNNBackwardDataEx", dy, sequences(dx, dx_data), dense(dhx, dhx_data));
}
int cudnnRNNBackwardWeightsEx(Opaque, Opaque, Opaque, const void* x, Opaque, const void*, Opaque, const void*,
                              void*, size_t, Opaque dw, void* dw_data, void*, size_t) {
  return compute("cudnnRNNBackwardWeightsEx", stream, x, dense(dw, dw_data));
}

} // extern "C"
