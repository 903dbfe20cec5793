#include "core/fingerprint/hash_slots.h"

#include "common/sys.h"
#include "core/base/generations.h"
#include "core/base/signal_safe_lock.h"

namespace detshim {
namespace {

constexpr uint32_t most_sets = 64;
constexpr size_t result_bytes = hash_slots * sizeof(HashResult),
                 state_bytes = hash_slots * sizeof(uint32_t);

// A slot's state; one that nobody will read is free once so many parts have come.
constexpr uint32_t is_free = 0, is_taken = 1,
                   is_left = 2; // and more: that number less is_left of parts

struct Set {
  uint32_t generation; // of the process; 0: none
  uint32_t round;      // how often it was another context's
  HashResult* results;
  uint32_t* states;
  uint32_t next; // where the search begins
};
constinit Set sets[most_sets] = {};
constinit uint64_t lock = 0;

Set* set_of(const PendingHash& pending) {
  Set& set = sets[pending.set % most_sets];
  return set.generation == generation() && set.round == pending.round ? &set : nullptr;
}

uint64_t parts_there(const Set& set, uint32_t slot) {
  return __atomic_load_n(&set.results[slot].parts, __ATOMIC_ACQUIRE);
}

void unmap(Set& set) {
  if (set.results != nullptr)
    sys::unmap(set.results, result_bytes);
  if (set.states != nullptr)
    sys::unmap(set.states, state_bytes);
  set.results = nullptr;
  set.states = nullptr;
  set.generation = 0;
}

} // namespace

// Memory of our own, so that it stays when a context goes; shared, so that a child gets no copy of
// a page that the GPU writes.
HashResult* make_hash_slots(uint32_t& number) {
  SignalSafeLock guard(lock);
  if (!guard.held())
    return nullptr;
  for (Set& set : sets) {
    if (set.generation == generation())
      continue;
    unmap(set); // a parent's
    set.results = static_cast<HashResult*>(sys::map(result_bytes, MAP_SHARED));
    set.states = static_cast<uint32_t*>(sys::map(state_bytes));
    if (set.results == nullptr || set.states == nullptr)
      return unmap(set), nullptr;
    set.next = 0;
    ++set.round;
    set.generation = generation();
    number = static_cast<uint32_t>(&set - sets);
    return set.results;
  }
  return nullptr;
}

void forget_hash_slots(uint32_t number) {
  SignalSafeLock guard(lock);
  if (guard.held() && sets[number].generation == generation())
    unmap(sets[number]);
}

bool take_hash_slot(uint32_t number, PendingHash& pending) {
  SignalSafeLock guard(lock);
  Set& set = sets[number];
  if (!guard.held() || set.generation != generation())
    return false;
  for (uint32_t tried = 0; tried < hash_slots; ++tried) {
    const uint32_t slot = set.next++ % hash_slots, state = set.states[slot];
    if (state == is_taken || (state > is_left && parts_there(set, slot) != state - is_left))
      continue;
    set.states[slot] = is_taken;
    set.results[slot] = {};
    pending = {slot, 0, number, set.round};
    return true;
  }
  return false;
}

bool read_hash(const PendingHash& pending, uint64_t& hash) {
  SignalSafeLock guard(lock);
  Set* const set = guard.held() ? set_of(pending) : nullptr;
  if (set == nullptr || parts_there(*set, pending.slot) != pending.parts)
    return false;
  hash = set->results[pending.slot].hash;
  set->states[pending.slot] = is_free;
  return true;
}

bool is_hash_there(const PendingHash& pending) {
  SignalSafeLock guard(lock);
  Set* const set = guard.held() ? set_of(pending) : nullptr;
  return set != nullptr && parts_there(*set, pending.slot) == pending.parts;
}

void give_back_hash_slot(const PendingHash& pending) {
  SignalSafeLock guard(lock);
  if (Set* const set = guard.held() ? set_of(pending) : nullptr)
    set->states[pending.slot] = pending.parts == 0 ? is_free : is_left + pending.parts;
}

} // namespace detshim
