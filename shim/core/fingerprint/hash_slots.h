// Slots for hashes that a GPU takes (hash_kernel.cu): the results lie in memory of the host that
// the GPU writes, and are there once what the program waited for has ended. Each context has slots
// of its own.
#pragma once

#include "core/fingerprint/area_hash.h"

/// The kernel's text for the driver, which ends in 0 (hash_kernel.S).
extern "C" __attribute__((visibility("hidden"))) const char detshim_hash_kernel[];

namespace detshim {

/// A hash under way: the slot, and of how many parts it will be. None at all without parts.
struct PendingHash {
  uint32_t slot = 0, parts = 0;
  uint32_t set = 0, round = 0; ///< of slots
};

/// Memory for the results of a set of slots, all zero, hash_slots of them; nullptr if all are in
/// use. A child begins without sets.
HashResult* make_hash_slots(uint32_t& set);
/// No context writes there.
void forget_hash_slots(uint32_t set);

/// A slot, its result zero, for a hash without parts; false if all are in use.
bool take_hash_slot(uint32_t set, PendingHash& pending);

/// True, and the slot is free again, if the result is there.
bool read_hash(const PendingHash& pending, uint64_t& hash);
/// True if it is; nothing changes.
bool is_hash_there(const PendingHash& pending);

/// Nobody will read it. The slot is free when what was launched for it has ended.
void give_back_hash_slot(const PendingHash& pending);

} // namespace detshim
