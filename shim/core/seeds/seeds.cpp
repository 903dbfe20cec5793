#include "core/seeds/seeds.h"

#include "common/cryptography.h"
#include "core/base/signal_safe_lock.h"
#include "core/base/table.h"
#include "core/identity/thread.h"
#include "core/policy/options.h"
#include "core/seeds/learned_seeds.h"

namespace detshim {
namespace {

// How many seeds of each sequence were handed out, and what stands for each reading. Of the process and not
// of a thread: a thread may pass what another has read. A forked child goes on with what its parent decided.
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

/// The next seed in the sequence of the thread, or of the call sites, that `key` names: the first of all is
/// DETSHIM_SEED itself. Under the lock.
uint64_t next_in_sequence(Kind kind, uint64_t key, bool is_first) {
  const uint64_t sequence = derive(key, static_cast<uint64_t>(kind)); // as stream_key
  const uint64_t j = sequences.insert(sequence)++;
  const bool is_seed_itself =
      j == 0 && is_first && sequences.insert(derive(label_values, static_cast<uint64_t>(kind)))++ == 0;
  return is_seed_itself ? process().seed : derive(sequence, j);
}

/// What stands for the reading in that kind; a new one gets `own_seed`, or the next in the sequence. Under
/// the lock.
uint64_t seed_bound_to(const Explanation& explained, const RequestedSeed& requested) {
  const uint64_t key = derive(explained.instance, static_cast<uint64_t>(requested.kind));
  if (const uint64_t* known = bindings.find(key)) return *known;
  const uint64_t seed = requested.own_seed != nullptr
                            ? *requested.own_seed
                            : next_in_sequence(requested.kind, explained.owner_key, explained.owner_is_first);
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
    {Reason::unexplained_seed, Reason::none},  {Reason::own_value, Reason::none},
    {Reason::own_value, Reason::clock_seed},   {Reason::own_value, Reason::id_seed},
    {Reason::own_value, Reason::address_seed}, {Reason::own_value, Reason::learned_seed},
};
Reason why_kept(Origin origin) { return reasons[static_cast<int>(origin)].kept; }
Reason why_replaced(Origin origin) { return reasons[static_cast<int>(origin)].replaced; }

/// `fixed`: what changes gives way to a seed of the thread that read it.
ChosenSeed give_way(const RequestedSeed& requested, const Explanation& explained) {
  SignalSafeLock guard(lock);
  if (!guard.held()) // a handler of a fault amid another choice
    return {mapped(requested), why_kept(Origin::constant)};
  const uint64_t base = in_bits(seed_bound_to(explained, requested), requested.bits);
  return {in_bits(base + static_cast<uint64_t>(explained.offset), requested.bits),
          why_replaced(explained.origin)};
}

bool keeps_values() {
  return options().policy == SeedPolicy::keep || options().mode == Mode::record || makes_secrets();
}

} // namespace

uint64_t state_mask(Kind kind, unsigned bits) {
  if (keeps_values()) return 0;
  return in_bits(derive(derive(process().seed, label_values), static_cast<uint64_t>(kind)), bits);
}

ChosenSeed choose_seed(const RequestedSeed& requested) {
  if (makes_secrets()) return {requested.value, Reason::secret_program, Action::observe};
  const Explanation explained = explain(requested.value, requested.bits, requested.caller);
  if (explained.is_volatile() && options().policy == SeedPolicy::fixed) return give_way(requested, explained);
  if (explained.is_volatile()) return {requested.value, Reason::kept_by_policy, Action::nondeterministic};
  return {mapped(requested), why_kept(explained.origin), keeps_values() ? Action::observe : Action::pin};
}

ChosenSeed choose_clock_seed(const RequestedSeed& requested) {
  if (makes_secrets()) return {requested.value, Reason::secret_program, Action::observe};
  // A fixed number may be the low end of a clock by chance, in one run of many.
  constexpr uint64_t low_numbers = 1 << 24;
  if (requested.value < low_numbers && !learned_seed(requested.value, requested.caller).changes)
    return {requested.value, Reason::own_value, Action::observe};
  return choose_read_seed(requested, explain(requested.value, requested.bits, requested.caller));
}

ChosenSeed choose_read_seed(const RequestedSeed& requested, const Explanation& explained) {
  if (makes_secrets()) return {requested.value, Reason::secret_program, Action::observe};
  if (explained.origin != Origin::clock && explained.origin != Origin::learned)
    return {requested.value, Reason::own_value, Action::observe};
  if (options().policy == SeedPolicy::fixed) return give_way(requested, explained);
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
