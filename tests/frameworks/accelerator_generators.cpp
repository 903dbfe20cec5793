// A double of libmkl_sycl_rng.so, of libtorch_xpu.so or of libtorch_npu.so: says by what it is
// seeded.
#include "accelerator_generators.h"

#include <cstdio>

namespace {

template <typename Seed>
void say(Seed seed) {
  std::printf("%llu\n", static_cast<unsigned long long>(seed));
}

} // namespace

#ifdef OF_ONEMKL
namespace oneapi::mkl::rng {
mt19937::mt19937(sycl::queue, std::uint32_t seed) { say(seed); }
mt19937::mt19937(sycl::queue, std::initializer_list<std::uint32_t> seeds) {
  for (const std::uint32_t seed : seeds)
    say(seed);
}
philox4x32x10::philox4x32x10(sycl::queue, std::uint64_t seed) { say(seed); }
philox4x32x10::philox4x32x10(sycl::queue, std::initializer_list<std::uint64_t> seeds) {
  for (const std::uint64_t seed : seeds)
    say(seed);
}
nondeterministic::nondeterministic(sycl::queue) {}
} // namespace oneapi::mkl::rng
#elif defined OF_TORCH_XPU
void at::XPUGeneratorImpl::set_current_seed(std::uint64_t seed) { say(seed); }
#else
void at_npu::NPUGeneratorImpl::set_current_seed(std::uint64_t seed) { say(seed); }
#endif
