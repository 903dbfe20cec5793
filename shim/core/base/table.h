// A map from 64-bit keys to 64-bit values for one thread: no malloc, no lock, no size limit but
// memory.
#pragma once

#include "common/sys.h"
#include "core/base/hash.h"

#include <cstddef>
#include <cstdint>

namespace detshim {

/// Open addressing over entries that live inside the object until `Inline` is three quarters full,
/// then in pages from the kernel. Not for two threads at once. insert() wants signals blocked
/// (sys::SignalsBlocked); what find() gave stays readable if a handler inserts meanwhile, because
/// outgrown pages are kept until clear(). Constant-initialised, so it works before any constructor.
template <size_t Inline>
class Table {
  static_assert((Inline & (Inline - 1)) == 0, "a power of two");

public:
  /// The value of `key`, or nullptr. An insert() may move the value elsewhere.
  uint64_t* find(uint64_t key) {
    Entry& entry = slot(entries(), capacity(), key);
    return entry.key == stored(key) ? &entry.value : nullptr;
  }

  /// The value of `key`, made as 0 where it is new. Where no memory can be had for more, the table
  /// starts again from empty: a forgotten key then counts as new, the same in every run.
  uint64_t& insert(uint64_t key) {
    if (used_ * 4 >= capacity() * 3)
      grow();
    Entry& entry = slot(entries(), capacity(), key);
    if (entry.key != stored(key)) {
      ++used_;
      entry.value = 0;
      entry.key = stored(key);
    }
    return entry.value;
  }

  /// Forgets everything and gives the memory back.
  void clear() {
    size_t capacity = capacity_;
    for (Entry* pages = pages_; pages != nullptr; capacity /= 2) {
      Entry* const outgrown = outgrown_by(pages, capacity);
      sys::unmap(pages, bytes(capacity));
      pages = outgrown;
    }
    pages_ = nullptr;
    capacity_ = 0;
    wipe();
  }

  bool has_pages() const { return pages_ != nullptr; }
  size_t used() const { return used_; }

private:
  struct Entry {
    uint64_t key;
    uint64_t value;
  };

  // 0 marks an empty entry, so a key of 0 is stored as another number. Keys are hashes or
  // addresses: the substitute meets a real key with a chance of 2^-64.
  static uint64_t stored(uint64_t key) { return key != 0 ? key : 0x9E3779B97F4A7C15; }

  Entry* entries() { return pages_ != nullptr ? pages_ : inline_; }
  size_t capacity() const { return pages_ != nullptr ? capacity_ : Inline; }

  static Entry& slot(Entry* entries, size_t capacity, uint64_t key) {
    uint64_t at = spread(key) >> 32;
    for (;; ++at) {
      Entry& entry = entries[at & (capacity - 1)];
      if (entry.key == 0 || entry.key == stored(key))
        return entry;
    }
  }

  void wipe() {
    used_ = 0;
    for (size_t i = 0; i < capacity(); ++i)
      entries()[i] = {};
  }

  // Behind the entries lies where the pages are that these outgrew.
  static size_t bytes(size_t capacity) { return (capacity + 1) * sizeof(Entry); }
  static Entry* outgrown_by(const Entry* pages, size_t capacity) {
    return reinterpret_cast<Entry*>(static_cast<uintptr_t>(pages[capacity].value));
  }

  void grow() {
    const size_t wanted = pages_ == nullptr ? first_capacity : capacity_ * 2;
    auto* fresh =
        wanted <= largest_capacity ? static_cast<Entry*>(sys::map(bytes(wanted))) : nullptr;
    if (fresh == nullptr)
      return wipe();
    for (size_t i = 0; i < capacity(); ++i)
      if (const Entry& old = entries()[i]; old.key != 0)
        slot(fresh, wanted, old.key) = old;
    fresh[wanted].value = reinterpret_cast<uintptr_t>(pages_);
    pages_ = fresh;
    capacity_ = wanted;
  }

  static constexpr size_t first_capacity = 256; // then twice the size each time
  static constexpr size_t largest_capacity = first_capacity << 24;

  Entry* pages_ = nullptr;
  size_t capacity_ = 0;
  size_t used_ = 0;
  Entry inline_[Inline] = {};
};

} // namespace detshim
