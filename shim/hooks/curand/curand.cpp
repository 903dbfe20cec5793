// cuRAND's host interface: generators get seeds derived from DETSHIM_SEED.
//
// A generator that the program never seeds starts from the constant 0 natively, every one the same; here each
// has a seed of its own, the first the seed itself. When the program then seeds it from a clock, that reading
// takes over the generator's own seed, so that the first generator draws what
// curandSetPseudoRandomGeneratorSeed(g, DETSHIM_SEED) gives whether or not the program seeds it so.
//
// Every call takes the next numbers of its generator, so threads that share one race for them.
#include "abi/curand.h"
#include "core/base/lock.h"
#include "core/seeds/seeds.h"
#include "hooks/support/library_version.h"
#include "hooks/support/shared_use.h"
#include "loader/hook.h"

namespace detshim {
namespace {

using namespace abi;

constexpr const char* real_seed_name = "curandSetPseudoRandomGeneratorSeed";
using SetSeed = curandStatus(curandGenerator_t, unsigned long long);

/// A generator whose own seed no value of the program has taken over yet, or one that takes no seed.
struct Generator {
  const void* handle;
  uint64_t own_seed;
  bool is_quasi_random;
};
// A generator that finds no room is seeded all the same; the program's first value for it then gets the next
// seed in the row instead of the generator's own.
constexpr int generator_limit = 1024;
constinit Generator generators[generator_limit] = {};
constinit uint64_t lock = 0;
constinit Users<generator_limit> users;

void remember(Generator fresh) {
  Lock guard(lock);
  if (!guard.held()) return;
  Generator* place = nullptr;
  for (Generator& generator : generators) {
    if (generator.handle == fresh.handle) place = &generator;
    if (place == nullptr && generator.handle == nullptr) place = &generator;
  }
  if (place != nullptr) *place = fresh;
}

/// The generator if it is in the list, and takes it out unless it is a quasi-random one.
bool take(const void* handle, Generator& taken) {
  Lock guard(lock);
  if (!guard.held()) return false;
  for (Generator& generator : generators) {
    if (generator.handle != handle) continue;
    taken = generator;
    if (!generator.is_quasi_random) generator = {};
    return true;
  }
  return false;
}

void forget(const void* handle) {
  Lock guard(lock);
  if (!guard.held()) return;
  for (Generator& generator : generators)
    if (generator.handle == handle) generator = {};
}

bool is_pseudo_random(curandRngType type) {
  return type >= curandRngType::pseudo_default && type < curandRngType::quasi_default;
}

/// Both ways to make a generator. The real call has succeeded.
template <typename Call>
void seed_new_generator(const Call& call, curandGenerator_t generator, curandRngType type) {
  record_library_once(call, curand_library);
  const auto number = static_cast<int64_t>(type);
  if (!is_pseudo_random(type)) {
    remember({generator, 0, true});
    return call.record(Action::observe, Reason::quasi_random, {number, ""});
  }
  if (!options().pins()) // seed 0, the same in every run
    return call.record(Action::observe, Reason::standard_start, {number, ""});
  const bool keeps = options().mode == Mode::record || options().policy == SeedPolicy::keep ||
                     options().policy == SeedPolicy::mix;
  if (keeps) return call.record(Action::observe, Reason::standard_start, {number, ""});
  auto* set_seed = call.template beside<SetSeed>(real_seed_name);
  const uint64_t seed = next_seed(Kind::curand);
  if (set_seed == nullptr || set_seed(generator, seed) != curandStatus::success)
    return call.record(Action::unfixed, Reason::refused_by_library, {number, seed});
  remember({generator, seed, false});
  call.record(Action::pin, Reason::not_seeded, {number, seed});
}

/// Takes note of which thread draws from the generator.
template <typename Call>
void note_draw(const Call& call, curandGenerator_t generator) {
  if (call.passes() || !users.is_newly_shared(generator, this_thread().key)) return;
  record_library_once(call, curand_library);
  call.record(Action::unfixed, Reason::generator_shared, {});
}

/// The same for a call that changes what is drawn next. Whoever makes the generator may set it up.
template <typename Call>
void note_setting(const Call& call, curandGenerator_t generator) {
  if (call.passes() || !users.is_newly_shared_by_setting(generator, this_thread().key)) return;
  record_library_once(call, curand_library);
  call.record(Action::unfixed, Reason::generator_shared, {});
}

// What the hooks of the functions that use a generator do.

template <typename Call, typename... Arguments>
curandStatus draw(const Call& call, curandGenerator_t generator, Arguments... arguments) {
  note_draw(call, generator);
  return call.real(generator, arguments...);
}

template <typename Call, typename... Arguments>
curandStatus set_up(const Call& call, curandGenerator_t generator, Arguments... arguments) {
  note_setting(call, generator);
  return call.real(generator, arguments...);
}

constexpr Description races_if_shared = {
    .action = Action::unfixed,
    .summary = "Recorded once a generator that several threads use: they race for its numbers.",
};

using GenerateInts = OutermostCall<curandStatus(curandGenerator_t generator, unsigned* out, size_t count)>;
using GenerateLongs =
    OutermostCall<curandStatus(curandGenerator_t generator, unsigned long long* out, size_t count)>;
template <typename Real>
using GenerateUniform = OutermostCall<curandStatus(curandGenerator_t generator, Real* out, size_t count)>;
template <typename Real>
using GenerateNormal =
    OutermostCall<curandStatus(curandGenerator_t generator, Real* out, size_t count, Real mean, Real width)>;
using GeneratePoisson =
    OutermostCall<curandStatus(curandGenerator_t generator, unsigned* out, size_t count, double mean)>;
using GeneratePoissonMethod = OutermostCall<curandStatus(curandGenerator_t generator, unsigned* out,
                                                         size_t count, double mean, curandMethod method)>;
using GenerateSeeds = OutermostCall<curandStatus(curandGenerator_t generator)>;
using SetStream = OutermostCall<curandStatus(curandGenerator_t generator, cudaStream_t stream)>;

} // namespace
} // namespace detshim

