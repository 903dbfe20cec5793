// An ordinary user of cuDNN 8, with a double.
//
//   cudnn_8_layers data ALGORITHM BYTES              runs a convolution backward with that
//   workspace cudnn_8_layers run FUNCTION                      a pass of an RNN
#include "call.h"

#include "layers.h"
#include "place.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <utility>

namespace {

template <typename Argument>
Argument numbered(uintptr_t number) {
  if constexpr (std::is_pointer_v<Argument>)
    return at(number);
  else
    return static_cast<Argument>(number);
}

/// With another number for each argument.
template <typename... Arguments, size_t... index>
int call_with_numbers(int (*function)(Arguments...), std::index_sequence<index...>) {
  return function(numbered<Arguments>(11 + index)...);
}
template <typename... Arguments>
int call_with_numbers(int (*function)(Arguments...)) {
  return call_with_numbers(function, std::index_sequence_for<Arguments...>());
}

int run(const std::string& name) {
  if (name == "cudnnRNNForwardInference")
    return call_with_numbers(CALL(cudnnRNNForwardInference));
  if (name == "cudnnRNNForwardTraining")
    return call_with_numbers(CALL(cudnnRNNForwardTraining));
  if (name == "cudnnRNNBackwardData")
    return call_with_numbers(CALL(cudnnRNNBackwardData));
  if (name == "cudnnRNNBackwardWeights")
    return call_with_numbers(CALL(cudnnRNNBackwardWeights));
  if (name == "cudnnRNNForwardInferenceEx")
    return call_with_numbers(CALL(cudnnRNNForwardInferenceEx));
  if (name == "cudnnRNNForwardTrainingEx")
    return call_with_numbers(CALL(cudnnRNNForwardTrainingEx));
  if (name == "cudnnRNNBackwardDataEx")
    return call_with_numbers(CALL(cudnnRNNBackwardDataEx));
  if (name == "cudnnRNNBackwardWeightsEx")
    return call_with_numbers(CALL(cudnnRNNBackwardWeightsEx));
  return -1;
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 2)
    return 2;
  const std::string what = argv[1];
  const int number = argc > 2 ? std::atoi(argv[2]) : 0;
  const size_t bytes = argc > 3 ? std::strtoull(argv[3], nullptr, 0) : 0;
  int status = -1;
  if (what == "data") {
    status =
        CALL(cudnnConvolutionBackwardData)(at(11), at(12), at(13), at(14), at(15), at(16), at(17),
                                           number, at(19), bytes, at(21), at(22), at(23));
  } else if (what == "run" && argc > 2) {
    status = run(argv[2]);
  } else {
    return 2;
  }
  std::printf("status=%d\n", status);
}
