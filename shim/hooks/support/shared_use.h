// Objects whose state advances with each use, such as random generators: two threads that share one
// race for its numbers. Told without a lock, because every use asks.
#pragma once

#include "core/base/generations.h"
#include "core/base/hash.h"

namespace detshim {

/// Values by object for all threads at once: one probe on the hot path, no lock, no memory but its
/// own. An object finds no room where `window` others lie near its slot; it is then not kept.
template <size_t Size, size_t window = 16>
class ObjectTable {
  static_assert((Size & (Size - 1)) == 0, "a power of two");

public:
  struct Entry {
    uint64_t object;
    uint64_t value;
    uint32_t mark;
  };

  /// nullptr if it is not here. No object is at 0, which marks an empty entry.
  Entry* find(const void* object) {
    if (object == nullptr)
      return nullptr;
    for (size_t i = 0; i < window; ++i)
      if (Entry& entry = at(object, i); load(entry.object) == number_of(object))
        return &entry;
    return nullptr;
  }

  /// nullptr if it finds no room.
  Entry* insert(const void* object) {
    if (Entry* known = find(object))
      return known;
    if (object == nullptr)
      return nullptr;
    for (size_t i = 0; i < window; ++i) {
      Entry& entry = at(object, i);
      uint64_t owner = 0;
      if (__atomic_compare_exchange_n(&entry.object, &owner, number_of(object), false,
                                      __ATOMIC_ACQ_REL,
                                      __ATOMIC_ACQUIRE) ||
          owner == number_of(object)) // another thread was faster
        return &entry;
    }
    return nullptr;
  }

  void forget(const void* object) {
    Entry* entry = find(object);
    if (entry == nullptr)
      return;
    __atomic_store_n(&entry->value, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&entry->mark, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&entry->object, 0, __ATOMIC_RELEASE);
  }

private:
  static uint64_t load(const uint64_t& word) { return __atomic_load_n(&word, __ATOMIC_ACQUIRE); }
  static uint64_t number_of(const void* object) { return reinterpret_cast<uintptr_t>(object); }
  Entry& at(const void* object, size_t i) {
    return entries_[((spread(number_of(object)) >> 32) + i) & (Size - 1)];
  }

  Entry entries_[Size] = {};
};

/// Who uses which object.
template <size_t Size>
class Users {
public:
  /// Notes a use. True the first time that somebody other than the object's first user has it.
  /// `user` is a key such as Thread::key.
  bool is_newly_shared(const void* object, uint64_t user) {
    auto* entry = objects_.insert(object);
    if (entry == nullptr)
      return false;
    const uint64_t me = named(user);
    uint64_t first = __atomic_load_n(&entry->value, __ATOMIC_RELAXED);
    if (first == me)
      return false;
    // In a forked child the parent's objects are copies that nobody uses yet.
    if (static_cast<uint32_t>(first) != generation() &&
        __atomic_compare_exchange_n(&entry->value, &first, me, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED))
      return false;
    return report(*entry);
  }

  /// The same for a call that sets an object up, which anybody may do before its first user has it.
  bool is_newly_shared_by_setting(const void* object, uint64_t user) {
    auto* entry = objects_.find(object);
    if (entry == nullptr)
      return false;
    const uint64_t first = __atomic_load_n(&entry->value, __ATOMIC_RELAXED);
    return static_cast<uint32_t>(first) == generation() && first != named(user) && report(*entry);
  }

  /// To be called when the object is made or goes: another one may get its address.
  void forget(const void* object) { objects_.forget(object); }

private:
  static uint64_t named(uint64_t user) { return (user & ~uint64_t{0xFFFFFFFF}) | generation(); }
  /// An entry's mark is the process that it was reported in, by its generation.
  template <typename Entry>
  static bool report(Entry& entry) {
    return __atomic_exchange_n(&entry.mark, generation(), __ATOMIC_RELAXED) != generation();
  }

  ObjectTable<Size> objects_;
};

} // namespace detshim