using namespace detshim;
using namespace detshim::abi;

DETSHIM_HOOK(
    curand, curandStatus, curandCreateGenerator, (curandGenerator_t * generator, curandRngType type),
    .action = Action::pin, .fields = {"type", "given"},
    .summary =
        "Seeds the new pseudo-random generator from DETSHIM_SEED; quasi-random types are left alone.") {
  DETSHIM_ENTER_OUTERMOST(curandCreateGenerator);
  const curandStatus status = call.real(generator, type);
  if (call.passes() || status != curandStatus::success) return status;
  seed_new_generator(call, *generator, type);
  return status;
}

DETSHIM_HOOK(
    curand, curandStatus, curandCreateGeneratorHost, (curandGenerator_t * generator, curandRngType type),
    .action = Action::pin, .fields = {"type", "given"},
    .summary =
        "Seeds the new pseudo-random generator from DETSHIM_SEED; quasi-random types are left alone.") {
  DETSHIM_ENTER_OUTERMOST(curandCreateGeneratorHost);
  const curandStatus status = call.real(generator, type);
  if (call.passes() || status != curandStatus::success) return status;
  seed_new_generator(call, *generator, type);
  return status;
}

DETSHIM_HOOK(curand, curandStatus, curandDestroyGenerator, (curandGenerator_t generator),
             .action = Action::observe,
             .summary = "Forgets the generator: another one may get its address.") {
  DETSHIM_ENTER_OUTERMOST(curandDestroyGenerator);
  if (!call.passes()) {
    forget(generator);
    users.forget(generator);
  }
  return call.real(generator);
}

DETSHIM_HOOK(curand, curandStatus, curandSetPseudoRandomGeneratorSeed,
             (curandGenerator_t generator, unsigned long long seed), .action = Action::pin,
             .fields = {"asked", "given"},
             .summary = "Replaces the program's seed by one derived from DETSHIM_SEED.") {
  DETSHIM_ENTER_OUTERMOST(curandSetPseudoRandomGeneratorSeed);
  if (call.passes()) return call.real(generator, seed);
  record_library_once(call, curand_library);
  if (!options().pins()) {
    call.record(Action::unfixed, Reason::observed, {uint64_t{seed}, ""});
    return call.real(generator, seed);
  }
  Generator known;
  const bool is_known = take(generator, known);
  if (is_known && known.is_quasi_random) return call.real(generator, seed); // which refuses it
  const ChosenSeed chosen = choose_seed({.kind = Kind::curand,
                                         .value = seed,
                                         .bits = 64,
                                         .caller = call.caller(),
                                         .own_seed = is_known ? &known.own_seed : nullptr});
  const curandStatus status = call.real(generator, chosen.given);
  if (status == curandStatus::success) call.record(chosen.action, chosen.why, {uint64_t{seed}, chosen.given});
  return status;
}

