// Seeds the generator that the first argument names, by the second: a number, or "clock".
#include "accelerator_generators.h"

#include <cstdlib>
#include <ctime>
#include <string>

namespace {

std::uint64_t seed_of(const std::string& text) {
  if (text != "clock")
    return std::strtoull(text.c_str(), nullptr, 10);
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

} // namespace

int main(int, char** arguments) {
  const std::string generator = arguments[1];
  const std::uint64_t seed = seed_of(arguments[2]);
  const auto word = static_cast<std::uint32_t>(seed);
  const sycl::queue queue;
  if (generator == "mt19937")
    oneapi::mkl::rng::mt19937(queue, word);
  else if (generator == "mt19937 list")
    oneapi::mkl::rng::mt19937(queue, {word, 7});
  else if (generator == "philox4x32x10")
    oneapi::mkl::rng::philox4x32x10(queue, seed);
  else if (generator == "philox4x32x10 list")
    oneapi::mkl::rng::philox4x32x10(queue, {seed, 7});
  else if (generator == "nondeterministic")
    oneapi::mkl::rng::nondeterministic{queue};
  else if (generator == "xpu")
    at::XPUGeneratorImpl().set_current_seed(seed);
  else
    at_npu::NPUGeneratorImpl().set_current_seed(seed);
}
