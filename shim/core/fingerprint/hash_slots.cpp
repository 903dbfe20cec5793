#include "core/fingerprint/hash_slots.h"

#include "core/base/generations.h"
#include "core/base/lock.h"

namespace detshim {
namespace {

struct Slots {
  uint32_t generation;
  HashResult* results;
  uint32_t next;             // where the search begins
  bool is_taken[hash_slots]; // until its result was read: what nobody reads stays taken
};
constinit Slots slots = {};
constinit uint64_t lock = 0;

bool is_there(const PendingHash& pending) {
  return slots.generation == generation() &&
         __atomic_load_n(&slots.results[pending.slot].parts, __ATOMIC_ACQUIRE) == pending.parts;
}

} // namespace

HashResult* hash_results() {
  Lock guard(lock);
  return guard.held() && slots.generation == generation() ? slots.results : nullptr;
}

void give_hash_results(HashResult* results) {
  Lock guard(lock);
  if (!guard.held()) return;
  slots.next = 0;
  for (bool& is_taken : slots.is_taken) is_taken = false;
  slots.results = results;
  slots.generation = generation();
}

bool take_hash_slot(uint32_t& slot) {
  Lock guard(lock);
  if (!guard.held() || slots.generation != generation()) return false;
  for (uint32_t tried = 0; tried < hash_slots; ++tried) {
    slot = slots.next++ % hash_slots;
    if (slots.is_taken[slot]) continue;
    slots.is_taken[slot] = true;
    slots.results[slot] = {};
    return true;
  }
  return false;
}

bool read_hash(const PendingHash& pending, uint64_t& hash) {
  Lock guard(lock);
  if (!guard.held() || !is_there(pending)) return false;
  hash = slots.results[pending.slot].hash;
  slots.is_taken[pending.slot] = false;
  return true;
}

bool is_hash_there(const PendingHash& pending) { return is_there(pending); }

void give_back_hash_slot(uint32_t slot) {
  Lock guard(lock);
  if (guard.held()) slots.is_taken[slot] = false;
}

} // namespace detshim
