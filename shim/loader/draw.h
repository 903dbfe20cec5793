// The guard of a hook that is called millions of times: rand, getrandom.
//
// What was decided for a call site is remembered, so that a draw costs one comparison with the
// callers before and one addition to its counter. There is no lock, no system call and no lookup on
// that path.
#pragma once

#include "core/fingerprint/output_digests.h"
#include "loader/cryptography.h"
#include "loader/hook.h"

namespace detshim {

/// What a thread remembers of one hook: the last call sites that drew, and their counters. One per
/// thread and hook, constant-initialised. A program draws from a few in turn, so there are a few.
struct CallSites {
  struct CallSite {
    const void* caller = nullptr;
    Counter* counter = nullptr;
  };
  uint32_t epoch = 0; ///< of all of them
  CallSite call_sites[4];

  CallSite& call_site(const void* caller) {
    const auto address = reinterpret_cast<uintptr_t>(caller);
    return call_sites[(address ^ address >> 3 ^ address >> 6) % 4];
  }

  /// Has the next draw from `caller` counted there. Step by step in this order: a signal handler
  /// that draws from the same call site meanwhile finds a whole one, or none.
  void remember(uint32_t now, const void* caller, Counter* counter) {
    if (epoch != now)
      for (CallSite& old : call_sites)
        old.caller = nullptr;
    CallSite& fresh = call_site(caller);
    fresh.caller = nullptr;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    fresh.counter = counter;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    fresh.caller = caller;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    epoch = now;
  }
};

/// Decides, records and counts a draw from `caller`: true if it is to be pinned. The decision for a
/// call site is remembered in `call_sites` when it is to pin.
bool decide_draw(Hook& hook, CallSites& call_sites, const void* caller,
                 std::initializer_list<Value> values = {}, Purpose purpose = Purpose::any);

/// Fills memory from the kernel, for a hook whose real function this libc does not have.
void kernel_random(void* data, size_t size);

/// Counts a draw from a call site that is known, if there is nothing else to do for it. No call is
/// made here: a hook that goes on without one, and leaves the rest to a function that it ends in,
/// needs no frame. With one, rand() took a third longer.
inline bool count_known_draw(CallSites& call_sites, const void* caller) {
  const CallSites::CallSite& known = call_sites.call_site(caller);
  if (__builtin_expect(call_sites.epoch != draw_epoch() || known.caller != caller, 0))
    return false;
  Counter& counter = *known.counter;
  const uint64_t number = counter.number + 1;
  if (__builtin_expect(number >= counter.write_at || takes_fingerprints(), 0))
    return false;
  counter.number = number;
  return true;
}

template <typename Signature>
class Draw {
public:
  Draw(Hook& hook, CallSites& call_sites, const void* caller, Purpose purpose = Purpose::any)
      : hook_(hook) {
    const CallSites::CallSite& known = call_sites.call_site(caller);
    if (__builtin_expect(call_sites.epoch == draw_epoch() && known.caller == caller, 1)) {
      count(*known.counter);
      pinned = true;
      return;
    }
    first = true;
    pinned = decide_draw(hook, call_sites, caller, {}, purpose);
  }

  /// The function behind the wrapper, for a draw that is not pinned.
  Signature* real() const {
    if (hook_.state == Hook::State::unknown)
      find_real(hook_);
    return hook_.real != nullptr ? reinterpret_cast<Signature*>(const_cast<void*>(hook_.real))
                                 : &Absent<Signature>::call;
  }

  bool pinned;        ///< give our own
  bool first = false; ///< the call site is new to this thread, or another one drew since: see that
                      ///< the state is made

private:
  Hook& hook_;
};

} // namespace detshim

/// Opens the guard `draw` of a hook's body; SITES are the thread's CallSites for it. Behind them:
/// purpose.
#define DETSHIM_DRAW(NAME, SITES, ...)                                                             \
  ::detshim::Draw<::detshim::hooks::NAME##_signature> draw(                                        \
      ::detshim::hooks::NAME, SITES, __builtin_return_address(0) __VA_OPT__(, ) __VA_ARGS__)
