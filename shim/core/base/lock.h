// A lock for the slow paths, safe where a mutex is not: in a signal handler and in a forked child.
#pragma once

#include "common/sys.h"
#include "core/base/generations.h"

#include <cstdint>

namespace detshim {

/// Holds `word` while it lives. A lock that another thread held when this process was forked counts as free.
/// A thread that holds it already (a handler that interrupted the holder) does not get it again: held() is
/// then false, and the caller does without.
class Turn {
public:
  explicit Turn(uint64_t& word) : word_(word) {
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
  ~Turn() {
    if (held_) __atomic_store_n(&word_, 0, __ATOMIC_RELEASE);
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  bool held() const { return held_; }

private:
  uint64_t& word_;
  bool held_ = false;
};

/// A turn that keeps signal handlers away too: one could draw, or leave by longjmp with the lock held.
class Lock {
public:
  explicit Lock(uint64_t& word) : turn_(word) {}

  bool held() const { return turn_.held(); }

private:
  sys::SignalsBlocked no_signals_; // before the lock is taken, until after it is given back
  Turn turn_;
};

} // namespace detshim
