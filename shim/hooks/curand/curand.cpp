// cuRAND's host interface: generators get seeds derived from DETSHIM_SEED.
//
// A generator that the program never seeds starts from the constant 0 natively, every one the same;
// here each has a seed of its own, the first the seed itself. When the program then seeds it from a
// clock, that reading takes over the generator's own seed, so that the first generator draws what
// curandSetPseudoRandomGeneratorSeed(g, DETSHIM_SEED) gives whether or not the program seeds it so.
//
// Every call takes the next numbers of its generator, so threads that share one race for them.
#include "abi/curand.h"
#include "core/seeds/seeds.h"
#include "hooks/support/functions.h"
#include "hooks/support/shared_use.h"
#include "loader/hook.h"

namespace detshim {
namespace {

using namespace abi;

constexpr const char* real_seed_name = "curandSetPseudoRandomGeneratorSeed";
using SetSeed = curandStatus(curandGenerator_t, unsigned long long);

// Generators whose own seed no value of the program has taken over yet, and those that take no
// seed, by `mark`. One that finds no room is seeded all the same; the program's first value for it
// then gets the next seed in the sequence instead of the generator's own.
constexpr size_t generator_limit = 1024;
constexpr uint32_t has_own_seed = 1, is_quasi_random = 2;
struct Generators {
  ObjectTable<generator_limit> marks; ///< with the seed that each has of its own
  Users<generator_limit> users;
};
constinit Generators generators;

void remember(const void* generator, uint32_t mark, uint64_t own_seed) {
  auto* const entry = generators.marks.insert(generator);
  if (entry == nullptr)
    return;
  __atomic_store_n(&entry->value, own_seed, __ATOMIC_RELAXED);
  __atomic_store_n(&entry->mark, mark, __ATOMIC_RELEASE);
}

/// The mark of a generator, 0 where it has none. Its own seed is given once.
uint32_t take_mark(const void* generator, uint64_t& own_seed) {
  auto* const entry = generators.marks.find(generator);
  if (entry == nullptr)
    return 0;
  if (__atomic_load_n(&entry->mark, __ATOMIC_ACQUIRE) == is_quasi_random)
    return is_quasi_random;
  own_seed = __atomic_load_n(&entry->value, __ATOMIC_RELAXED);
  return __atomic_exchange_n(&entry->mark, 0, __ATOMIC_ACQ_REL);
}

bool is_pseudo_random(curandRngType type) {
  return type >= curandRngType::pseudo_default && type < curandRngType::quasi_default;
}

/// Both ways to make a generator. The real call has succeeded.
template <typename Call>
void seed_new_generator(const Call& call, curandGenerator_t generator, curandRngType type) {
  const auto number = static_cast<int64_t>(type);
  if (!is_pseudo_random(type)) {
    remember(generator, is_quasi_random, 0);
    return call.record(Action::observe, Reason::quasi_random, {number, ""});
  }
  if (!options().pins()) // seed 0, the same in every run
    return call.record(Action::observe, Reason::standard_start, {number, ""});
  const bool keeps = options().mode == Mode::record || options().policy == SeedPolicy::keep;
  if (keeps)
    return call.record(Action::observe, Reason::standard_start, {number, ""});
  auto* set_seed = call.template sibling<SetSeed>(real_seed_name);
  const uint64_t seed = next_seed(Kind::curand);
  if (set_seed == nullptr || set_seed(generator, seed) != curandStatus::success)
    return call.record(Action::nondeterministic, Reason::refused_by_library, {number, seed});
  remember(generator, has_own_seed, seed);
  call.record(Action::pin, Reason::not_seeded, {number, seed});
}

// What the hooks of the functions that use a generator do. Whoever makes one may set it up;
// `is_draw`: the call takes its next numbers.

template <bool is_draw, typename Call, typename... Arguments>
curandStatus use(const Call& call, void* generator, Arguments... arguments) {
  const uint64_t user = this_thread().key;
  if (!call.passes() && (is_draw ? generators.users.is_newly_shared(generator, user)
                                 : generators.users.is_newly_shared_by_setting(generator, user)))
    call.record(Action::nondeterministic, Reason::generator_shared, {});
  return call.real(generator, arguments...);
}

template <typename Call>
curandStatus create(const Call& call, curandGenerator_t* generator, curandRngType type) {
  const curandStatus status = call.real(generator, type);
  if (!call.passes() && status == curandStatus::success)
    seed_new_generator(call, *generator, type);
  return status;
}

constexpr Description seeds_generator = {
    .action = Action::pin,
    .fields = {"type"_in, "effective"_out},
    .summary = "Seeds the new pseudo-random generator from DETSHIM_SEED; quasi-random types are "
               "left alone.",
};
constexpr Description races_if_shared = {
    .action = Action::nondeterministic,
    .summary = "Recorded once a generator that several threads use: they race for its numbers.",
};

using Create = OutermostCall<curandStatus(curandGenerator_t* generator, curandRngType type)>;
template <int count>
using Words = CallOfWords<curandStatus, count>;
template <typename Real>
using GenerateNormal = OutermostCall<curandStatus(Word, Word, Word, Real mean, Real width)>;
using GeneratePoisson = OutermostCall<curandStatus(Word, Word, Word, double mean)>;
using GeneratePoissonMethod =
    OutermostCall<curandStatus(Word, Word, Word, double mean, Word method)>;

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_TEMPLATE_HOOK(curand, Create, curandCreateGenerator, create, seeds_generator);
DETSHIM_TEMPLATE_HOOK(curand, Create, curandCreateGeneratorHost, create, seeds_generator);

DETSHIM_HOOK(curand, curandStatus, curandDestroyGenerator, (curandGenerator_t generator),
             .action = Action::observe,
             .summary = "Forgets the generator: another one may get its address.") {
  DETSHIM_ENTER_OUTERMOST(curandDestroyGenerator);
  if (!call.passes()) {
    generators.marks.forget(generator);
    generators.users.forget(generator);
  }
  return call.real(generator);
}

DETSHIM_HOOK(curand, curandStatus, curandSetPseudoRandomGeneratorSeed,
             (curandGenerator_t generator, unsigned long long seed), .action = Action::pin,
             .fields = {"requested"_in, "effective"_out},
             .summary = "Replaces a seed that changes from run to run; a fixed one stays.") {
  DETSHIM_ENTER_OUTERMOST(curandSetPseudoRandomGeneratorSeed);
  if (call.passes())
    return call.real(generator, seed);
  uint64_t own_seed = 0;
  const uint32_t mark = take_mark(generator, own_seed);
  if (mark == is_quasi_random)
    return call.real(generator, seed); // which refuses it
  const ChosenSeed chosen = choose_seed({.kind = Kind::curand,
                                         .value = seed,
                                         .bits = 64,
                                         .caller = call.caller(),
                                         .own_seed = mark == has_own_seed ? &own_seed : nullptr});
  const curandStatus status = call.real(generator, chosen.effective);
  if (status == curandStatus::success)
    call.record(chosen.action, chosen.why, {uint64_t{seed}, chosen.effective});
  return status;
}

DETSHIM_HOOK(curand, curandStatus, curandSetGeneratorOrdering,
             (curandGenerator_t generator, curandOrdering ordering), .action = Action::replace,
             .fields = {"requested"_in, "effective"_out},
             .summary = "Replaces the ordering DYNAMIC, which adapts to the GPU, by DEFAULT.") {
  DETSHIM_ENTER_OUTERMOST(curandSetGeneratorOrdering);
  if (call.passes())
    return call.real(generator, ordering);
  const auto requested = static_cast<int64_t>(ordering);
  // Not every generator takes DYNAMIC, and a program may depend on that: the library is asked for
  // it first.
  const curandStatus status = call.real(generator, ordering);
  if (status != curandStatus::success)
    return status;
  if (ordering != curandOrdering::pseudo_dynamic) {
    call.record(Action::observe, Reason::repeatable_per_device, {requested, requested});
    return status;
  }
  if (!options().forces()) {
    call.record(Action::nondeterministic, Reason::ordering_by_device, {requested, requested});
    return status;
  }
  if (call.real(generator, curandOrdering::pseudo_default) != curandStatus::success) {
    call.record(Action::nondeterministic, Reason::refused_by_library, {requested, requested});
    return call.real(generator, ordering);
  }
  call.record(Action::replace, Reason::ordering_by_device,
              {requested, static_cast<int64_t>(curandOrdering::pseudo_default)});
  return status;
}

DETSHIM_HOOK(
    curand, curandStatus, curandSetGeneratorOffset,
    (curandGenerator_t generator, unsigned long long offset), .action = Action::observe,
    .fields = {"offset"_in},
    .summary = "Recorded: an offset taken from a clock shows when two logs are compared.") {
  DETSHIM_ENTER_OUTERMOST(curandSetGeneratorOffset);
  if (!call.passes())
    call.record(Action::observe, Reason::left_alone, {uint64_t{offset}});
  return call.real(generator, offset);
}

#define USES(NAME, GUARD, IS_DRAW)                                                                 \
  DETSHIM_TEMPLATE_HOOK(curand, GUARD, NAME, use<IS_DRAW>, races_if_shared)
USES(curandGenerate, Words<3>, true);
USES(curandGenerateLongLong, Words<3>, true);
USES(curandGenerateUniform, Words<3>, true);
USES(curandGenerateUniformDouble, Words<3>, true);
USES(curandGenerateNormal, GenerateNormal<float>, true);
USES(curandGenerateNormalDouble, GenerateNormal<double>, true);
USES(curandGenerateLogNormal, GenerateNormal<float>, true);
USES(curandGenerateLogNormalDouble, GenerateNormal<double>, true);
USES(curandGeneratePoisson, GeneratePoisson, true);
USES(curandGeneratePoissonMethod, GeneratePoissonMethod, true);
USES(curandGenerateSeeds, Words<1>, false);
USES(curandSetStream, Words<2>, false);
