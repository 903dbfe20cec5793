// Libraries that draw for themselves beside the program: which of them are there is a matter of the machine
// and of settings (another fabric, another component), and must not change what the program draws.
#pragma once

#include <cstdint>

namespace detshim {

/// True if the code at that address is in such a library: MPI's, PMIx's, a fabric's, the driver's, NCCL's.
bool is_of_infrastructure(const void* caller);

/// The places of one thread from which such libraries draw, so that a hot draw does not look for its library.
class InfrastructurePlaces {
public:
  /// True if `caller` is one. `is_new`: the draw's place may not have been asked about before.
  bool include(const void* caller, bool is_new) {
    if (__builtin_expect(is_new || count_ > room, 0)) return look(caller);
    for (uint32_t i = 0; i < count_; ++i)
      if (callers_[i] == caller) return true;
    return false;
  }

private:
  bool look(const void* caller);

  static constexpr uint32_t room = 8;
  uint32_t epoch_ = 0; ///< of the places, which dlclose ends
  uint32_t count_ = 0; ///< more than there is room for: each is looked at anew
  const void* callers_[room] = {};
};

} // namespace detshim
