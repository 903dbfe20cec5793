// Slots for hashes that a GPU takes (hash_kernel.cu): the results lie in memory of the host that the GPU
// writes, and are there once what the program waited for has ended.
#pragma once

#include "core/fingerprint/area_hash.h"

namespace detshim {

/// A hash under way: the slot, and of how many parts it will be. None at all without parts.
struct PendingHash {
  uint32_t slot = 0, parts = 0;
};

/// The results' memory, of hash_slots, all zero; nullptr before it was given. A child begins without.
HashResult* hash_results();
void give_hash_results(HashResult* results);

/// A slot, its result zero; false if all are in use.
bool take_hash_slot(uint32_t& slot);

/// True, and the slot is free again, if the result is there.
bool read_hash(const PendingHash& pending, uint64_t& hash);
/// True if it is; nothing changes.
bool is_hash_there(const PendingHash& pending);

/// A slot for which nothing was launched.
void give_back_hash_slot(uint32_t slot);

} // namespace detshim
