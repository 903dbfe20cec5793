// Layers of cuDNN's legacy interface, one after another, for `detshim verify` (the script `causes`): each
// leaves what DETSHIM_FINGERPRINT=calls hashes. The argument says what is among them:
//   sampler  a spatial transformer's backward pass, which adds by atomics: it is to be named
//   none     nothing of the kind: the runs are equal
// Exit status: 0 done, 1 a call failed, 2 a wrong argument, 77 no CUDA device.
#include "cudnn_types.h"

namespace {

using gpu::Device;

constexpr int batch = 8, channels = 16, size = 32;
constexpr size_t elements = size_t{batch} * channels * size * size;
const float one = 1, zero = 0;

struct Layers {
  cudnnHandle_t handle = nullptr;
  cudnnTensorDescriptor_t tensor = nullptr;
  Device<float> x, y, dy, dx;

  Layers()
      : x(gpu::fixed<float>(elements, 1)), y(elements), dy(gpu::fixed<float>(elements, 2)), dx(elements) {
    CHECK(cudnnCreate(&handle));
    CHECK(cudnnCreateTensorDescriptor(&tensor));
    CHECK(
        cudnnSetTensor4dDescriptor(tensor, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, batch, channels, size, size));
  }
  ~Layers() {
    cudnnDestroyTensorDescriptor(tensor);
    cudnnDestroy(handle);
  }
};

void pool(const Layers& of) {
  cudnnPoolingDescriptor_t pooling = nullptr;
  CHECK(cudnnCreatePoolingDescriptor(&pooling));
  CHECK(cudnnSetPooling2dDescriptor(pooling, CUDNN_POOLING_MAX_DETERMINISTIC, CUDNN_NOT_PROPAGATE_NAN, 3, 3,
                                    1, 1, 1, 1));
  CHECK(cudnnPoolingForward(of.handle, pooling, &one, of.tensor, of.x.get(), &zero, of.tensor, of.y.get()));
  CHECK(cudnnPoolingBackward(of.handle, pooling, &one, of.tensor, of.y.get(), of.tensor, of.dy.get(),
                             of.tensor, of.x.get(), &zero, of.tensor, of.dx.get()));
  CHECK(cudnnDestroyPoolingDescriptor(pooling));
}

void soften(const Layers& of) {
  CHECK(cudnnSoftmaxForward(of.handle, CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_MODE_CHANNEL, &one, of.tensor,
                            of.x.get(), &zero, of.tensor, of.y.get()));
  CHECK(cudnnSoftmaxBackward(of.handle, CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_MODE_CHANNEL, &one, of.tensor,
                             of.y.get(), of.tensor, of.dy.get(), &zero, of.tensor, of.dx.get()));
}

void activate(const Layers& of) {
  cudnnActivationDescriptor_t activation = nullptr;
  CHECK(cudnnCreateActivationDescriptor(&activation));
  CHECK(cudnnSetActivationDescriptor(activation, CUDNN_ACTIVATION_ELU, CUDNN_NOT_PROPAGATE_NAN, 1.0));
  CHECK(cudnnActivationForward(of.handle, activation, &one, of.tensor, of.x.get(), &zero, of.tensor,
                               of.y.get()));
  CHECK(cudnnActivationBackward(of.handle, activation, &one, of.tensor, of.y.get(), of.tensor, of.dy.get(),
                                of.tensor, of.x.get(), &zero, of.tensor, of.dx.get()));
  CHECK(cudnnDestroyActivationDescriptor(activation));
}

void normalize(const Layers& of) {
  cudnnLRNDescriptor_t normalization = nullptr;
  CHECK(cudnnCreateLRNDescriptor(&normalization));
  CHECK(cudnnSetLRNDescriptor(normalization, 5, 1e-4, 0.75, 2.0));
  CHECK(cudnnLRNCrossChannelForward(of.handle, normalization, CUDNN_LRN_CROSS_CHANNEL_DIM1, &one, of.tensor,
                                    of.x.get(), &zero, of.tensor, of.y.get()));
  CHECK(cudnnLRNCrossChannelBackward(of.handle, normalization, CUDNN_LRN_CROSS_CHANNEL_DIM1, &one, of.tensor,
                                     of.y.get(), of.tensor, of.dy.get(), of.tensor, of.x.get(), &zero,
                                     of.tensor, of.dx.get()));
  CHECK(cudnnDestroyLRNDescriptor(normalization));
}

void combine(const Layers& of) {
  cudnnOpTensorDescriptor_t operation = nullptr;
  CHECK(cudnnCreateOpTensorDescriptor(&operation));
  CHECK(
      cudnnSetOpTensorDescriptor(operation, CUDNN_OP_TENSOR_MUL, CUDNN_DATA_FLOAT, CUDNN_NOT_PROPAGATE_NAN));
  CHECK(cudnnOpTensor(of.handle, operation, &one, of.tensor, of.x.get(), &one, of.tensor, of.dy.get(), &zero,
                      of.tensor, of.y.get()));
  CHECK(cudnnAddTensor(of.handle, &one, of.tensor, of.x.get(), &one, of.tensor, of.y.get()));
  CHECK(cudnnScaleTensor(of.handle, of.tensor, of.y.get(), &one));
  CHECK(cudnnTransformTensor(of.handle, &one, of.tensor, of.x.get(), &zero, of.tensor, of.y.get()));
  CHECK(cudnnSetTensor(of.handle, of.tensor, of.y.get(), &one));
  CHECK(cudnnDestroyOpTensorDescriptor(operation));
}

void drop(const Layers& of) {
  size_t states_size = 0, reserve_size = 0;
  CHECK(cudnnDropoutGetStatesSize(of.handle, &states_size));
  CHECK(cudnnDropoutGetReserveSpaceSize(of.tensor, &reserve_size));
  const Device<char> states(states_size), reserve(reserve_size);
  cudnnDropoutDescriptor_t dropout = nullptr;
  CHECK(cudnnCreateDropoutDescriptor(&dropout));
  CHECK(cudnnSetDropoutDescriptor(dropout, of.handle, 0.5F, states.get(), states_size, 7));
  CHECK(cudnnDropoutForward(of.handle, dropout, of.tensor, of.x.get(), of.tensor, of.y.get(), reserve.get(),
                            reserve_size));
  CHECK(cudnnDropoutBackward(of.handle, dropout, of.tensor, of.dy.get(), of.tensor, of.dx.get(),
                             reserve.get(), reserve_size));
  CHECK(cudaDeviceSynchronize()); // the states go
  CHECK(cudnnDestroyDropoutDescriptor(dropout));
}

/// All of the grid points to one place of the input, where all gradients are added.
void sample(const Layers& of) {
  const int sizes[] = {batch, channels, size, size};
  const Device<float> grid(size_t{batch} * size * size * 2), dgrid(size_t{batch} * size * size * 2);
  cudnnSpatialTransformerDescriptor_t transformer = nullptr;
  CHECK(cudnnCreateSpatialTransformerDescriptor(&transformer));
  CHECK(cudnnSetSpatialTransformerNdDescriptor(transformer, CUDNN_SAMPLER_BILINEAR, CUDNN_DATA_FLOAT, 4,
                                               sizes));
  CHECK(cudnnSpatialTfSamplerForward(of.handle, transformer, &one, of.tensor, of.x.get(), grid.get(), &zero,
                                     of.tensor, of.y.get()));
  CHECK(cudnnSpatialTfSamplerBackward(of.handle, transformer, &one, of.tensor, of.x.get(), &zero, of.tensor,
                                      of.dx.get(), &one, of.tensor, of.dy.get(), grid.get(), &zero,
                                      dgrid.get()));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudnnDestroySpatialTransformerDescriptor(transformer));
}

