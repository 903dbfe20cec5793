#include "core/seeds/seeds.h"

#include "common/cryptography.h"
#include "core/base/lock.h"
#include "core/base/table.h"
#include "core/identity/thread.h"
#include "core/policy/options.h"
#include "core/seeds/seed_origin.h"

namespace detshim {
namespace {

// How many seeds of each row were handed out, and what stands for each reading and, under `order`, for each
// value. Of the process and not of a thread: a thread may pass what another has read. A forked child goes on
// with what its parent decided.
constinit Table<8> rows;
constinit Table<8> bindings;
constinit uint64_t lock = 0;

// So many are remembered; one more is a new value each time that it comes.
constexpr size_t remembered_bindings = 65536;

// Labels of derivation, apart from all ordinals.
constexpr uint64_t label_values = 0x76616C75;

uint64_t in_bits(uint64_t seed, unsigned bits) {
  return bits == 64 ? seed : bits == 32 ? fold32(seed) : seed & ((uint64_t{1} << bits) - 1);
}

/// The next seed in the row of the thread that `key` names. Under the lock.
uint64_t next_in_row(Kind kind, uint64_t key, bool is_first) {
  const uint64_t row = derive(key, static_cast<uint64_t>(kind)); // as stream_key
  const uint64_t j = rows.insert(row)++;
  return j == 0 && is_first ? process().seed : derive(row, j);
}

/// What stands for `name` in that kind; a new one gets `own_seed`, or the next in the row. Under the lock.
uint64_t seed_bound_to(uint64_t name, const AskedSeed& asked, uint64_t owner_key, bool owner_is_first,
                       bool* is_known = nullptr) {
  const uint64_t key = derive(name, static_cast<uint64_t>(asked.kind));
  const uint64_t* known = bindings.find(key);
  if (is_known != nullptr) *is_known = known != nullptr;
  if (known != nullptr) return *known;
  const uint64_t seed =
      asked.own_seed != nullptr ? *asked.own_seed : next_in_row(asked.kind, owner_key, owner_is_first);
  if (bindings.used() < remembered_bindings) bindings.insert(key) = seed;
  return seed;
}

uint64_t mapped(const AskedSeed& asked) {
  const uint64_t mask = state_mask(asked.kind, asked.bits);
  // rand() without srand() is srand(1), in the C standard's words, and starts from DETSHIM_SEED. What would
  // have become that seed changes places with it.
  constexpr uint64_t standard = 1;
  if (asked.kind == Kind::libc_random && mask != 0) {
    const uint64_t seed = in_bits(process().seed, asked.bits);
    if (asked.value == standard) return seed;
    if (asked.value == (seed ^ mask)) return standard ^ mask;
  }
  return asked.value ^ mask;
}

Reason why_kept(Origin origin) {
  switch (origin) {
  case Origin::untold:
    return Reason::seed_kept;
  case Origin::received:
    return Reason::clock_of_other_process;
  case Origin::chance:
    return Reason::clock_by_chance;
  default:
    return Reason::own_value;
  }
}

Reason why_replaced(Origin origin) {
  switch (origin) {
  case Origin::id:
    return Reason::id_seed;
  case Origin::address:
    return Reason::address_seed;
  case Origin::doubt:
    return Reason::unexplained_seed;
  case Origin::received:
    return Reason::time_from_elsewhere;
  default:
    return Reason::clock_seed;
  }
}

/// For a handler of a fault amid another choice.
ChosenSeed amid_another(const AskedSeed& asked) { return {mapped(asked), why_kept(Origin::constant)}; }

/// `order`: the j-th distinct value of a thread becomes the j-th seed of its row.
ChosenSeed choose_by_order(const AskedSeed& asked, const Explanation& told) {
  Lock guard(lock);
  if (!guard.held()) return amid_another(asked);
  const Thread& thread = this_thread();
  const uint64_t name =
      told.is_volatile() ? told.instance : derive(derive(thread.key, label_values), asked.value);
  bool is_known;
  const uint64_t seed = seed_bound_to(name, asked, thread.key, thread.is_first, &is_known);
  return {in_bits(seed, asked.bits), told.is_volatile() ? why_replaced(told.origin)
                                     : is_known         ? Reason::known_value
                                                        : Reason::new_value};
}

/// `fixed`: what changes gives way to a seed of the thread that read it.
ChosenSeed give_way(const AskedSeed& asked, const Explanation& told) {
  Lock guard(lock);
  if (!guard.held()) return amid_another(asked);
  const uint64_t base =
      in_bits(seed_bound_to(told.instance, asked, told.owner_key, told.owner_is_first), asked.bits);
  return {in_bits(base + static_cast<uint64_t>(told.offset), asked.bits), why_replaced(told.origin)};
}

bool keeps_values() {
  return options().policy == SeedPolicy::keep || options().mode == Mode::record || makes_secrets();
}

} // namespace

uint64_t state_mask(Kind kind, unsigned bits) {
  if (keeps_values() || options().policy == SeedPolicy::order) return 0;
  return in_bits(derive(derive(process().seed, label_values), static_cast<uint64_t>(kind)), bits);
}

ChosenSeed choose_seed(const AskedSeed& asked) {
  if (makes_secrets()) return {asked.value, Reason::secret_program, Action::observe};
  const Explanation told = explain(asked.value, asked.bits, asked.caller);
  const SeedPolicy policy = options().policy;
  const bool is_volatile = told.is_volatile() || (told.origin == Origin::received && is_alone());
  if (policy == SeedPolicy::order) return choose_by_order(asked, told);
  if (is_volatile && policy == SeedPolicy::fixed) return give_way(asked, told);
  if (is_volatile)
    return {mapped(asked), policy == SeedPolicy::keep ? Reason::kept_by_policy : Reason::derived_seed,
            Action::unfixed};
  const bool may_change = told.origin == Origin::received || told.origin == Origin::chance;
  const Action action = may_change ? Action::unfixed : keeps_values() ? Action::observe : Action::pin;
  return {mapped(asked), why_kept(told.origin), action};
}

ChosenSeed choose_clock_seed(const AskedSeed& asked) {
  if (makes_secrets()) return {asked.value, Reason::secret_program, Action::observe};
  // A fixed number may be the low end of a clock by chance, in one run of many.
  constexpr uint64_t low_numbers = 1 << 24;
  constexpr Reason kept = Reason::own_value;
  const SeedPolicy policy = options().policy;
  if (policy != SeedPolicy::order && asked.value < low_numbers) return {asked.value, kept, Action::observe};
  const Explanation told = explain(asked.value, asked.bits, asked.caller);
  if (policy == SeedPolicy::order) return choose_by_order(asked, told);
  if (told.origin != Origin::clock && (told.origin != Origin::received || !is_alone()))
    return {asked.value, why_kept(told.origin),
            told.origin == Origin::received ? Action::unfixed : Action::observe};
  if (policy == SeedPolicy::fixed) return give_way(asked, told);
  return {asked.value, Reason::kept_by_policy, Action::unfixed};
}

uint64_t next_seed(Kind kind) {
  const Thread& thread = this_thread();
  Lock guard(lock);
  if (!guard.held()) return derive(stream_key(thread, kind), label_values);
  return next_in_row(kind, thread.key, thread.is_first);
}

ChosenSeed choose_unseeded(Kind kind, uint64_t standard) {
  const Thread& thread = this_thread();
  if (keeps_values()) {
    if (thread.label == 0) return {standard, Reason::standard_start, Action::observe};
    // Natively threads race for one state. Each has its own here, and it is the same in every run.
    return {derive(derive(standard, thread.label), static_cast<uint64_t>(kind)), Reason::not_seeded};
  }
  return {next_seed(kind), Reason::not_seeded};
}

} // namespace detshim
