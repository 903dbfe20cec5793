// Libraries that draw for themselves beside the program: which of them are there is a matter of the machine
// and of settings (another fabric, another component), and must not change what the program draws.
#pragma once

#include "core/base/generations.h"

#include <cstddef>
#include <cstdint>

namespace detshim {

/// True if the code at that address is in such a library: MPI's, PMIx's, a fabric's, the driver's, NCCL's.
bool is_of_infrastructure(const void* caller);

/// The places of one thread that such libraries draw from, so that few draws look for their library.
class InfrastructurePlaces {
public:
  /// True if `caller` is one. `is_new`: the draw's place may not have been asked about before.
  bool include(const void* caller, bool is_new) {
    if (__builtin_expect(!is_new && !has_some_, 1)) return false;
    const uintptr_t known = known_[slot(caller)];
    if (epoch_ == draw_epoch() && known >> 1 == reinterpret_cast<uintptr_t>(caller)) return (known & 1) != 0;
    return look(caller);
  }

private:
  static constexpr size_t size = 16;

  static size_t slot(const void* caller) {
    const auto address = reinterpret_cast<uintptr_t>(caller);
    return (address ^ address >> 4 ^ address >> 12) % size;
  }
  bool look(const void* caller);

  uint32_t epoch_ = 0; ///< of the places, which dlclose ends
  bool has_some_ = false;
  uintptr_t known_[size] = {}; ///< callers, shifted by the answer
};

} // namespace detshim
