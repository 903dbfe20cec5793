// An ordinary user of cuDNN's layers, with a double.
//
//   cudnn_layers data|filter|ctc|ctc_v8 ALGORITHM ask|BYTES
//     runs it with a workspace of the size that it asked for, or of BYTES
//   cudnn_layers pooling 2d|nd MODE...
//     sets one descriptor to each mode in turn; `new` is another descriptor
//   cudnn_layers dropout SEED...
//     `none` is a descriptor without states
//   cudnn_layers restore SEED
//   cudnn_layers oob MODE
//     a CTC loss descriptor
//   cudnn_layers call FUNCTION
//
// Descriptors and device memory are numbers that a double only looks at: each is that of its place
// among the arguments (of the run, where a size is asked for before it), counted from 11.
#include "call.h"

#include "layers.h"
#include "place.h"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

namespace {

using Arguments = std::vector<std::string>;

int run_algorithm(const std::string& layer, int algo, const std::string& workspace) {
  const bool asks = workspace == "ask";
  size_t bytes = asks ? 0 : std::strtoull(workspace.c_str(), nullptr, 0);
  int status = 0, run = 0;
  if (layer == "data") {
    if (asks)
      status = CALL(cudnnGetConvolutionBackwardDataWorkspaceSize)(at(11), at(13), at(15), at(17),
                                                                  at(22), algo, &bytes);
    if (status == 0)
      run = CALL(cudnnConvolutionBackwardData)(at(11), at(12), at(13), at(14), at(15), at(16),
                                               at(17), algo, at(19), bytes, at(21), at(22), at(23));
  } else if (layer == "filter") {
    if (asks)
      status = CALL(cudnnGetConvolutionBackwardFilterWorkspaceSize)(at(11), at(13), at(15), at(17),
                                                                    at(22), algo, &bytes);
    if (status == 0)
      run =
          CALL(cudnnConvolutionBackwardFilter)(at(11), at(12), at(13), at(14), at(15), at(16),
                                               at(17), algo, at(19), bytes, at(21), at(22), at(23));
  } else if (layer == "ctc") {
    if (asks)
      status = CALL(cudnnGetCTCLossWorkspaceSize)(at(11), at(12), at(18), at(14), at(15), at(16),
                                                  algo, at(21), &bytes);
    if (status == 0)
      run = CALL(cudnnCTCLoss)(at(11), at(12), at(13), at(14), at(15), at(16), at(17), at(18),
                               at(19), algo, at(21), at(22), bytes);
  } else if (layer == "ctc_v8") {
    if (asks)
      status = CALL(cudnnGetCTCLossWorkspaceSize_v8)(at(11), algo, at(13), at(14), at(20), &bytes);
    if (status == 0)
      run = CALL(cudnnCTCLoss_v8)(at(11), algo, at(13), at(14), at(15), at(16), at(17), at(18),
                                  at(19), at(20), at(21), bytes, at(23));
  } else {
    return 2;
  }
  std::printf("size=%d bytes=%zu run=%d\n", status, bytes, run);
  return 0;
}

/// Sets the mode and asks for it.
void set_pooling(Opaque descriptor, bool is_2d, int mode) {
  int values[8] = {-1};
  int set, get;
  if (is_2d) {
    set = CALL(cudnnSetPooling2dDescriptor)(descriptor, mode, 1, 2, 3, 4, 5, 6, 7);
    get = CALL(cudnnGetPooling2dDescriptor)(descriptor, values, values + 1, values + 2, values + 3,
                                            values + 4, values + 5, values + 6, values + 7);
  } else {
    const int window[] = {4, 5}, padding[] = {2, 3}, stride[] = {6, 7};
    int their_window[2] = {}, their_padding[2] = {}, their_stride[2] = {};
    set = CALL(cudnnSetPoolingNdDescriptor)(descriptor, mode, 1, 2, window, padding, stride);
    get = CALL(cudnnGetPoolingNdDescriptor)(descriptor, 2, values, values + 1, values + 2,
                                            their_window, their_padding, their_stride);
    values[3] = their_window[0];
    values[4] = their_window[1];
    values[5] = their_padding[1];
    values[6] = their_stride[0];
    values[7] = their_stride[1];
  }
  std::printf("set=%d get=%d mode=%d", set, get, values[0]);
  for (int i = 1; i < 8; ++i)
    std::printf(" %d", values[i]);
  std::printf("\n");
}

int use_pooling(const Arguments& arguments) {
  const bool is_2d = arguments.at(0) == "2d";
  Opaque descriptor = nullptr;
  CALL(cudnnCreatePoolingDescriptor)(&descriptor);
  for (size_t i = 1; i < arguments.size(); ++i) {
    if (arguments[i] != "new") {
      set_pooling(descriptor, is_2d, std::stoi(arguments[i]));
      continue;
    }
    CALL(cudnnDestroyPoolingDescriptor)(descriptor);
    CALL(cudnnCreatePoolingDescriptor)(&descriptor);
    int mode = -1, other[7];
    CALL(cudnnGetPooling2dDescriptor)
    (descriptor, &mode, other, other + 1, other + 2, other + 3, other + 4, other + 5, other + 6);
    std::printf("new mode=%d\n", mode);
  }
  CALL(cudnnDestroyPoolingDescriptor)(descriptor);
  return 0;
}

int set_dropouts(const Arguments& seeds) {
  for (const std::string& seed : seeds) {
    const bool none = seed == "none";
    std::printf("set=%d\n",
                CALL(cudnnSetDropoutDescriptor)(
                    at(11), at(12), 0.5F, at(none ? 0 : 14), none ? 0 : 15,
                    none              ? 0
                    : seed == "clock" ? static_cast<unsigned long long>(std::time(nullptr))
                                      : std::strtoull(seed.c_str(), nullptr, 0)));
  }
  return 0;
}

int call_function(const std::string& name) {
  int status = -1;
  if (name == "cudnnSpatialTfSamplerBackward")
    status =
        CALL(cudnnSpatialTfSamplerBackward)(at(11), at(12), at(13), at(14), at(15), at(16), at(17),
                                            at(18), at(19), at(20), at(21), at(22), at(23), at(24));
  if (name == "cudnnRNNForward")
    status = CALL(cudnnRNNForward)(at(11), at(12), 13, at(14), at(15), at(16), at(17), at(18),
                                   at(19), at(20), at(21), at(22), at(23), at(24), 25, at(26), 27,
                                   at(28), 29, at(30));
  if (name == "cudnnRNNBackwardData_v8")
    status = CALL(cudnnRNNBackwardData_v8)(at(11), at(12), at(13), at(14), at(15), at(16), at(17),
                                           at(18), at(19), at(20), at(21), at(22), at(23), at(24),
                                           at(25), at(26), 27, at(28), 29, at(30), 31, at(32));
  if (name == "cudnnRNNBackwardWeights_v8")
    status =
        CALL(cudnnRNNBackwardWeights_v8)(at(11), at(12), 13, at(14), at(15), at(16), at(17), at(18),
                                         at(19), at(20), 21, at(22), 23, at(24), 25, at(26));
  if (name == "cudnnCausalConv1dBackward")
    status = CALL(cudnnCausalConv1dBackward)(at(11), at(12), at(13), at(14), at(15), at(16), at(17),
                                             at(18), 19, 20, 21, 22, 23, 24, 25);
  if (name == "cudnnCausalConv1dNwhBackward")
    status = CALL(cudnnCausalConv1dNwhBackward)(at(11), at(12), at(13), at(14), at(15), at(16),
                                                at(17), at(18), 19, 20, 21, 22, 23, 24, 25);
  std::printf("status=%d\n", status);
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 3)
    return 2;
  const std::string what = argv[1], first = argv[2];
  if (what == "pooling")
    return use_pooling({argv + 2, argv + argc});
  if (what == "dropout")
    return set_dropouts({argv + 2, argv + argc});
  if (what == "call")
    return call_function(first);
  if (what == "restore")
    return CALL(cudnnRestoreDropoutDescriptor)(at(11), at(12), 0.5F, at(14), 15,
                                               std::strtoull(argv[2], nullptr, 0));
  if (what == "oob")
    return CALL(cudnnSetCTCLossDescriptor_v9)(at(11), 12, 13, std::stoi(first), 15);
  return argc > 3 ? run_algorithm(what, std::stoi(first), argv[3]) : 2;
}