/// An LSTM in training: what its forward pass reserves for the others is hashed with what goes into them.
void recur(const Layers& of) {
  constexpr int longest = 6, sequences = 4, width = 32, layers = 2;
  constexpr size_t data_size = size_t{longest} * sequences * width,
                   state_size = size_t{layers} * sequences * width;
  size_t states_size = 0;
  CHECK(cudnnDropoutGetStatesSize(of.handle, &states_size));
  const Device<char> states(states_size);
  cudnnDropoutDescriptor_t dropout = nullptr;
  cudnnRNNDescriptor_t rnn = nullptr;
  cudnnRNNDataDescriptor_t data = nullptr;
  cudnnTensorDescriptor_t state = nullptr;
  CHECK(cudnnCreateDropoutDescriptor(&dropout));
  CHECK(cudnnSetDropoutDescriptor(dropout, of.handle, 0.25F, states.get(), states_size, 7));
  CHECK(cudnnCreateRNNDescriptor(&rnn));
  CHECK(cudnnSetRNNDescriptor_v8(rnn, CUDNN_RNN_ALGO_STANDARD, CUDNN_LSTM, CUDNN_RNN_DOUBLE_BIAS,
                                 CUDNN_UNIDIRECTIONAL, CUDNN_LINEAR_INPUT, CUDNN_DATA_FLOAT, CUDNN_DATA_FLOAT,
                                 CUDNN_DEFAULT_MATH, width, width, width, layers, dropout,
                                 CUDNN_RNN_PADDED_IO_ENABLED));
  const int lengths[sequences] = {longest, longest, longest, longest};
  const Device<int> lengths_there(std::vector<int>(lengths, lengths + sequences));
  CHECK(cudnnCreateRNNDataDescriptor(&data));
  float padding = 0;
  CHECK(cudnnSetRNNDataDescriptor(data, CUDNN_DATA_FLOAT, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED, longest,
                                  sequences, width, lengths, &padding));
  CHECK(cudnnCreateTensorDescriptor(&state));
  const int sizes[] = {layers, sequences, width}, strides[] = {sequences * width, width, 1};
  CHECK(cudnnSetTensorNdDescriptor(state, CUDNN_DATA_FLOAT, 3, sizes, strides));
  size_t weights_size = 0, workspace_size = 0, reserve_size = 0;
  CHECK(cudnnGetRNNWeightSpaceSize(of.handle, rnn, &weights_size));
  CHECK(cudnnGetRNNTempSpaceSizes(of.handle, rnn, CUDNN_FWD_MODE_TRAINING, data, &workspace_size,
                                  &reserve_size));
  const Device<float> weights(gpu::fixed<float>(weights_size / sizeof(float), 3, 1)),
      dweights(weights_size / sizeof(float));
  const Device<char> workspace(workspace_size), reserve(reserve_size);
  const Device<float> x(gpu::fixed<float>(data_size, 4)), y(data_size), dy(gpu::fixed<float>(data_size, 5)),
      dx(data_size), h(state_size), c(state_size), dh(state_size), dc(state_size);
  CHECK(cudnnRNNForward(of.handle, rnn, CUDNN_FWD_MODE_TRAINING, lengths_there.get(), data, x.get(), data,
                        y.get(), state, h.get(), nullptr, state, c.get(), nullptr, weights_size,
                        weights.get(), workspace_size, workspace.get(), reserve_size, reserve.get()));
  CHECK(cudnnRNNBackwardData_v8(of.handle, rnn, lengths_there.get(), data, y.get(), dy.get(), data, dx.get(),
                                state, h.get(), nullptr, dh.get(), state, c.get(), nullptr, dc.get(),
                                weights_size, weights.get(), workspace_size, workspace.get(), reserve_size,
                                reserve.get()));
  CHECK(cudnnRNNBackwardWeights_v8(of.handle, rnn, CUDNN_WGRAD_MODE_ADD, lengths_there.get(), data, x.get(),
                                   state, h.get(), data, y.get(), weights_size, dweights.get(),
                                   workspace_size, workspace.get(), reserve_size, reserve.get()));
  CHECK(cudaDeviceSynchronize());
  gpu::print("network", dweights);
  CHECK(cudnnDestroyTensorDescriptor(state));
  CHECK(cudnnDestroyRNNDataDescriptor(data));
  CHECK(cudnnDestroyRNNDescriptor(rnn));
  CHECK(cudnnDestroyDropoutDescriptor(dropout));
}

