// CTC loss and its gradients with CUDNN_CTC_LOSS_ALGO_NON_DETERMINISTIC, which adds the gradients
// of equal labels by atomics. The alphabet is small, so that every label comes many times. Through
// both calls: labels in the host's memory, and in the device's. With --deterministic:
// CUDNN_CTC_LOSS_ALGO_DETERMINISTIC.
#include "cudnn_types.h"

namespace {

using gpu::Device;

constexpr int repeats = 10;
constexpr int steps = 200, batch = 32, alphabet = 5, longest = 60; // label 0 is the blank

struct Problem {
  cudnnTensorDescriptor_t tensor = nullptr; // of the probabilities and of the gradients
  cudnnCTCLossDescriptor_t loss = nullptr;
  std::vector<int> labels, label_lengths, input_lengths;
  Device<float> scores, gradients, costs;

  Problem()
      : scores(gpu::fixed<float>(steps * batch * alphabet, 1, 1)),
        gradients(steps * batch * alphabet), costs(batch) {
    const int dims[] = {steps, batch, alphabet}, strides[] = {batch * alphabet, alphabet, 1};
    CHECK(cudnnCreateTensorDescriptor(&tensor));
    CHECK(cudnnSetTensorNdDescriptor(tensor, CUDNN_DATA_FLOAT, 3, dims, strides));
    CHECK(cudnnCreateCTCLossDescriptor(&loss));
    gpu::FixedNumbers numbers(2);
    for (int i = 0; i < batch; ++i) {
      const int length = longest - static_cast<int>(numbers.next() % 20);
      label_lengths.push_back(length);
      input_lengths.push_back(steps);
      for (int j = 0; j < length; ++j)
        labels.push_back(1 + static_cast<int>(numbers.next() % (alphabet - 1)));
    }
  }
};

void print(const Problem& problem, const std::string& variant) {
  gpu::print(variant + ".costs", problem.costs);
  gpu::print(variant + ".gradients", problem.gradients);
}

void labels_on_host(cudnnHandle_t handle, cudnnCTCLossAlgo_t algorithm) {
  const Problem problem;
  CHECK(cudnnSetCTCLossDescriptorEx(problem.loss, CUDNN_DATA_FLOAT,
                                    CUDNN_LOSS_NORMALIZATION_SOFTMAX, CUDNN_NOT_PROPAGATE_NAN));
  size_t bytes = 0;
  CHECK(cudnnGetCTCLossWorkspaceSize(handle, problem.tensor, problem.tensor, problem.labels.data(),
                                     problem.label_lengths.data(), problem.input_lengths.data(),
                                     algorithm, problem.loss, &bytes));
  const Device<char> workspace(bytes);
  gpu::work(repeats, [&] {
    CHECK(cudnnCTCLoss(handle, problem.tensor, problem.scores.get(), problem.labels.data(),
                       problem.label_lengths.data(), problem.input_lengths.data(),
                       problem.costs.get(), problem.tensor, problem.gradients.get(), algorithm,
                       problem.loss, workspace.get(), bytes));
  });
  print(problem, "host_labels");
}

void labels_on_device(cudnnHandle_t handle, cudnnCTCLossAlgo_t algorithm) {
  const Problem problem;
  CHECK(cudnnSetCTCLossDescriptor_v9(problem.loss, CUDNN_DATA_FLOAT,
                                     CUDNN_LOSS_NORMALIZATION_SOFTMAX, CUDNN_CTC_ZERO_OOB_GRADIENTS,
                                     longest));
  size_t bytes = 0;
  CHECK(cudnnGetCTCLossWorkspaceSize_v8(handle, algorithm, problem.loss, problem.tensor,
                                        problem.tensor, &bytes));
  const Device<char> workspace(bytes);
  const Device<int> labels(problem.labels), label_lengths(problem.label_lengths),
      input_lengths(problem.input_lengths);
  gpu::work(repeats, [&] {
    CHECK(cudnnCTCLoss_v8(handle, algorithm, problem.loss, problem.tensor, problem.scores.get(),
                          labels.get(), label_lengths.get(), input_lengths.get(),
                          problem.costs.get(), problem.tensor, problem.gradients.get(), bytes,
                          workspace.get()));
  });
  print(problem, "device_labels");
}

} // namespace

int main(int argc, char** argv) {
  const gpu::Options options = gpu::start(argc, argv);
  const cudnnCTCLossAlgo_t algorithm = options.deterministic
                                           ? CUDNN_CTC_LOSS_ALGO_DETERMINISTIC
                                           : CUDNN_CTC_LOSS_ALGO_NON_DETERMINISTIC;
  cudnnHandle_t handle = nullptr;
  CHECK(cudnnCreate(&handle));
  gpu::attempt("host_labels", [&] {
    labels_on_host(handle, algorithm);
  });
  gpu::attempt("device_labels", [&] {
    labels_on_device(handle, algorithm);
  });
  CHECK(cudnnDestroy(handle));
  return gpu::finish();
}
