// A comparison of runs has seen what the call site passes: always the same numbers, which stay, or
// others each time, which are replaced. What the user names on the command line stays all the same.
//
// It says nothing of a call site that the compared runs did not reach.
#include "core/identity/thread.h"
#include "core/seeds/learned_seeds.h"
#include "core/seeds/rules/rules.h"
#include "core/seeds/seed_order.h"
#include "core/seeds/user_numbers.h"

namespace detshim {
namespace {

/// Whose sequence of seeds a call site takes from.
struct Owner {
  uint64_t key;
  bool is_first;
};

Owner owner_of(const LearnedSeed& learned) {
  if (learned.is_of_all)
    return {process().seed, true};
  if (learned.is_of_threads)
    return {process().key, process().is_first};
  return {this_thread().key, this_thread().is_first};
}

} // namespace

bool rules::learned(const PassedSeed& seed, Explanation& made) {
  constexpr uint64_t label_learned = 0x6C656172;
  const LearnedSeed learned = learned_seed(seed);
  if (learned.is_constant) {
    made.origin = Origin::constant;
    return true;
  }
  if (!learned.changes || is_from_user(seed.value, 0))
    return false;
  // The numbers of the runs that were compared.
  if (learned.is_in_order && is_order_fixed()) {
    rules::order(seed, made);
    made.origin = Origin::learned;
    return true;
  }
  const Owner owner = owner_of(learned);
  made.origin = Origin::learned;
  // A sequence for each group: what one passes shifts no other's.
  made.owner_key = derive(owner.key, learned.group);
  made.owner_is_first = learned.is_first && owner.is_first;
  // What several share is a child's as it is its parent's.
  const bool is_shared = learned.is_of_all || learned.is_of_threads;
  const uint64_t named_by = is_shared ? learned.group : made.owner_key;
  made.instance = derive(derive(named_by, label_learned), seed.value);
  return true;
}

} // namespace detshim