/// Whether the library takes a call; it may refuse what few use.
bool is_taken(const char* name, cudnnStatus_t status) {
  if (status != CUDNN_STATUS_NOT_SUPPORTED) CHECK(status);
  std::printf("%s: %s\n", name, status == CUDNN_STATUS_SUCCESS ? "done" : "not supported");
  return status == CUDNN_STATUS_SUCCESS;
}

void divide(const Layers& of) {
  cudnnLRNDescriptor_t normalization = nullptr;
  const Device<float> workspace(elements), workspace_2(elements), dmeans(elements);
  CHECK(cudnnCreateLRNDescriptor(&normalization));
  CHECK(cudnnSetLRNDescriptor(normalization, 5, 1e-4, 0.75, 2.0));
  is_taken("divide forward",
           cudnnDivisiveNormalizationForward(of.handle, normalization, CUDNN_DIVNORM_PRECOMPUTED_MEANS, &one,
                                             of.tensor, of.x.get(), nullptr, workspace.get(),
                                             workspace_2.get(), &zero, of.tensor, of.y.get()));
  if (is_taken("divide backward", cudnnDivisiveNormalizationBackward(
                                      of.handle, normalization, CUDNN_DIVNORM_PRECOMPUTED_MEANS, &one,
                                      of.tensor, of.x.get(), nullptr, of.dy.get(), workspace.get(),
                                      workspace_2.get(), &zero, of.tensor, of.dx.get(), dmeans.get()))) {
    CHECK(cudaDeviceSynchronize());
    gpu::print("divisive.dmeans", dmeans);
  }
  CHECK(cudnnDestroyLRNDescriptor(normalization));
}

