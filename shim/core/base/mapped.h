// A table of fixed size that is mapped at its first use. As a variable it would be in every
// program, and would count there against what a program may map, lock and commit.
#pragma once

#include "common/sys.h"

namespace detshim {

/// Of a type that begins as all zero and is never destroyed. Without a lock, so that a signal
/// handler or a forked child may be the first to use it. Constant-initialised.
template <typename T>
class Mapped {
public:
  /// The table, made at the first call; nullptr where no memory can be had.
  T* get() {
    T* const known = peek();
    return __builtin_expect(known != nullptr, 1) ? known : make();
  }

  /// The table; nullptr where nothing was put into it yet.
  T* peek() const { return __atomic_load_n(&table_, __ATOMIC_ACQUIRE); }

private:
  [[gnu::cold, gnu::noinline]] T* make() {
    void* const fresh = sys::map(sizeof(T), MAP_PRIVATE | MAP_NORESERVE);
    if (fresh == nullptr)
      return peek();
    T* first = nullptr;
    if (__atomic_compare_exchange_n(&table_, &first, static_cast<T*>(fresh), false,
                                    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      return static_cast<T*>(fresh);
    sys::unmap(fresh, sizeof(T));
    return first;
  }

  T* table_ = nullptr;
};

} // namespace detshim