DETSHIM_HOOK(curand, curandStatus, curandSetGeneratorOrdering,
             (curandGenerator_t generator, curandOrdering ordering), .action = Action::replace,
             .fields = {"asked", "given"},
             .summary = "Replaces the ordering DYNAMIC, which adapts to the GPU, by DEFAULT.") {
  DETSHIM_ENTER_OUTERMOST(curandSetGeneratorOrdering);
  if (call.passes()) return call.real(generator, ordering);
  const auto asked = static_cast<int64_t>(ordering);
  // Not every generator takes DYNAMIC, and a program may go by that: the library is asked for it first.
  const curandStatus status = call.real(generator, ordering);
  if (status != curandStatus::success) return status;
  if (ordering != curandOrdering::pseudo_dynamic) {
    call.record(Action::observe, Reason::repeatable_per_device, {asked, asked});
    return status;
  }
  if (!options().forces()) {
    call.record(Action::unfixed, Reason::ordering_by_device, {asked, asked});
    return status;
  }
  if (call.real(generator, curandOrdering::pseudo_default) != curandStatus::success) {
    call.record(Action::unfixed, Reason::refused_by_library, {asked, asked});
    return call.real(generator, ordering);
  }
  call.record(Action::replace, Reason::ordering_by_device,
              {asked, static_cast<int64_t>(curandOrdering::pseudo_default)});
  return status;
}

DETSHIM_HOOK(curand, curandStatus, curandSetGeneratorOffset,
             (curandGenerator_t generator, unsigned long long offset), .action = Action::observe,
             .fields = {"offset"},
             .summary = "Recorded: an offset taken from a clock shows when two logs are compared.") {
  DETSHIM_ENTER_OUTERMOST(curandSetGeneratorOffset);
  if (!call.passes()) call.record(Action::observe, Reason::left_alone, {uint64_t{offset}});
  return call.real(generator, offset);
}

DETSHIM_TEMPLATE_HOOK(curand, GenerateInts, curandGenerate, draw, races_if_shared);
DETSHIM_TEMPLATE_HOOK(curand, GenerateLongs, curandGenerateLongLong, draw, races_if_shared);
DETSHIM_TEMPLATE_HOOK(curand, GenerateUniform<float>, curandGenerateUniform, draw, races_if_shared);
DETSHIM_TEMPLATE_HOOK(curand, GenerateUniform<double>, curandGenerateUniformDouble, draw, races_if_shared);
DETSHIM_TEMPLATE_HOOK(curand, GenerateNormal<float>, curandGenerateNormal, draw, races_if_shared);
DETSHIM_TEMPLATE_HOOK(curand, GenerateNormal<double>, curandGenerateNormalDouble, draw, races_if_shared);
DETSHIM_TEMPLATE_HOOK(curand, GenerateNormal<float>, curandGenerateLogNormal, draw, races_if_shared);
DETSHIM_TEMPLATE_HOOK(curand, GenerateNormal<double>, curandGenerateLogNormalDouble, draw, races_if_shared);
DETSHIM_TEMPLATE_HOOK(curand, GeneratePoisson, curandGeneratePoisson, draw, races_if_shared);
DETSHIM_TEMPLATE_HOOK(curand, GeneratePoissonMethod, curandGeneratePoissonMethod, draw, races_if_shared);
DETSHIM_TEMPLATE_HOOK(curand, GenerateSeeds, curandGenerateSeeds, set_up, races_if_shared);
DETSHIM_TEMPLATE_HOOK(curand, SetStream, curandSetStream, set_up, races_if_shared);