/// The same data in other orders.
void rearrange(const Layers& of) {
  cudnnTensorTransformDescriptor_t transform = nullptr;
  cudnnTensorDescriptor_t turned = nullptr;
  cudnnFilterDescriptor_t w = nullptr, turned_w = nullptr;
  cudnnConvolutionDescriptor_t convolution = nullptr;
  size_t bytes = 0;
  CHECK(cudnnCreateTensorTransformDescriptor(&transform));
  CHECK(cudnnSetTensorTransformDescriptor(transform, 4, CUDNN_TENSOR_NHWC, nullptr, nullptr, nullptr,
                                          CUDNN_TRANSFORM_FOLD));
  CHECK(cudnnCreateTensorDescriptor(&turned));
  CHECK(cudnnInitTransformDest(transform, of.tensor, turned, &bytes));
  const Device<char> there(bytes);
  is_taken("transform", cudnnTransformTensorEx(of.handle, transform, &one, of.tensor, of.x.get(), &zero,
                                               turned, there.get()));
  // A filter of 3 by 3 for each of its channels.
  constexpr size_t filter_size = size_t{channels} * channels * 9;
  const Device<float> filter(gpu::fixed<float>(filter_size, 6)), turned_filter(filter_size);
  CHECK(cudnnCreateFilterDescriptor(&w));
  CHECK(cudnnCreateFilterDescriptor(&turned_w));
  CHECK(cudnnSetFilter4dDescriptor(w, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, channels, channels, 3, 3));
  CHECK(cudnnSetFilter4dDescriptor(turned_w, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NHWC, channels, channels, 3, 3));
  is_taken("transform filter", cudnnTransformFilter(of.handle, transform, &one, w, filter.get(), &zero,
                                                    turned_w, turned_filter.get()));
  CHECK(cudnnCreateConvolutionDescriptor(&convolution));
  CHECK(cudnnSetConvolution2dDescriptor(convolution, 1, 1, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION,
                                        CUDNN_DATA_FLOAT));
  const Device<float> columns(elements * 9);
  is_taken("columns", cudnnIm2Col(of.handle, of.tensor, of.x.get(), w, convolution, columns.get()));
  cudnnFilterDescriptor_t bytes_w = nullptr;
  CHECK(cudnnCreateFilterDescriptor(&bytes_w));
  CHECK(cudnnSetFilter4dDescriptor(bytes_w, CUDNN_DATA_INT8x32, CUDNN_TENSOR_NCHW_VECT_C, 32, 32, 3, 3));
  const Device<char> in_bytes(gpu::fixed<char>(32 * 32 * 9, 7)), reordered(32 * 32 * 9);
  const Device<float> biases(gpu::fixed<float>(32, 8)), reordered_biases(32);
  is_taken("reorder", cudnnReorderFilterAndBias(of.handle, bytes_w, CUDNN_DEFAULT_REORDER, in_bytes.get(),
                                                reordered.get(), 1, biases.get(), reordered_biases.get()));
  CHECK(cudaDeviceSynchronize());
  gpu::print("columns", columns);
  gpu::print("biases", reordered_biases);
  CHECK(cudnnDestroyConvolutionDescriptor(convolution));
  for (const cudnnFilterDescriptor_t one_of : {w, turned_w, bytes_w})
    CHECK(cudnnDestroyFilterDescriptor(one_of));
  CHECK(cudnnDestroyTensorDescriptor(turned));
  CHECK(cudnnDestroyTensorTransformDescriptor(transform));
}

