// Layers of cuDNN's legacy interface for `detshim verify` (the script `causes`): a recurrent
// network, whose passes DETSHIM_FINGERPRINT=calls hashes. The argument says what else there is:
//   sampler  a spatial transformer's backward pass, which adds by atomics: the copy of what it left
//   is to be named none     nothing of the kind: the runs are equal
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
      : x(gpu::fixed<float>(elements, 1)), y(elements), dy(gpu::fixed<float>(elements, 2)),
        dx(elements) {
    CHECK(cudnnCreate(&handle));
    CHECK(cudnnCreateTensorDescriptor(&tensor));
    CHECK(cudnnSetTensor4dDescriptor(tensor, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, batch, channels,
                                     size, size));
  }
  ~Layers() {
    cudnnDestroyTensorDescriptor(tensor);
    cudnnDestroy(handle);
  }
};

/// All of the grid points to one place of the input, where all gradients are added.
void sample(const Layers& of) {
  const int sizes[] = {batch, channels, size, size};
  const Device<float> grid(size_t{batch} * size * size * 2), dgrid(size_t{batch} * size * size * 2);
  cudnnSpatialTransformerDescriptor_t transformer = nullptr;
  CHECK(cudnnCreateSpatialTransformerDescriptor(&transformer));
  CHECK(cudnnSetSpatialTransformerNdDescriptor(transformer, CUDNN_SAMPLER_BILINEAR,
                                               CUDNN_DATA_FLOAT, 4, sizes));
  CHECK(cudnnSpatialTfSamplerForward(of.handle, transformer, &one, of.tensor, of.x.get(),
                                     grid.get(), &zero, of.tensor, of.y.get()));
  CHECK(cudnnSpatialTfSamplerBackward(of.handle, transformer, &one, of.tensor, of.x.get(), &zero,
                                      of.tensor, of.dx.get(), &one, of.tensor, of.dy.get(),
                                      grid.get(), &zero, dgrid.get()));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudnnDestroySpatialTransformerDescriptor(transformer));
}

/// An LSTM in training: what its forward pass reserves for the others is hashed with what goes into
/// them.
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
                                 CUDNN_UNIDIRECTIONAL, CUDNN_LINEAR_INPUT, CUDNN_DATA_FLOAT,
                                 CUDNN_DATA_FLOAT, CUDNN_DEFAULT_MATH, width, width, width, layers,
                                 dropout, CUDNN_RNN_PADDED_IO_ENABLED));
  const int lengths[sequences] = {longest, longest, longest, longest};
  const Device<int> lengths_there(std::vector<int>(lengths, lengths + sequences));
  CHECK(cudnnCreateRNNDataDescriptor(&data));
  float padding = 0;
  CHECK(cudnnSetRNNDataDescriptor(data, CUDNN_DATA_FLOAT, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED,
                                  longest, sequences, width, lengths, &padding));
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
  const Device<float> x(gpu::fixed<float>(data_size, 4)), y(data_size),
      dy(gpu::fixed<float>(data_size, 5)), dx(data_size), h(state_size), c(state_size),
      dh(state_size), dc(state_size);
  CHECK(cudnnRNNForward(of.handle, rnn, CUDNN_FWD_MODE_TRAINING, lengths_there.get(), data, x.get(),
                        data, y.get(), state, h.get(), nullptr, state, c.get(), nullptr,
                        weights_size, weights.get(), workspace_size, workspace.get(), reserve_size,
                        reserve.get()));
  CHECK(cudnnRNNBackwardData_v8(of.handle, rnn, lengths_there.get(), data, y.get(), dy.get(), data,
                                dx.get(), state, h.get(), nullptr, dh.get(), state, c.get(),
                                nullptr, dc.get(), weights_size, weights.get(), workspace_size,
                                workspace.get(), reserve_size, reserve.get()));
  CHECK(cudnnRNNBackwardWeights_v8(of.handle, rnn, CUDNN_WGRAD_MODE_ADD, lengths_there.get(), data,
                                   x.get(), state, h.get(), data, y.get(), weights_size,
                                   dweights.get(), workspace_size, workspace.get(), reserve_size,
                                   reserve.get()));
  CHECK(cudaDeviceSynchronize());
  gpu::print("network", dweights);
  CHECK(cudnnDestroyTensorDescriptor(state));
  CHECK(cudnnDestroyRNNDataDescriptor(data));
  CHECK(cudnnDestroyRNNDescriptor(rnn));
  CHECK(cudnnDestroyDropoutDescriptor(dropout));
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
    std::fprintf(
        stderr, "%s: unknown argument %s: accepted is one of sampler and none (also without one)\n",
        argv[0], what.c_str());
    return 2;
  }
  gpu::start(1, argv);
  const Layers layers;
  if (what == "sampler")
    sample(layers), print("sampler", layers);
  recur(layers), print("network", layers);
}
