// In the shape of NVIDIA's cudnn_frontend_shim.h: one function of the header's makes every call to
// the library.
#pragma once

#include <cstdlib>
#include <functional>

namespace shim {

inline int finalize() { return std::rand() % 100; }

inline int build(int nodes) {
  const std::function<int()> each = [] {
    return finalize();
  };
  int sum = 0;
  for (int i = 0; i < nodes; ++i)
    sum += each();
  return sum;
}

} // namespace shim
