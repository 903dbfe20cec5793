// What streams are for.
#pragma once

#include <cstdint>

namespace detshim {

/// What a stream is for. The numbers are part of a stream's name: they never change, new ones are
/// appended.
enum class Kind : uint64_t {
  libc_random = 1, ///< rand and random: one generator, as in glibc
  libc_random_r = 2,
  drand48 = 3,
  xsubi48 = 4,
  rand_r = 5,
  getrandom = 6,
  getentropy = 7,
  arc4random = 8,
  urandom = 9,
  uuid = 10,
  random_device = 11,
  libcxx_random_device = 12,
  curand = 13,
  auxv_random = 14,
  cudnn_dropout = 17,
  cudnn_graph_rng = 18, ///< a random operation in a graph of cuDNN
  libuuid = 19,
  r_seed = 20, ///< of R's generator, where the program set none
  seeding_function =
      22, ///< of a function that is given its own clock, see hooks/runtimes/seeding_functions.h
  torch_unseeded = 24, ///< of PyTorch's generators, where the program set none
  torch_seed = 25,     ///< that the program gives one of them
  frozen_clock = 26,   ///< of a reading that is named, see hooks/support/frozen_clocks.h
  infrastructure =
      32, ///< what MPI, fabrics and drivers draw for themselves, see loader/infrastructure.h
  infrastructure_device = 33, ///< a random device that they open
  python_seed = 34,           ///< that a program gives `random`
  numpy_seed = 35,            ///< and NumPy
  jax_seed = 36,
  tensorflow_seed = 37,
  openssl = 38, ///< its generator, where the user gives its keys up
  onemkl_seed = 39,
};

} // namespace detshim
