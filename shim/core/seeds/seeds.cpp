// Decides which seed the program gets in place of its own: the same for every value that is made of
// one reading, the next of the thread's sequence for a new one. That is remembered for the process,
// as another thread or a forked child may pass what this one has read.
//
// It cannot know more than the rules tell of a value; what none tells is kept.
#include "core/seeds/seeds.h"

#include "common/cryptography.h"
#include "core/base/signal_safe_lock.h"
#include "core/base/table.h"
#include "core/identity/thread.h"
#include "core/policy/options.h"
#include "core/seeds/rules/rules.h"
#include "core/seeds/seed_order.h"

namespace detshim {
namespace {

/// Of the process and not of a thread: a thread may pass what another has read. A forked child goes
/// on with what its parent decided.
struct SeedState {
  uint64_t lock = 0;
  Table<8> sequences; ///< how many seeds of each were handed out
  Table<8> bindings;  ///< which seed each reading has
};
constinit SeedState seeds;

// So many are remembered; one more is a new value each time that it comes.
constexpr size_t remembered_bindings = 65536;

// Labels of derivation, apart from all ordinals.
constexpr uint64_t label_values = 0x76616C75;

uint64_t in_bits(uint64_t seed, unsigned bits) {
  return bits == 64 ? seed : bits == 32 ? fold32(seed) : seed & ((uint64_t{1} << bits) - 1);
}

/// The next seed in the sequence of the thread, or of the call sites, that `key` names: the first
/// of all is DETSHIM_SEED itself. Under the lock.
uint64_t next_in_sequence(Kind kind, uint64_t key, bool is_first) {
  const uint64_t sequence = derive(key, static_cast<uint64_t>(kind)); // as stream_key
  const uint64_t j = seeds.sequences.insert(sequence)++;
  const bool is_seed_itself =
      j == 0 && is_first &&
      seeds.sequences.insert(derive(label_values, static_cast<uint64_t>(kind)))++ == 0;
  return is_seed_itself ? process().seed : derive(sequence, j);
}

/// The seed that an instance has in that kind; nullptr if it has none. Under the lock.
const uint64_t* bound_seed(uint64_t instance, Kind kind) {
  return seeds.bindings.find(derive(instance, static_cast<uint64_t>(kind)));
}

/// The seed of the reading in that kind; a new one gets `own_seed`, or the next in the
/// sequence. Under the lock.
uint64_t seed_bound_to(const Explanation& explained, const RequestedSeed& requested) {
  // A value that has its seed in the order has it in every thread and child.
  if (const uint64_t* in_order = bound_seed(instance_in_order(requested.value), requested.kind))
    return *in_order;
  if (const uint64_t* known = bound_seed(explained.instance, requested.kind))
    return *known;
  const uint64_t seed =
      requested.own_seed != nullptr
          ? *requested.own_seed
          : next_in_sequence(requested.kind, explained.owner_key, explained.owner_is_first);
  if (seeds.bindings.used() < remembered_bindings)
    seeds.bindings.insert(derive(explained.instance, static_cast<uint64_t>(requested.kind))) = seed;
  return seed;
}

/// The program's own value: as it is, or, for another run by DETSHIM_SEED, one to one another.
uint64_t own_value(const RequestedSeed& requested) {
  const uint64_t mask = state_mask(requested.kind, requested.bits);
  // rand() without srand() is srand(1), in the C standard's words, and starts from DETSHIM_SEED.
  // What would have become that seed changes places with it.
  constexpr uint64_t standard = 1;
  if (requested.kind == Kind::libc_random && mask != 0) {
    const uint64_t seed = in_bits(process().seed, requested.bits);
    if (requested.value == standard)
      return seed;
    if (requested.value == (seed ^ mask))
      return standard ^ mask;
  }
  return requested.value ^ mask;
}

/// Why a value is kept, and why it is replaced; by Origin.
constexpr struct {
  Reason kept, replaced;
} reasons[] = {
    {Reason::unexplained_seed, Reason::none},         {Reason::own_value, Reason::none},
    {Reason::own_value, Reason::clock_seed},          {Reason::own_value, Reason::id_seed},
    {Reason::own_value, Reason::address_seed},        {Reason::own_value, Reason::learned_seed},
    {Reason::unexplained_seed, Reason::ordered_seed},
};
Why why_kept(const Explanation& by) { return {reasons[static_cast<int>(by.origin)].kept, by.rule}; }
Why why_replaced(const Explanation& by) {
  return {reasons[static_cast<int>(by.origin)].replaced, by.rule};
}

bool starts_natively() {
  return options().policy == SeedPolicy::keep || options().mode == Mode::record || makes_secrets();
}

ChosenSeed keep(const RequestedSeed& requested, const Explanation& explained) {
  const bool decides = options().pins() && !starts_natively();
  return {own_value(requested), why_kept(explained), decides ? Action::pin : Action::observe};
}

/// What an interpreter's program fixes is worth no line of the log, unless it is varied.
ChosenSeed keep_for_interpreter(const RequestedSeed& requested, SeedRule rule) {
  const uint64_t effective = own_value(requested);
  return {effective,
          {Reason::own_value, rule},
          effective == requested.value ? Action::observe : Action::pin};
}

/// A seed of the thread that read takes the place of what changes.
ChosenSeed replace(const RequestedSeed& requested, const Explanation& explained) {
  SignalSafeLock guard(seeds.lock);
  if (!guard.held()) // a handler of a fault amid another choice
    return keep(requested, explained);
  if (explained.only_if_bound && bound_seed(explained.instance, requested.kind) == nullptr)
    return keep(requested, {}); // so that no rule knows it
  const uint64_t base = in_bits(seed_bound_to(explained, requested), requested.bits);
  return {in_bits(base + static_cast<uint64_t>(explained.offset), requested.bits),
          why_replaced(explained)};
}

/// What becomes of a value that changes from run to run.
ChosenSeed choose_volatile(const RequestedSeed& requested, const Explanation& explained) {
  if (!options().pins())
    return {requested.value, {Reason::observed, explained.rule}, Action::nondeterministic};
  if (options().policy == SeedPolicy::keep)
    return {requested.value, {Reason::kept_by_policy, explained.rule}, Action::nondeterministic};
  return replace(requested, explained);
}

} // namespace

uint64_t state_mask(Kind kind, unsigned bits) {
  if (options().policy != SeedPolicy::vary || !options().pins() || makes_secrets())
    return 0;
  return in_bits(derive(derive(process().seed, label_values), static_cast<uint64_t>(kind)), bits);
}

ChosenSeed choose_seed(const RequestedSeed& requested) {
  if (makes_secrets())
    return {requested.value, Reason::secret_program, Action::observe};
  const Explanation explained = explain(requested.passed(), SeedingCode::program);
  return explained.is_volatile() ? choose_volatile(requested, explained)
                                 : keep(requested, explained);
}

ChosenSeed choose_clock_seed(const RequestedSeed& requested) {
  if (makes_secrets())
    return {requested.value, Reason::secret_program, Action::observe};
  return choose_read_seed(requested, explain(requested.passed(), SeedingCode::interpreter));
}

ChosenSeed choose_read_seed(const RequestedSeed& requested, const Explanation& explained) {
  if (makes_secrets())
    return {requested.value, Reason::secret_program, Action::observe};
  if (explained.origin != Origin::clock && explained.origin != Origin::learned)
    return keep_for_interpreter(requested, explained.rule);
  return choose_volatile(requested, explained);
}

uint64_t next_seed(Kind kind) {
  const Thread& thread = this_thread();
  SignalSafeLock guard(seeds.lock);
  if (!guard.held())
    return derive(stream_key(thread, kind), label_values);
  return next_in_sequence(kind, thread.key, thread.is_first);
}

ChosenSeed choose_unseeded(Kind kind, uint64_t standard) {
  const Thread& thread = this_thread();
  if (starts_natively()) {
    if (thread.label == 0)
      return {standard, Reason::standard_start, Action::observe};
    // Natively threads race for one state. Each has its own here, and it is the same in every run.
    return {derive(derive(standard, thread.label), static_cast<uint64_t>(kind)),
            Reason::not_seeded};
  }
  return {next_seed(kind), Reason::not_seeded};
}

} // namespace detshim