/// A grid of a spatial transformer, without the sampler.
void make_grid(const Layers& of) {
  const int sizes[] = {batch, channels, size, size};
  const Device<float> theta(gpu::fixed<float>(size_t{batch} * 6, 9)), dtheta(size_t{batch} * 6),
      grid(size_t{batch} * size * size * 2);
  cudnnSpatialTransformerDescriptor_t transformer = nullptr;
  CHECK(cudnnCreateSpatialTransformerDescriptor(&transformer));
  CHECK(cudnnSetSpatialTransformerNdDescriptor(transformer, CUDNN_SAMPLER_BILINEAR, CUDNN_DATA_FLOAT, 4,
                                               sizes));
  CHECK(cudnnSpatialTfGridGeneratorForward(of.handle, transformer, theta.get(), grid.get()));
  CHECK(cudnnSpatialTfGridGeneratorBackward(of.handle, transformer, grid.get(), dtheta.get()));
  CHECK(cudaDeviceSynchronize());
  gpu::print("grid", grid);
  gpu::print("dtheta", dtheta);
  CHECK(cudnnDestroySpatialTransformerDescriptor(transformer));
}

void print(const char* name, const Layers& of) {
  CHECK(cudaDeviceSynchronize());
  gpu::print(std::string(name) + ".y", of.y);
  gpu::print(std::string(name) + ".dx", of.dx);
}

} // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[argc - 1] : "none";
  if (argc > 2 || (what != "sampler" && what != "none")) {
    std::fprintf(stderr, "%s: unknown argument %s: accepted is one of sampler and none (also without one)\n",
                 argv[0], what.c_str());
    return 2;
  }
  gpu::start(1, argv);
  const Layers layers;
  const struct {
    const char* name;
    void (*run)(const Layers&);
    bool is_wanted;
  } all[] = {{"pooling", pool, true},        {"softmax", soften, true},
             {"activation", activate, true}, {"normalization", normalize, true},
             {"divisive", divide, true},     {"order", rearrange, true},
             {"grid", make_grid, true},      {"sampler", sample, what != "none"},
             {"elements", combine, true},    {"dropout", drop, true},
             {"network", recur, true}};
  for (const auto& layer : all)
    if (layer.is_wanted) layer.run(layers), print(layer.name, layers);
}
