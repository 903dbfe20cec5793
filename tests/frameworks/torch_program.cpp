// A C++ program on LibTorch: there is no switch of its own that a user could turn without building
// it anew.
#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/MapAllocator.h>

#include <cstdio>
#include <cstring>
#include <ctime>

int main(int, char** argv) {
  const at::Context& context = at::globalContext();
  if (std::strcmp(argv[1], "switches") == 0) {
    std::printf("deterministic %d benchmark %d\n", context.deterministicAlgorithms(),
                context.benchmarkCuDNN());
    const at::Tensor index = at::arange(1, 3);
    try {
      at::zeros({4}).put_(index, at::ones({2}));
    } catch (const c10::Error&) {
      std::puts("raised");
    }
  } else if (std::strcmp(argv[1], "shared_memory") == 0) {
    const std::string name = at::NewProcessWideShmHandle(); // /torch_<pid>_<random>_<n>
    std::puts(name.substr(name.find('_', name.find('_') + 1)).c_str());
  } else if (std::strcmp(argv[1], "clock") == 0) {
    at::manual_seed(static_cast<uint64_t>(std::time(nullptr)));
    std::printf("%.9f\n", at::rand({1}).item<double>());
  } else {
    std::printf("%.9f\n", at::rand({1}).item<double>());
  }
}
