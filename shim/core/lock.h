// A lock for the slow paths, safe where a mutex is not: in a signal handler and in a forked child.
#pragma once

#include "core/identity.h"
#include "core/sys.h"

#include <cstdint>

namespace detshim {

/// Holds `word` while it lives, and keeps signal handlers away: one could draw, or leave by longjmp with the
/// lock held. A lock that another thread held when this process was forked counts as free. A thread that
/// holds it already (a fault handler that interrupted the holder) does not get it again: held() is then
/// false, and the caller does without.
class Lock {
public:
  explicit Lock(uint64_t& word) : word_(word) {
    const uint64_t me = uint64_t{generation()} << 32 | static_cast<uint32_t>(sys::gettid());
    for (;;) {
      uint64_t owner = __atomic_load_n(&word_, __ATOMIC_RELAXED);
      if (owner == me) return;
      if (owner == 0 || owner >> 32 != me >> 32) {
        held_ = __atomic_compare_exchange_n(&word_, &owner, me, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
        if (held_) return;
      }
      sys::call(SYS_sched_yield);
    }
  }
  ~Lock() {
    if (held_) __atomic_store_n(&word_, 0, __ATOMIC_RELEASE);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  bool held() const { return held_; }

private:
  sys::SignalsBlocked no_signals_; // before the lock is taken, until after it is given back
  uint64_t& word_;
  bool held_ = false;
};

} // namespace detshim
