// A lock for the slow paths, safe where a mutex is not: in a signal handler and in a forked child.
#pragma once

#include "common/sys.h"
#include "core/base/generations.h"

#include <cstdint>
#include <linux/futex.h>

namespace detshim {

/// Holds `word` while it lives. A lock that another thread held when this process was forked counts
/// as free. A thread that holds it already (a handler that interrupted the holder) does not get it
/// again: held() is then false, and the caller does without.
///
/// Whoever waits sleeps in the kernel: a thread of a real-time policy that yields its processor
/// instead keeps it from a holder of an ordinary one. The operations are those of libc's own
/// mutexes. FUTEX_LOCK_PI would lift the holder above threads between the two as well, but
/// sandboxes of browsers and of OpenSSH end a process that asks for it, and libc's lock around
/// srand() does not lift its holder either.
class SpinGuard {
public:
  explicit SpinGuard(uint64_t& word) : word_(word) {
    // Where a filter refuses to say who this is, the answer has other bits.
    const uint64_t me =
        uint64_t{generation()} << 32 | (static_cast<uint32_t>(sys::gettid()) & ~awaited);
    uint64_t mark = 0; // who has slept does not know whether others still do
    for (;;) {
      uint64_t owner = __atomic_load_n(&word_, __ATOMIC_RELAXED);
      if ((owner & ~awaited) == me)
        return;
      if (owner == 0 || owner >> 32 != me >> 32) {
        if (!change(owner, me | mark, __ATOMIC_ACQUIRE))
          continue;
        mine_ = me;
        return;
      }
      if ((owner & awaited) == 0 && !change(owner, owner | awaited, __ATOMIC_RELAXED))
        continue;
      mark = awaited;
      sleep_while(static_cast<uint32_t>(owner | awaited));
    }
  }
  ~SpinGuard() {
    if (!held())
      return;
    give_back();
    __atomic_store_n(
        &mine_, 0,
        __ATOMIC_RELAXED); // a thread's id is another in each run: none stays on a stack
  }
  SpinGuard& operator=(SpinGuard&&) = delete; // neither copied nor moved

  bool held() const { return mine_ != 0; }

private:
  // In the lower half of the word, which the kernel looks at, beside the thread's id. In the upper
  // half is the process's generation.
  static constexpr uint64_t awaited = uint64_t{1} << 31;

  void give_back() {
    uint64_t owner = __atomic_load_n(&word_, __ATOMIC_RELAXED);
    while ((owner & ~awaited) == mine_) // or this is a new process, and somebody took it for free
      if (change(owner, 0, __ATOMIC_RELEASE)) {
        if ((owner & awaited) != 0)
          sys::call(SYS_futex, sys::address(&word_), FUTEX_WAKE_PRIVATE, 1);
        return;
      }
  }

  bool change(uint64_t& from, uint64_t to, int order) {
    return __atomic_compare_exchange_n(&word_, &from, to, false, order, __ATOMIC_RELAXED);
  }

  /// Not for long at once: a handler may leave by longjmp before it has woken anybody, and a
  /// process may be a new one while its threads wait already.
  void sleep_while(uint32_t owner) const {
    constexpr timespec most = {0, 10'000'000};
    const long answer = sys::call(SYS_futex, sys::address(&word_), FUTEX_WAIT_PRIVATE,
                                  static_cast<long>(owner), sys::address(&most));
    if (answer == 0 || answer == -EAGAIN || answer == -EINTR || answer == -ETIMEDOUT)
      return;
    sys::call(SYS_sched_yield); // a filter of system calls refuses, and may do so with the next one
    sys::sleep(50'000);
  }

  uint64_t& word_;
  uint64_t mine_ = 0; // what it holds the lock as
};

/// A spin guard that keeps signal handlers away too: one could draw, or leave by longjmp with the
/// lock held.
class SignalSafeLock {
public:
  explicit SignalSafeLock(uint64_t& word) : guard_(word) {}

  bool held() const { return guard_.held(); }

private:
  sys::SignalsBlocked no_signals_; // before the lock is taken, until after it is given back
  SpinGuard guard_;
};

} // namespace detshim
