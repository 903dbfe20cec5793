#include "core/seeds/seeds.h"

#include "common/cryptography.h"
#include "core/base/signal_safe_lock.h"
#include "core/base/table.h"
#include "core/identity/thread.h"
#include "core/policy/options.h"
#include "core/seeds/seed_origin.h"

namespace detshim {
namespace {

// How many seeds of each sequence were handed out, and what stands for each reading and, under `order`, for
// each value. Of the process and not of a thread: a thread may pass what another has read. A forked child
// goes on with what its parent decided.
constinit Table<8> sequences;
constinit Table<8> bindings;
constinit uint64_t lock = 0;

// So many are remembered; one more is a new value each time that it comes.
constexpr size_t remembered_bindings = 65536;

// Labels of derivation, apart from all ordinals.
constexpr uint64_t label_values = 0x76616C75;

uint64_t in_bits(uint64_t seed, unsigned bits) {
  return bits == 64 ? seed : bits == 32 ? fold32(seed) : seed & ((uint64_t{1} << bits) - 1);
}

/// The next seed in the sequence of the thread that `key` names. Under the lock.
uint64_t next_in_sequence(Kind kind, uint64_t key, bool is_first) {
  const uint64_t sequence = derive(key, static_cast<uint64_t>(kind)); // as stream_key
  const uint64_t j = sequences.insert(sequence)++;
  return j == 0 && is_first ? process().seed : derive(sequence, j);
}

/// What stands for `name` in that kind; a new one gets `own_seed`, or the next in the sequence. Under the
/// lock.
uint64_t seed_bound_to(uint64_t name, const RequestedSeed& requested, uint64_t owner_key, bool owner_is_first,
                       bool* is_known = nullptr) {
  const uint64_t key = derive(name, static_cast<uint64_t>(requested.kind));
  const uint64_t* known = bindings.find(key);
  if (is_known != nullptr) *is_known = known != nullptr;
  if (known != nullptr) return *known;
  const uint64_t seed = requested.own_seed != nullptr
                            ? *requested.own_seed
                            : next_in_sequence(requested.kind, owner_key, owner_is_first);
  if (bindings.used() < remembered_bindings) bindings.insert(key) = seed;
  return seed;
}

uint64_t mapped(const RequestedSeed& requested) {
  const uint64_t mask = state_mask(requested.kind, requested.bits);
  // rand() without srand() is srand(1), in the C standard's words, and starts from DETSHIM_SEED. What would
  // have become that seed changes places with it.
  constexpr uint64_t standard = 1;
  if (requested.kind == Kind::libc_random && mask != 0) {
    const uint64_t seed = in_bits(process().seed, requested.bits);
    if (requested.value == standard) return seed;
    if (requested.value == (seed ^ mask)) return standard ^ mask;
  }
  return requested.value ^ mask;
}

/// Why a value is kept, and why it gives way; by Origin.
constexpr struct {
  Reason kept, replaced;
} reasons[] = {
    {Reason::own_value, Reason::clock_seed},
    {Reason::seed_kept, Reason::clock_seed},
    {Reason::clock_by_chance, Reason::clock_seed},
    {Reason::clock_of_other_process, Reason::time_from_elsewhere},
    {Reason::own_value, Reason::clock_seed},
    {Reason::own_value, Reason::id_seed},
    {Reason::own_value, Reason::address_seed},
    {Reason::own_value, Reason::unexplained_seed},
};
Reason why_kept(Origin origin) { return reasons[static_cast<int>(origin)].kept; }
Reason why_replaced(Origin origin) { return reasons[static_cast<int>(origin)].replaced; }

/// For a handler of a fault amid another choice.
ChosenSeed amid_another(const RequestedSeed& requested) {
  return {mapped(requested), why_kept(Origin::constant)};
}

/// `order`: the j-th distinct value of a thread becomes the j-th seed of its sequence.
ChosenSeed choose_by_order(const RequestedSeed& requested, const Explanation& explained) {
  SignalSafeLock guard(lock);
  if (!guard.held()) return amid_another(requested);
  const Thread& thread = this_thread();
  const uint64_t name = explained.is_volatile() ? explained.instance
                                                : derive(derive(thread.key, label_values), requested.value);
  bool is_known;
  const uint64_t seed = seed_bound_to(name, requested, thread.key, thread.is_first, &is_known);
  return {in_bits(seed, requested.bits), explained.is_volatile() ? why_replaced(explained.origin)
                                         : is_known              ? Reason::known_value
                                                                 : Reason::new_value};
}

/// `fixed`: what changes gives way to a seed of the thread that read it.
ChosenSeed give_way(const RequestedSeed& requested, const Explanation& explained) {
  SignalSafeLock guard(lock);
  if (!guard.held()) return amid_another(requested);
  const uint64_t base =
      in_bits(seed_bound_to(explained.instance, requested, explained.owner_key, explained.owner_is_first),
              requested.bits);
  return {in_bits(base + static_cast<uint64_t>(explained.offset), requested.bits),
          why_replaced(explained.origin)};
}

bool keeps_values() {
  return options().policy == SeedPolicy::keep || options().mode == Mode::record || makes_secrets();
}

} // namespace

uint64_t state_mask(Kind kind, unsigned bits) {
  if (keeps_values() || options().policy == SeedPolicy::order) return 0;
  return in_bits(derive(derive(process().seed, label_values), static_cast<uint64_t>(kind)), bits);
}

ChosenSeed choose_seed(const RequestedSeed& requested) {
  if (makes_secrets()) return {requested.value, Reason::secret_program, Action::observe};
  const Explanation explained = explain(requested.value, requested.bits, requested.caller);
  const SeedPolicy policy = options().policy;
  const bool is_volatile = explained.is_volatile() || (explained.origin == Origin::received && is_alone());
  if (policy == SeedPolicy::order) return choose_by_order(requested, explained);
  if (is_volatile && policy == SeedPolicy::fixed) return give_way(requested, explained);
  if (is_volatile)
    return {mapped(requested), policy == SeedPolicy::keep ? Reason::kept_by_policy : Reason::derived_seed,
            Action::nondeterministic};
  const bool may_change = explained.origin == Origin::received || explained.origin == Origin::chance;
  const Action action = may_change       ? Action::nondeterministic
                        : keeps_values() ? Action::observe
                                         : Action::pin;
  return {mapped(requested), why_kept(explained.origin), action};
}

ChosenSeed choose_clock_seed(const RequestedSeed& requested) {
  if (makes_secrets()) return {requested.value, Reason::secret_program, Action::observe};
  // A fixed number may be the low end of a clock by chance, in one run of many.
  constexpr uint64_t low_numbers = 1 << 24;
  constexpr Reason kept = Reason::own_value;
  const SeedPolicy policy = options().policy;
  if (policy != SeedPolicy::order && requested.value < low_numbers)
    return {requested.value, kept, Action::observe};
  const Explanation explained = explain(requested.value, requested.bits, requested.caller);
  if (policy == SeedPolicy::order) return choose_by_order(requested, explained);
  if (explained.origin != Origin::clock && (explained.origin != Origin::received || !is_alone()))
    return {requested.value, why_kept(explained.origin),
            explained.origin == Origin::received ? Action::nondeterministic : Action::observe};
  if (policy == SeedPolicy::fixed) return give_way(requested, explained);
  return {requested.value, Reason::kept_by_policy, Action::nondeterministic};
}

uint64_t next_seed(Kind kind) {
  const Thread& thread = this_thread();
  SignalSafeLock guard(lock);
  if (!guard.held()) return derive(stream_key(thread, kind), label_values);
  return next_in_sequence(kind, thread.key, thread.is_first);
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
