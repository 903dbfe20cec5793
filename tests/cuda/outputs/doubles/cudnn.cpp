// A double of libcudnn.so.9: its descriptors are the program's own structures.
#include "compute.h"

#include <dlfcn.h>
#include <map>
#include <vector>

namespace {

const Settings& settings(Opaque descriptor) { return *static_cast<const Settings*>(descriptor); }
const Tensor& tensor(Opaque descriptor) { return *static_cast<const Tensor*>(descriptor); }
const Opaque stream = reinterpret_cast<Opaque>(64);

constexpr int plan_type = 5;        // CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR
constexpr int workspace_size = 402; // CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE

uintptr_t made = 1;
std::map<Opaque, int> types;
struct Written {
  const void* input;
  Result result;
};
std::vector<Written> written; // by the next plan that runs

template <typename Function>
Function* real_function(const char* name) {
  static void* const library = [] {
    const char* const path = std::getenv("DOUBLE_CUDNN");
    return path != nullptr ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : nullptr;
  }();
  return library != nullptr ? reinterpret_cast<Function*>(dlsym(library, name)) : nullptr;
}

/// The real library's getters, if DOUBLE_CUDNN_SETTINGS names it: the program has made its descriptors there.
template <typename Function>
Function* real_getter(const char* name) {
  static void* const library = [] {
    const char* const path = std::getenv("DOUBLE_CUDNN_SETTINGS");
    return path != nullptr ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : nullptr;
  }();
  return library != nullptr ? reinterpret_cast<Function*>(dlsym(library, name)) : nullptr;
}
#define ASK_REAL(name, ...)                                                                                  \
  if (auto* const real = real_getter<decltype(name)>(#name)) return real(__VA_ARGS__)

int convolve(const char* name, const void* from, Opaque to, void* data) {
  const Tensor& of = tensor(to); // its last dimension is dense
  return compute(name, stream, from,
                 {data, static_cast<size_t>(of.sizes[3]) * 4,
                  static_cast<size_t>(of.sizes[0] * of.sizes[1] * of.sizes[2]),
                  static_cast<size_t>(of.strides[2]) * 4});
}

/// A reserved space of the forward pass's: what it leaves there follows from its input.
int fill_reserve(const char* before, const void* from, void* reserve, size_t size) {
  return size == 0 ? 0 : compute(before, stream, from, {reserve, size});
}

} // namespace

extern "C" {

#if DETSHIM_TEST_CUDNN_8
size_t cudnnGetVersion() { return 8907; }
#else
size_t cudnnGetVersion() { return 91900; }
#endif
int cudnnGetStream(Opaque, Opaque* of) { return *of = stream, 0; }
int cudnnGetTensorNdDescriptor(Opaque descriptor, int, int* type, int* count, int* sizes, int* strides) {
  for (int i = 0; i < 4; ++i)
    sizes[i] = tensor(descriptor).sizes[i], strides[i] = tensor(descriptor).strides[i];
  return *type = 0, *count = 4, 0;
}
int cudnnGetFilterNdDescriptor(Opaque descriptor, int, int* type, int* format, int* count, int* sizes) {
  for (int i = 0; i < 4; ++i) sizes[i] = tensor(descriptor).sizes[i];
  return *type = *format = 0, *count = 4, 0;
}
int cudnnGetFilterSizeInBytes(Opaque descriptor, size_t* size) {
  *size = 4;
  for (const int one : tensor(descriptor).sizes) *size *= static_cast<size_t>(one);
  return 0;
}
int cudnnConvolutionForward(Opaque, const void*, Opaque, const void* x, Opaque, const void*, Opaque, int,
                            void*, size_t, const void*, Opaque y, void* y_data) {
  return convolve("cudnnConvolutionForward", x, y, y_data);
}
int cudnnConvolutionBackwardData(Opaque, const void*, Opaque, const void* w, Opaque, const void*, Opaque, int,
                                 void*, size_t, const void*, Opaque dx, void* dx_data) {
  return convolve("cudnnConvolutionBackwardData", w, dx, dx_data);
}
int cudnnConvolutionBackwardFilter(Opaque, const void*, Opaque, const void* x, Opaque, const void*, Opaque,
                                   int, void*, size_t, const void*, Opaque dw, void* dw_data) {
  size_t size;
  cudnnGetFilterSizeInBytes(dw, &size);
  return compute("cudnnConvolutionBackwardFilter", stream, x, {dw_data, size});
}

int cudnnBatchNormalizationForwardTraining(Opaque, int, const void*, const void*, Opaque, const void* x,
                                           Opaque y, void* y_data, Opaque parameters, const void*,
                                           const void*, double, void* mean, void* variance, double,
                                           void* saved_mean, void* saved_variance) {
  constexpr const char* before = "cudnnBatchNormalizationForwardTraining, before";
  for (void* const statistic : {mean, variance, saved_mean})
    if (const int status = convolve(before, x, parameters, statistic); status != 0) return status;
  if (const int status = convolve(before, x, y, y_data); status != 0) return status;
  return convolve("cudnnBatchNormalizationForwardTraining", x, parameters, saved_variance);
}
int cudnnBatchNormalizationBackwardEx(Opaque, int, int, const void*, const void*, const void*, const void*,
                                      Opaque, const void* x, Opaque, const void*, Opaque, const void*, Opaque,
                                      void*, Opaque dx, void* dx_data, Opaque parameters, const void*,
                                      const void*, void* d_scale, void* d_bias, double, const void*,
                                      const void*, Opaque, void*, size_t, void*, size_t) {
  constexpr const char* before = "cudnnBatchNormalizationBackwardEx, before";
  if (const int status = convolve(before, x, dx, dx_data); status != 0) return status;
  if (const int status = convolve(before, x, parameters, d_scale); status != 0) return status;
  return convolve("cudnnBatchNormalizationBackwardEx", x, parameters, d_bias);
}
int cudnnNormalizationForwardInference(Opaque, int, int, int, const void*, const void*, Opaque, const void* x,
                                       Opaque, const void*, const void*, Opaque, const void*, const void*,
                                       Opaque, const void*, Opaque, Opaque y, void* y_data, double, int) {
  return convolve("cudnnNormalizationForwardInference", x, y, y_data);
}

int cudnnGetRNNDataDescriptor(Opaque descriptor, int* type, int* layout, int* longest, int* batch, int* width,
                              int requested, int* lengths, void*) {
  const auto& of = *static_cast<const Sequences*>(descriptor);
  *type = 0, *layout = of.layout, *longest = of.longest, *batch = 2, *width = of.width;
  for (int i = 0; i < requested && i < 2; ++i) lengths[i] = of.lengths[i];
  return 0;
}
int cudnnRNNForward(Opaque, Opaque, int, const int32_t*, Opaque, const void* x, Opaque y, void* y_data,
                    Opaque h, const void*, void* hy, Opaque, const void*, void*, size_t, const void*, size_t,
                    void*, size_t, void*) {
  const auto& of = *static_cast<const Sequences*>(y);
  const size_t rows = static_cast<size_t>(of.lengths[0] + of.lengths[1]);
  if (const int status =
          compute("cudnnRNNForward, before", stream, x, {y_data, rows * static_cast<size_t>(of.width) * 4}))
    return status;
  return convolve("cudnnRNNForward", x, h, hy);
}
int cudnnRNNBackwardWeights_v8(Opaque, Opaque, int, const int32_t*, Opaque, const void* x, Opaque,
                               const void*, Opaque, const void*, size_t size, void* dweights, size_t, void*,
                               size_t, void*) {
  return compute("cudnnRNNBackwardWeights_v8", stream, x, {dweights, size});
}

int cudnnRNNBackwardData_v8(Opaque, Opaque, const int32_t*, Opaque, const void*, const void* dy, Opaque x,
                            void* dx, Opaque h, const void*, const void*, void* dhx, Opaque, const void*,
                            const void*, void*, size_t, const void*, size_t, void*, size_t, void*) {
  const auto& of = *static_cast<const Sequences*>(x);
  const size_t rows = static_cast<size_t>(of.lengths[0] + of.lengths[1]);
  if (const int status = compute("cudnnRNNBackwardData_v8, before", stream, dy,
                                 {dx, rows * static_cast<size_t>(of.width) * 4}))
    return status;
  return convolve("cudnnRNNBackwardData_v8", dy, h, dhx);
}

// Descriptors are Settings: each getter gives its numbers in turn.
int cudnnGetConvolutionNdDescriptor(Opaque descriptor, int room, int* count, int* pads, int* strides,
                                    int* dilations, int* mode, int* type) {
  ASK_REAL(cudnnGetConvolutionNdDescriptor, descriptor, room, count, pads, strides, dilations, mode, type);

  if (room > 6 || misbehaves("settings are not told")) return 3000;
  for (int i = 0; i < 2; ++i) {
    pads[i] = settings(descriptor).numbers[0];
    strides[i] = settings(descriptor).numbers[1];
    dilations[i] = settings(descriptor).numbers[2];
  }
  *mode = settings(descriptor).numbers[3];
  return *type = 0, *count = 2, 0;
}
int cudnnGetConvolutionMathType(Opaque descriptor, int* type) {
  ASK_REAL(cudnnGetConvolutionMathType, descriptor, type);

  return *type = settings(descriptor).numbers[4], 0;
}
int cudnnGetConvolutionGroupCount(Opaque descriptor, int* count) {
  ASK_REAL(cudnnGetConvolutionGroupCount, descriptor, count);

  return *count = settings(descriptor).numbers[5], 0;
}
int cudnnGetActivationDescriptor(Opaque descriptor, int* mode, int* nan, double* coefficient) {
  ASK_REAL(cudnnGetActivationDescriptor, descriptor, mode, nan, coefficient);

  *mode = settings(descriptor).numbers[0];
  return *nan = 0, *coefficient = settings(descriptor).scale, 0;
}
int cudnnGetActivationDescriptorSwishBeta(Opaque descriptor, double* beta) {
  ASK_REAL(cudnnGetActivationDescriptorSwishBeta, descriptor, beta);

  return *beta = settings(descriptor).numbers[1], 0;
}
int cudnnGetPoolingNdDescriptor(Opaque descriptor, int room, int* mode, int* nan, int* count, int* window,
                                int* padding, int* stride) {
  ASK_REAL(cudnnGetPoolingNdDescriptor, descriptor, room, mode, nan, count, window, padding, stride);

  if (room > 6) return 3000;
  for (int i = 0; i < 2; ++i) {
    window[i] = settings(descriptor).numbers[1];
    padding[i] = settings(descriptor).numbers[2];
    stride[i] = settings(descriptor).numbers[3];
  }
  return *mode = settings(descriptor).numbers[0], *nan = 0, *count = 2, 0;
}
int cudnnGetLRNDescriptor(Opaque descriptor, unsigned* width, double* alpha, double* beta, double* k) {
  ASK_REAL(cudnnGetLRNDescriptor, descriptor, width, alpha, beta, k);

  *width = static_cast<unsigned>(settings(descriptor).numbers[0]);
  return *alpha = settings(descriptor).scale, *beta = 0.75, *k = 2, 0;
}
int cudnnGetOpTensorDescriptor(Opaque descriptor, int* what, int* type, int* nan) {
  ASK_REAL(cudnnGetOpTensorDescriptor, descriptor, what, type, nan);

  return *what = settings(descriptor).numbers[0], *type = 0, *nan = 0, 0;
}
int cudnnGetReduceTensorDescriptor(Opaque descriptor, int* what, int* type, int* nan, int* indices,
                                   int* type_of_indices) {
  ASK_REAL(cudnnGetReduceTensorDescriptor, descriptor, what, type, nan, indices, type_of_indices);

  *what = settings(descriptor).numbers[0], *indices = settings(descriptor).numbers[1];
  return *type = *nan = *type_of_indices = 0, 0;
}
int cudnnGetTensorTransformDescriptor(Opaque descriptor, uint32_t room, int* format, int32_t* padded_before,
                                      int32_t* padded_after, uint32_t* fold, int* direction) {
  ASK_REAL(cudnnGetTensorTransformDescriptor, descriptor, room, format, padded_before, padded_after, fold,
           direction);

  for (uint32_t i = 0; i < room; ++i) padded_before[i] = settings(descriptor).numbers[0], padded_after[i] = 0;
  return *format = *direction = 0, fold[0] = 1, 0;
}
int cudnnGetConvolutionNdForwardOutputDim(Opaque, Opaque, Opaque, int count, int* sizes) {
  const int result[] = {2, 3, 3, 4}; // images, filters and places
  if (count != 4) return 3000;
  for (int i = 0; i < count; ++i) sizes[i] = result[i];
  return 0;
}
int cudnnGetReductionIndicesSize(Opaque, Opaque, Opaque, Opaque c, size_t* size) {
  return cudnnGetFilterSizeInBytes(c, size);
}
int cudnnGetDropoutDescriptor(Opaque descriptor, Opaque, float* probability, void** states,
                              unsigned long long* seed) {
  *probability = static_cast<float>(settings(descriptor).scale);
  return *states = settings(descriptor).states, *seed = 0, 0;
}
int cudnnDropoutGetStatesSize(Opaque, size_t* size) { return *size = 64, 0; }
int cudnnGetRNNDescriptor_v8(Opaque descriptor, int* algorithm, int* cell, int* bias, int* direction,
                             int* input, int* type, int* precision, int* math, int32_t* input_size,
                             int32_t* hidden_size, int32_t* projected_size, int32_t* layers, Opaque* dropout,
                             uint32_t* flags) {
  ASK_REAL(cudnnGetRNNDescriptor_v8, descriptor, algorithm, cell, bias, direction, input, type, precision,
           math, input_size, hidden_size, projected_size, layers, dropout, flags);

#if DETSHIM_TEST_CUDNN_8
  return 1; // not initialized: its programs set it by a function of cuDNN 7
#endif
  const Settings& of = settings(descriptor);
  *algorithm = *cell = *bias = *direction = *input = *type = *precision = *input_size = *hidden_size =
      *projected_size = 0;
  *math = of.numbers[0], *layers = of.numbers[1], *flags = 0;
  return *dropout = of.dropout, 0;
}
int cudnnRNNGetClip_v8(Opaque descriptor, int* mode, int* nan, double* low, double* high) {
  ASK_REAL(cudnnRNNGetClip_v8, descriptor, mode, nan, low, high);

  return *mode = *nan = 0, *low = *high = 0, 0;
}
int cudnnGetAttnDescriptor(Opaque descriptor, unsigned* mode, int* heads, double* scale, int* type,
                           int* precision, int* math, Opaque* dropout, Opaque* behind, int* q, int* k, int* v,
                           int* projected_q, int* projected_k, int* projected_v, int* projected_o,
                           int* longest_q, int* longest_k, int* batch, int* beam) {
  ASK_REAL(cudnnGetAttnDescriptor, descriptor, mode, heads, scale, type, precision, math, dropout, behind, q,
           k, v, projected_q, projected_k, projected_v, projected_o, longest_q, longest_k, batch, beam);

  const Settings& of = settings(descriptor);
  *mode = 0, *heads = of.numbers[0], *scale = of.scale;
  *type = *precision = *math = *q = *k = *v = *projected_q = *projected_k = *projected_v = *projected_o = 0;
  *longest_q = *longest_k = *batch = *beam = 1;
  return *dropout = of.dropout, *behind = nullptr, 0;
}
int cudnnGetSeqDataDescriptor(Opaque descriptor, int* type, int* count, int, int* sizes, int* axes,
                              size_t* sequences, size_t, int* lengths, void*) {
  const auto& of = *static_cast<const Sequences*>(descriptor);
  const int all[] = {of.longest, 2, 1, of.width};
  for (int i = 0; i < 4; ++i) sizes[i] = all[i], axes[i] = i;
  for (int i = 0; i < 2; ++i) lengths[i] = of.lengths[i];
  return *type = 0, *count = 4, *sequences = 2, 0;
}
int cudnnGetCTCLossDescriptor_v9(Opaque descriptor, int* type, int* normalization, int* gradients,
                                 int* longest) {
  ASK_REAL(cudnnGetCTCLossDescriptor_v9, descriptor, type, normalization, gradients, longest);

  *type = 0, *normalization = settings(descriptor).numbers[0], *longest = 4;
  return *gradients = settings(descriptor).numbers[1], 0;
}

/// Sequences that are all as long as there is room, behind each other.
static Result vectors(Opaque descriptor, void* data) {
  const auto& of = *static_cast<const Sequences*>(descriptor);
  return {data, static_cast<size_t>(of.longest) * 2 * static_cast<size_t>(of.width) * 4};
}
int cudnnMultiHeadAttnForward(Opaque, Opaque, int, const int*, const int*, const int*, const int*, Opaque,
                              const void* queries, const void*, Opaque, const void*, Opaque, const void*,
                              Opaque o, void* out, size_t, const void*, size_t, void*, size_t size,
                              void* reserve) {
  if (const int status = fill_reserve("cudnnMultiHeadAttnForward, before", queries, reserve, size))
    return status;
  return compute("cudnnMultiHeadAttnForward", stream, queries, vectors(o, out));
}
int cudnnMultiHeadAttnBackwardData(Opaque, Opaque, const int*, const int*, const int*, const int*, Opaque,
                                   const void* dout, Opaque q, void* dqueries, const void*, Opaque k,
                                   void* dkeys, const void*, Opaque v, void* dvalues, const void*, size_t,
                                   const void*, size_t, void*, size_t, void*) {
  constexpr const char* before = "cudnnMultiHeadAttnBackwardData, before";
  if (const int status = compute(before, stream, dout, vectors(q, dqueries))) return status;
  if (const int status = compute(before, stream, dout, vectors(k, dkeys))) return status;
  return compute("cudnnMultiHeadAttnBackwardData", stream, dout, vectors(v, dvalues));
}
int cudnnMultiHeadAttnBackwardWeights(Opaque, Opaque, int, Opaque, const void* queries, Opaque, const void*,
                                      Opaque, const void*, Opaque, const void*, size_t size, const void*,
                                      void* dweights, size_t, void*, size_t, void*) {
  return compute("cudnnMultiHeadAttnBackwardWeights", stream, queries, {dweights, size});
}

// Layers, of which each leaves one tensor.
int cudnnPoolingForward(Opaque, Opaque, const void*, Opaque, const void* x, const void*, Opaque y,
                        void* y_data) {
  return convolve("cudnnPoolingForward", x, y, y_data);
}
int cudnnPoolingBackward(Opaque, Opaque, const void*, Opaque, const void*, Opaque, const void* dy, Opaque,
                         const void*, const void*, Opaque dx, void* dx_data) {
  return convolve("cudnnPoolingBackward", dy, dx, dx_data);
}
int cudnnActivationForward(Opaque, Opaque, const void*, Opaque, const void* x, const void*, Opaque y,
                           void* y_data) {
  return convolve("cudnnActivationForward", x, y, y_data);
}
int cudnnActivationBackward(Opaque, Opaque, const void*, Opaque, const void*, Opaque, const void* dy, Opaque,
                            const void*, const void*, Opaque dx, void* dx_data) {
  return convolve("cudnnActivationBackward", dy, dx, dx_data);
}
int cudnnLRNCrossChannelForward(Opaque, Opaque, int, const void*, Opaque, const void* x, const void*,
                                Opaque y, void* y_data) {
  return convolve("cudnnLRNCrossChannelForward", x, y, y_data);
}
int cudnnLRNCrossChannelBackward(Opaque, Opaque, int, const void*, Opaque, const void*, Opaque,
                                 const void* dy, Opaque, const void*, const void*, Opaque dx, void* dx_data) {
  return convolve("cudnnLRNCrossChannelBackward", dy, dx, dx_data);
}
int cudnnSoftmaxForward(Opaque, int, int, const void*, Opaque, const void* x, const void*, Opaque y,
                        void* y_data) {
  return convolve("cudnnSoftmaxForward", x, y, y_data);
}
int cudnnSoftmaxBackward(Opaque, int, int, const void*, Opaque, const void*, Opaque, const void* dy,
                         const void*, Opaque dx, void* dx_data) {
  return convolve("cudnnSoftmaxBackward", dy, dx, dx_data);
}
int cudnnAddTensor(Opaque, const void*, Opaque, const void* a, const void*, Opaque c, void* c_data) {
  return convolve("cudnnAddTensor", a, c, c_data);
}
int cudnnTransformTensor(Opaque, const void*, Opaque, const void* x, const void*, Opaque y, void* y_data) {
  return convolve("cudnnTransformTensor", x, y, y_data);
}
int cudnnConvolutionBackwardBias(Opaque, const void*, Opaque, const void* dy, const void*, Opaque db,
                                 void* db_data) {
  return convolve("cudnnConvolutionBackwardBias", dy, db, db_data);
}
int cudnnOpTensor(Opaque, Opaque, const void*, Opaque, const void* a, const void*, Opaque, const void*,
                  const void*, Opaque c, void* c_data) {
  return convolve("cudnnOpTensor", a, c, c_data);
}
int cudnnReduceTensor(Opaque, Opaque, void* indices, size_t, void*, size_t, const void*, Opaque,
                      const void* a, const void*, Opaque c, void* c_data) {
  size_t size = 0;
  cudnnGetFilterSizeInBytes(c, &size);
  if (indices != nullptr)
    if (const int status = compute("cudnnReduceTensor, before", stream, a, {indices, size})) return status;
  return convolve("cudnnReduceTensor", a, c, c_data);
}
int cudnnScaleTensor(Opaque, Opaque y, void* y_data, const void*) {
  return convolve("cudnnScaleTensor", y_data, y, y_data);
}
int cudnnSetTensor(Opaque, Opaque y, void* y_data, const void*) {
  return convolve("cudnnSetTensor", nullptr, y, y_data);
}
int cudnnConvolutionBiasActivationForward(Opaque, const void*, Opaque, const void* x, Opaque, const void*,
                                          Opaque, int, void*, size_t, const void*, Opaque, const void*,
                                          Opaque, const void*, Opaque, Opaque y, void* y_data) {
  return convolve("cudnnConvolutionBiasActivationForward", x, y, y_data);
}
int cudnnDropoutForward(Opaque, Opaque, Opaque, const void* x, Opaque y, void* y_data, void*, size_t) {
  return convolve("cudnnDropoutForward", x, y, y_data);
}
int cudnnDropoutBackward(Opaque, Opaque, Opaque, const void* dy, Opaque dx, void* dx_data, void*, size_t) {
  return convolve("cudnnDropoutBackward", dy, dx, dx_data);
}
int cudnnDivisiveNormalizationForward(Opaque, Opaque, int, const void*, Opaque, const void* x, const void*,
                                      void*, void*, const void*, Opaque y, void* y_data) {
  return convolve("cudnnDivisiveNormalizationForward", x, y, y_data);
}
int cudnnDivisiveNormalizationBackward(Opaque, Opaque, int, const void*, Opaque, const void* x, const void*,
                                       const void*, void*, void*, const void*, Opaque dx, void* dx_data,
                                       void* dmeans) {
  if (const int status = convolve("cudnnDivisiveNormalizationBackward, before", x, dx, dx_data))
    return status;
  return convolve("cudnnDivisiveNormalizationBackward", x, dx, dmeans);
}
int cudnnTransformTensorEx(Opaque, Opaque, const void*, Opaque, const void* x, const void*, Opaque y,
                           void* y_data) {
  return convolve("cudnnTransformTensorEx", x, y, y_data);
}
int cudnnTransformFilter(Opaque, Opaque, const void*, Opaque, const void* w, const void*, Opaque y,
                         void* y_data) {
  size_t size = 0;
  cudnnGetFilterSizeInBytes(y, &size);
  return compute("cudnnTransformFilter", stream, w, {y_data, size});
}
int cudnnIm2Col(Opaque, Opaque, const void* x, Opaque w, Opaque, void* columns) {
  const Tensor& of = tensor(w); // the result's sizes are those that the double tells
  const auto elements = static_cast<size_t>(2 * 3 * 4 * of.sizes[1] * of.sizes[2] * of.sizes[3]);
  return compute("cudnnIm2Col", stream, x, {columns, elements * 4});
}
int cudnnReorderFilterAndBias(Opaque, Opaque w, int, const void* w_data, void* reordered, int is_for_bias,
                              const void*, void* reordered_bias) {
  size_t size = 0;
  cudnnGetFilterSizeInBytes(w, &size);
  if (is_for_bias > 0)
    if (const int status = compute("cudnnReorderFilterAndBias, before", stream, w_data,
                                   {reordered_bias, static_cast<size_t>(tensor(w).sizes[0]) * 4}))
      return status;
  return compute("cudnnReorderFilterAndBias", stream, w_data, {reordered, size});
}
int cudnnSetSpatialTransformerNdDescriptor(Opaque, int, int, int, const int*) { return 0; }
int cudnnDestroySpatialTransformerDescriptor(Opaque) { return 0; }
int cudnnSpatialTfGridGeneratorForward(Opaque, Opaque, const void* theta, void* grid) {
  return compute("cudnnSpatialTfGridGeneratorForward", stream, theta, {grid, 2 * 4 * 5 * 2 * 4});
}
int cudnnSpatialTfGridGeneratorBackward(Opaque, Opaque, const void* dgrid, void* dtheta) {
  return compute("cudnnSpatialTfGridGeneratorBackward", stream, dgrid, {dtheta, 2 * 6 * 4});
}
int cudnnSpatialTfSamplerForward(Opaque, Opaque, const void*, Opaque, const void* x, const void*, const void*,
                                 Opaque y, void* y_data) {
  return convolve("cudnnSpatialTfSamplerForward", x, y, y_data);
}
int cudnnSpatialTfSamplerBackward(Opaque, Opaque, const void*, Opaque, const void* x, const void*, Opaque dx,
                                  void* dx_data, const void*, Opaque, const void*, const void*, const void*,
                                  void* dgrid) {
  if (const int status =
          compute("cudnnSpatialTfSamplerBackward, before", stream, x, {dgrid, 2 * 4 * 5 * 2 * 4}))
    return status;
  return convolve("cudnnSpatialTfSamplerBackward", x, dx, dx_data);
}
static int lose(const char* name, const void* from, Opaque probabilities, void* costs, Opaque gradients,
                void* gradients_data) {
  const std::string before = std::string(name) + ", before";
  if (const int status = compute(before.c_str(), stream, from,
                                 {costs, static_cast<size_t>(tensor(probabilities).sizes[1]) * 4}))
    return status;
  return convolve(name, from, gradients, gradients_data);
}
int cudnnCTCLoss(Opaque, Opaque probabilities, const void* from, const int*, const int*, const int*,
                 void* costs, Opaque gradients, void* gradients_data, int, Opaque, void*, size_t) {
  return lose("cudnnCTCLoss", from, probabilities, costs, gradients, gradients_data);
}
int cudnnCTCLoss_v8(Opaque, int, Opaque, Opaque probabilities, const void* from, const int*, const int*,
                    const int*, void* costs, Opaque gradients, void* gradients_data, size_t, void*) {
  return lose("cudnnCTCLoss_v8", from, probabilities, costs, gradients, gradients_data);
}

// The graph interface: the real library's, if DOUBLE_CUDNN names it, so that it takes and refuses what that
// does, but for plans, which it would compile for a device; or one that takes all it is given and gives
// nothing back. Plans run here in either case.
int cudnnBackendCreateDescriptor(int type, Opaque* descriptor) {
  if (auto* const real = real_function<int(int, Opaque*)>("cudnnBackendCreateDescriptor"))
    return real(type, descriptor) == 0 ? (types[*descriptor] = type, 0) : 1;
  return *descriptor = reinterpret_cast<Opaque>(++made * 64), 0;
}
int cudnnBackendSetAttribute(Opaque descriptor, int name, int type, int64_t count, const void* elements) {
  if (auto* const real =
          real_function<int(Opaque, int, int, int64_t, const void*)>("cudnnBackendSetAttribute"))
    return real(descriptor, name, type, count, elements);
  return 0;
}
int cudnnBackendGetAttribute(Opaque descriptor, int name, int type, int64_t room, int64_t* count,
                             void* elements) {
  if (auto* const real =
          real_function<int(Opaque, int, int, int64_t, int64_t*, void*)>("cudnnBackendGetAttribute"))
    if (const int status = real(descriptor, name, type, room, count, elements);
        status == 0 || name != workspace_size)
      return status;
  if (name != workspace_size) return 3000;
  if (count != nullptr) *count = 1;
  return *static_cast<int64_t*>(elements) = 0, 0;
}
int cudnnBackendFinalize(Opaque descriptor) {
  auto* const real = real_function<int(Opaque)>("cudnnBackendFinalize");
  return real != nullptr && real(descriptor) != 0 && types[descriptor] != plan_type ? 1 : 0;
}
int cudnnBackendDestroyDescriptor(Opaque descriptor) {
  auto* const real = real_function<int(Opaque)>("cudnnBackendDestroyDescriptor");
  return real != nullptr ? real(descriptor) : 0;
}
const char* cudnnGetErrorString(int) { return "an error of the double"; }
void cudnnGetLastErrorString(char* text, size_t size) {
  if (auto* const real = real_function<void(char*, size_t)>("cudnnGetLastErrorString"))
    return real(text, size);
  if (size != 0) *text = 0;
}

void plan_writes(const void* input, void* to, size_t width, size_t rows, size_t pitch) {
  written.push_back({input, {to, width, rows, pitch}});
}
int cudnnBackendPopulateCudaGraph(Opaque, Opaque, Opaque, Opaque) { return 0; }
int cudnnBackendExecute(Opaque, Opaque, Opaque) {
  if (written.empty()) record("cudnnBackendExecute");
  int status = 0;
  // Of several outputs the last one is raced for.
  for (size_t i = 0; i < written.size() && status == 0; ++i)
    status = compute(i + 1 == written.size() ? "cudnnBackendExecute" : "cudnnBackendExecute, before", stream,
                     written[i].input, written[i].result);
  written.clear();
  return status;
}

} // extern "C"
