// The guard of a hook that is called millions of times: rand, getrandom.
//
// What was decided for a call place is remembered, so that a draw costs one comparison with the last caller and
// one addition to its counter. There is no lock, no system call and no lookup on that path.
#pragma once

#include "loader/hook.h"

namespace detshim {

/// What a thread remembers of one hook: the last place that drew, and its counter. One per thread and hook,
/// constant-initialised.
struct DrawSite {
  uint32_t epoch = ~uint32_t{0};
  const void* caller = nullptr;
  Counter* counter = nullptr;
};

/// Decides, records and counts a draw from `caller`: true if it is to be pinned. The decision for a place is
/// remembered in `site` when it is to pin.
bool decide_draw(Hook& hook, DrawSite& site, const void* caller, std::initializer_list<Value> values = {});

/// True if the code at that address belongs to a cryptography library: its keys stay random.
bool is_cryptography(const void* caller);

/// Fills memory from the kernel, for a hook whose real function this libc does not have.
void kernel_random(void* data, size_t size);

template <typename Signature>
class Draw {
public:
  Draw(Hook& hook, DrawSite& site, const void* caller) : hook_(hook) {
    if (__builtin_expect(site.epoch == draw_epoch() && site.caller == caller, 1)) {
      ++site.counter->number;
      pinned = true;
      return;
    }
    first = true;
    pinned = decide_draw(hook, site, caller);
  }

  /// The function behind the wrapper, for a draw that is not pinned.
  Signature* real() const {
    if (hook_.state == Hook::State::unknown) find_real(hook_);
    return hook_.real != nullptr ? reinterpret_cast<Signature*>(const_cast<void*>(hook_.real))
                                 : &Absent<Signature>::call;
  }

  bool pinned;        ///< give our own
  bool first = false; ///< the place is new to this thread, or another one drew since: see that the state is made

private:
  Hook& hook_;
};

} // namespace detshim

/// Opens the guard `draw` of a hook's body; SITE is the thread's DrawSite for it.
#define DETSHIM_DRAW(NAME, SITE)                                                                              \
  ::detshim::Draw<::detshim::hooks::NAME##_signature> draw(::detshim::hooks::NAME, SITE,                      \
                                                            __builtin_return_address(0))
