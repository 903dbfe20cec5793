// The latest few values of a kind, which any thread may add to and look through, in a signal
// handler as well.
//
// No lock: a handler may interrupt who holds it. Each slot carries a stamp, which is 0 while the
// slot is written and another after each writing; a reader that sees two stamps has read a mixture
// and passes it over.
#pragma once

#include <cstddef>
#include <cstdint>

namespace detshim {

template <typename Value, size_t count>
class Ring {
public:
  /// Takes the place of the oldest.
  void add(const Value& value) {
    const uint64_t number = __atomic_fetch_add(&next_, 1, __ATOMIC_RELAXED);
    Slot& slot = slots_[number % count];
    __atomic_store_n(&slot.stamp, 0, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    slot.value = value;
    __atomic_store_n(&slot.stamp, number + 1, __ATOMIC_RELEASE);
  }

  /// Calls visit(value) with a copy of each, in no order, until it returns true.
  template <typename Visit>
  bool any(Visit visit) const {
    for (const Slot& slot : slots_) {
      const uint64_t before = __atomic_load_n(&slot.stamp, __ATOMIC_ACQUIRE);
      if (before == 0)
        continue;
      const Value copy = slot.value;
      __atomic_thread_fence(__ATOMIC_ACQUIRE);
      if (__atomic_load_n(&slot.stamp, __ATOMIC_RELAXED) == before && visit(copy))
        return true;
    }
    return false;
  }

private:
  struct Slot {
    uint64_t stamp = 0;
    Value value = {};
  };
  Slot slots_[count] = {};
  uint64_t next_ = 0;
};

} // namespace detshim
