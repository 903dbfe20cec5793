// An ordinary user of the networks of cuDNN 7 and 8. Each argument is something to do, in one stream.
#include "device_memory.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

int main(int argc, char** argv) {
  const auto is_set = [](const char* name) { return std::getenv(name) != nullptr; };
  void* const a = device_memory(is_set("OTHER_INPUT") ? 50 : 1);
  char* const b = static_cast<char*>(device_memory(2));
  char* const c = static_cast<char*>(device_memory(is_set("OTHER_BEFORE") ? 60 : 3));
  char *const weights = b + 64, *const reserve = b + 256, *const states = b + 384;
  if (is_set("OTHER_RESERVE")) reserve[5] = 1;
  if (is_set("OTHER_STATES")) states[5] = 1;
  if (is_set("OTHER_WEIGHTS")) weights[5] = 1;
  Settings dropout{{}, 0.5, states, nullptr};
  Settings rnn{
      {1, is_set("OTHER_SETTING") ? 3 : 2, is_set("OTHER_PADDING") ? 1 : 0, is_set("OTHER_SIZE") ? 5 : 4},
      is_set("OTHER_CLIP") ? 2.0 : 1.0,
      nullptr,
      &dropout};
  // Two sequences of 4 and 2 steps, 6 numbers wide: of the last two steps one row each.
  Tensor both{{2, 6, 1, 1}, {6, 1, 1, 1}}, one{{1, 6, 1, 1}, {6, 1, 1, 1}};
  const Opaque steps[] = {&both, &both, &one, &one};
  Sequences packed{1, 4, 6, {4, 2}}, padded{0, 4, 6, {4, 2}};
  Tensor state{{1, 3, 1, 1}, {3, 1, 1, 1}}, w{{16, 1, 1, 1}, {}};
  char* const left = c + 2048;
  const Opaque nobody = nullptr, handle = number(1);
  for (int i = 1; i < argc; ++i) {
    const auto is = [&](const char* name) { return std::strcmp(argv[i], name) == 0; };
    int status = 0;
    if (is("cudnnRNNForwardInference"))
      status = CALL(cudnnRNNForwardInference)(handle, &rnn, 4, steps, a, &state, b, &state, nullptr, &w,
                                              weights, steps, c, &state, left, &state, nullptr, nullptr, 0);
    if (is("cudnnRNNForwardTraining"))
      status =
          CALL(cudnnRNNForwardTraining)(handle, &rnn, 4, steps, a, &state, b, &state, nullptr, &w, weights,
                                        steps, c, &state, left, &state, nullptr, nullptr, 0, reserve, 64);
    if (is("cudnnRNNBackwardData"))
      status = CALL(cudnnRNNBackwardData)(handle, &rnn, 4, steps, b, steps, a, &state, nullptr, &state,
                                          nullptr, &w, weights, &state, b, &state, nullptr, steps, c, &state,
                                          left, &state, nullptr, nullptr, 0, reserve, 64);
    if (is("cudnnRNNBackwardWeights"))
      status = CALL(cudnnRNNBackwardWeights)(handle, &rnn, 4, steps, a, &state, b, steps, b, nullptr, 0, &w,
                                             c, reserve, 64);
    const Opaque sequences = is("cudnnRNNForwardInferenceEx, padded") ? &padded : &packed;
    if (is("cudnnRNNForwardInferenceEx") || is("cudnnRNNForwardInferenceEx, padded"))
      status = CALL(cudnnRNNForwardInferenceEx)(
          handle, &rnn, sequences, a, &state, b, &state, nullptr, &w, weights, sequences, c, &state, left,
          &state, nullptr, nobody, nullptr, nobody, nullptr, nobody, nullptr, nobody, nullptr, nullptr, 0);
    if (is("cudnnRNNForwardTrainingEx"))
      status =
          CALL(cudnnRNNForwardTrainingEx)(handle, &rnn, &packed, a, &state, b, &state, nullptr, &w, weights,
                                          &packed, c, &state, left, &state, nullptr, nobody, nullptr, nobody,
                                          nullptr, nobody, nullptr, nobody, nullptr, nullptr, 0, reserve, 64);
    if (is("cudnnRNNBackwardDataEx"))
      status = CALL(cudnnRNNBackwardDataEx)(handle, &rnn, &packed, b, &packed, a, nobody, nullptr, &state,
                                            nullptr, &state, nullptr, &w, weights, &state, b, &state, nullptr,
                                            &packed, c, &state, left, &state, nullptr, nobody, nullptr,
                                            nullptr, 0, reserve, 64);
    if (is("cudnnRNNBackwardWeightsEx"))
      status = CALL(cudnnRNNBackwardWeightsEx)(handle, &rnn, &packed, a, &state, b, &packed, b, nullptr, 0,
                                               &w, c, reserve, 64);
    if (is("wait")) status = CALL(cuStreamSynchronize)(number(64));
    std::printf("%s=%d\n", argv[i], status);
  }
}
