// The guard of a hook that is called millions of times: rand, getrandom.
//
// What was decided for a call place is remembered, so that a draw costs one comparison with the callers
// before and one addition to its counter. There is no lock, no system call and no lookup on that path.
#pragma once

#include "core/fingerprint/prints.h"
#include "loader/cryptography.h"
#include "loader/hook.h"

namespace detshim {

/// What a thread remembers of one hook: the last places that drew, and their counters. One per thread and
/// hook, constant-initialised. A program draws from a few places in turn, so there are a few.
struct DrawSites {
  struct Place {
    const void* caller = nullptr;
    Counter* counter = nullptr;
  };
  uint32_t epoch = 0; ///< of all places
  Place places[4];

  Place& place(const void* caller) {
    const auto address = reinterpret_cast<uintptr_t>(caller);
    return places[(address ^ address >> 3 ^ address >> 6) % 4];
  }

  /// Has the next draw from `caller` counted there. Step by step in this order: a signal handler that draws
  /// from the same place meanwhile finds a whole one, or none.
  void remember(uint32_t now, const void* caller, Counter* counter) {
    if (epoch != now)
      for (Place& old : places) old.caller = nullptr;
    Place& fresh = place(caller);
    fresh.caller = nullptr;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    fresh.counter = counter;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    fresh.caller = caller;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    epoch = now;
  }
};

/// How long the draws of one place are told apart by the frames behind it.
enum class Looks : uint8_t {
  at_first, ///< then they are counted where the last one was: what is called in loops
  always,   ///< where the native draw costs more than the look
};

/// Decides, records and counts a draw from `caller`: true if it is to be pinned. The decision for a place is
/// remembered in `sites` when it is to pin.
bool decide_draw(Hook& hook, DrawSites& sites, const void* caller, std::initializer_list<Value> values = {},
                 Purpose purpose = Purpose::any, Looks looks = Looks::at_first);

/// Fills memory from the kernel, for a hook whose real function this libc does not have.
void kernel_random(void* data, size_t size);

/// Counts a draw from a place that is known, if there is nothing else to do for it. No call is made here: a
/// hook that goes on without one, and leaves the rest to a function that it ends in, needs no frame. With
/// one, rand() took a third longer.
inline bool count_known_draw(DrawSites& sites, const void* caller) {
  const DrawSites::Place& place = sites.place(caller);
  if (__builtin_expect(sites.epoch != draw_epoch() || place.caller != caller, 0)) return false;
  Counter& counter = *place.counter;
  const uint64_t number = counter.number + 1;
  if (__builtin_expect(number >= counter.write_at || takes_fingerprints(), 0)) return false;
  counter.number = number;
  return true;
}

template <typename Signature>
class Draw {
public:
  Draw(Hook& hook, DrawSites& sites, const void* caller, Purpose purpose = Purpose::any,
       Looks looks = Looks::at_first)
      : hook_(hook) {
    const DrawSites::Place& place = sites.place(caller);
    if (__builtin_expect(sites.epoch == draw_epoch() && place.caller == caller, 1)) {
      count(*place.counter);
      pinned = true;
      return;
    }
    first = true;
    pinned = decide_draw(hook, sites, caller, {}, purpose, looks);
  }

  /// The function behind the wrapper, for a draw that is not pinned.
  Signature* real() const {
    if (hook_.state == Hook::State::unknown) find_real(hook_);
    return hook_.real != nullptr ? reinterpret_cast<Signature*>(const_cast<void*>(hook_.real))
                                 : &Absent<Signature>::call;
  }

  bool pinned; ///< give our own
  bool first =
      false; ///< the place is new to this thread, or another one drew since: see that the state is made

private:
  Hook& hook_;
};

} // namespace detshim

/// Opens the guard `draw` of a hook's body; SITES are the thread's DrawSites for it. Behind them: purpose,
/// looks.
#define DETSHIM_DRAW(NAME, SITES, ...)                                                                       \
  ::detshim::Draw<::detshim::hooks::NAME##_signature> draw(                                                  \
      ::detshim::hooks::NAME, SITES, __builtin_return_address(0) __VA_OPT__(, ) __VA_ARGS__)
