// The part of oneMKL's, PyTorch's and torch_npu's generators by which they are seeded.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace sycl {
inline namespace _V1 {
class queue {
public:
  queue() {}
  queue(const queue&) {} // as the real one, so that it is passed by its address
};
} // namespace _V1
} // namespace sycl

namespace oneapi::mkl::rng {
struct mt19937 {
  mt19937(sycl::queue queue, std::uint32_t seed);
  mt19937(sycl::queue queue, std::initializer_list<std::uint32_t> seeds);
};
struct philox4x32x10 {
  philox4x32x10(sycl::queue queue, std::uint64_t seed);
  philox4x32x10(sycl::queue queue, std::initializer_list<std::uint64_t> seeds);
};
struct nondeterministic {
  explicit nondeterministic(sycl::queue queue);
};
} // namespace oneapi::mkl::rng

namespace at {
struct XPUGeneratorImpl {
  virtual void set_current_seed(std::uint64_t seed);
};
} // namespace at

namespace at_npu {
struct NPUGeneratorImpl {
  virtual void set_current_seed(std::uint64_t seed);
};
} // namespace at_npu
