// What is kept of cuDNN's backend descriptors, by their addresses.
#pragma once

#include "core/base/hash.h"
#include "core/base/mapped.h"

#include <cstddef>
#include <cstdint>

namespace detshim::cudnn {

/// `Entry` has its descriptor in `descriptor`, nullptr where it is free, and lies in one of the places of the
/// descriptor's set.
template <typename Entry, size_t set_count>
class DescriptorTable {
public:
  /// nullptr if nothing is kept of it. Needs no lock.
  Entry* find(const void* descriptor) const {
    return descriptor != nullptr ? look(sets_.peek(), descriptor, descriptor) : nullptr;
  }

  /// The descriptor's entry, or an empty one that the caller gives the descriptor; nullptr without room.
  Entry* make(const void* descriptor) {
    if (Entry* const known = find(descriptor)) return known;
    Entry* const free = look(sets_.get(), descriptor, nullptr);
    if (free != nullptr) *free = {};
    return free;
  }

private:
  static constexpr size_t set_size = 16;
  using Sets = Entry[set_count][set_size];

  static Entry* look(Sets* sets, const void* descriptor, const void* wanted) {
    if (sets == nullptr) return nullptr;
    for (Entry& entry : (*sets)[mix(reinterpret_cast<uintptr_t>(descriptor), 0) % set_count])
      if (__atomic_load_n(&entry.descriptor, __ATOMIC_RELAXED) == wanted) return &entry;
    return nullptr;
  }

  Mapped<Sets> sets_;
};

} // namespace detshim::cudnn
