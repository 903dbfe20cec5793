// glibc's rand and random families: one additive-feedback generator a thread instead of one behind
// a lock.
//
// Each thread has the state that glibc keeps for the whole process, so the main thread's sequence
// is glibc's own srandom(seed) sequence, and threads that draw at the same time do not race for one
// state. A program that has not seeded starts from the seed as well: the C standard says that
// rand() without srand() is srand(1).
#include "common/sys.h"
#include "core/fingerprint/output_digests.h"
#include "hooks/libc/seeding.h"
#include "loader/draw.h"

#include <cstdlib>

namespace detshim {
namespace {

/// The generator of one thread. `state` is glibc's default size, 31 words and one for the type.
struct RandomState {
  uint32_t generation = 0;
  bool is_unseeded =
      false; ///< the default state array waits for the program's seed or its first draw
  bool is_the_programs =
      false; ///< the program seeded it: then a forked child goes on with it, as natively
  CallSites rand_call_sites;
  CallSites random_call_sites;
  CallSites rand_r_call_sites;
  random_data data = {};
  int32_t state[32] = {};
};
thread_local constinit RandomState random_state;

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_HOOK(libc, int, initstate_r, (unsigned seed, char* state, size_t size, random_data* data),
             replaces_callers_seed) {
  DETSHIM_ENTER(initstate_r);
  uint64_t effective = seed;
  pin_seed(call, Kind::libc_random, effective, 32);
  return call.real(fold32(effective), state, size, data);
}

DETSHIM_HOOK(libc, int, srandom_r, (unsigned seed, random_data* data), replaces_callers_seed) {
  DETSHIM_ENTER(srandom_r);
  uint64_t effective = seed;
  pin_seed(call, Kind::libc_random, effective, 32);
  return call.real(fold32(effective), data);
}

namespace detshim {
namespace {

/// Seeds this thread's generator afresh, in its default state array.
void seed_default(uint32_t seed) {
  const sys::SignalsBlocked no_signals; // a handler must not draw from half a state
  RandomState& mine = random_state;
  mine.generation = this_thread().generation;
  mine.is_unseeded = false;
  mine.data = {};
  if (hooks::initstate_r.real == nullptr)
    find_real(hooks::initstate_r);
  auto* initstate_r =
      reinterpret_cast<hooks::initstate_r_signature*>(const_cast<void*>(hooks::initstate_r.real));
  initstate_r(seed, reinterpret_cast<char*>(mine.state), sizeof mine.state, &mine.data);
}

bool uses_default_state() { return random_state.data.state == random_state.state + 1; }

/// Makes the generator exist in a thread or process that is new to it, without deciding on a seed
/// yet: a program that seeds before it draws is given the first seed for that.
void make_state() {
  if (random_state.generation == this_thread().generation)
    return;
  if (random_state.is_the_programs) {
    random_state.generation = this_thread().generation;
    return;
  }
  seed_default(1);
  random_state.is_unseeded = true;
}

/// Makes the generator ready to draw from.
void prepare() {
  make_state();
  if (random_state.is_unseeded && uses_default_state())
    seed_default(fold32(choose_unseeded(Kind::libc_random, 1).effective));
}

/// One step of glibc's generator (glibc manual, "Pseudo-Random Numbers"; the additive feedback is
/// r[i] = r[i-sep] + r[i-deg], type 0 the linear congruence of the C standard's example), on
/// glibc's own public `random_data`, so that initstate and setstate work with every size of state.
inline int32_t next_random(random_data& data) {
  if (__builtin_expect(data.rand_type == 0, 0)) {
    const uint32_t next =
        (static_cast<uint32_t>(data.state[0]) * 1103515245u + 12345u) & 0x7fffffffu;
    data.state[0] = static_cast<int32_t>(next);
    return static_cast<int32_t>(next);
  }
  int32_t* const front = data.fptr;
  int32_t* const rear = data.rptr;
  const uint32_t sum = static_cast<uint32_t>(*front) + static_cast<uint32_t>(*rear);
  *front = static_cast<int32_t>(sum);
  data.fptr = front + 1 >= data.end_ptr ? data.state : front + 1;
  data.rptr = rear + 1 >= data.end_ptr ? data.state : rear + 1;
  return static_cast<int32_t>(sum >> 1);
}

/// One step of a state that the caller owns: the linear congruence of the C standard's example,
/// taken three times for 31 bits, as glibc does it (stdlib/rand_r.c).
inline int next_of_callers(unsigned& state) {
  const auto step = [&state](unsigned bits) {
    state = state * 1103515245u + 12345u;
    return state / 65536u % (1u << bits);
  };
  unsigned result = step(11);
  result = result << 10 ^ step(10);
  result = result << 10 ^ step(10);
  return static_cast<int>(result);
}

/// rand and random, which give one sequence under two names.
template <typename Signature>
[[gnu::noinline]] auto decide_and_draw(Hook& hook, CallSites& call_sites, const void* caller) {
  Draw<Signature> draw(hook, call_sites, caller);
  if (!draw.pinned)
    return draw.real()();
  if (draw.first)
    prepare();
  return drawn(decltype(draw.real()())(next_random(random_state.data)));
}

/// srand and srandom, which are one function under two names.
template <typename Call>
void seed_thread(const Call& call, unsigned seed) {
  uint64_t effective = seed;
  if (!pin_seed(call, Kind::libc_random, effective, 32))
    return call.real(seed);
  RandomState& mine = random_state;
  make_state();
  mine.is_the_programs = true;
  if (uses_default_state())
    seed_default(fold32(effective));
  else // the program's own array from initstate is the one in use
    call.template sibling<hooks::srandom_r_signature>("srandom_r")(fold32(effective), &mine.data);
}

using SeedThread = Call<void(unsigned seed)>;

} // namespace
} // namespace detshim

DETSHIM_TEMPLATE_HOOKS(libc, SeedThread, srand, srandom, seed_thread, replaces_seed);

DETSHIM_HOOK(
    libc, int, rand, (), .action = Action::pin,
    .summary =
        "Draws from this thread's own state; the main thread's is glibc's srand(seed) sequence.") {
  RandomState& mine = random_state;
  const void* const caller = __builtin_return_address(0);
  if (count_known_draw(mine.rand_call_sites, caller))
    return next_random(mine.data);
  return decide_and_draw<hooks::rand_signature>(hooks::rand, mine.rand_call_sites, caller);
}

DETSHIM_HOOK(libc, long, random, (), .action = Action::pin,
             .summary = "Draws from this thread's own state, the one that rand uses too.") {
  RandomState& mine = random_state;
  const void* const caller = __builtin_return_address(0);
  if (count_known_draw(mine.random_call_sites, caller))
    return next_random(mine.data);
  return decide_and_draw<hooks::random_signature>(hooks::random, mine.random_call_sites, caller);
}

DETSHIM_HOOK(libc, char*, initstate, (unsigned seed, char* state, size_t size),
             .action = Action::pin, .fields = {"requested"_in, "effective"_out},
             .summary = "As srand; the state array becomes this thread's.") {
  DETSHIM_ENTER(initstate);
  uint64_t effective = seed;
  if (!pin_seed(call, Kind::libc_random, effective, 32))
    return call.real(seed, state, size);
  make_state();
  random_state.is_the_programs = true;
  char* const before = reinterpret_cast<char*>(random_state.data.state - 1);
  auto* initstate_r = call.sibling<hooks::initstate_r_signature>("initstate_r");
  return initstate_r(fold32(effective), state, size, &random_state.data) == 0 ? before : nullptr;
}

DETSHIM_HOOK(libc, char*, setstate, (char* state), .action = Action::pin,
             .summary = "Switches this thread's generator to a state array that initstate made.") {
  DETSHIM_ENTER(setstate);
  if (call.passes() || !options().pins())
    return call.real(state);
  make_state();
  char* const before = reinterpret_cast<char*>(random_state.data.state - 1);
  if (setstate_r(state, &random_state.data) != 0)
    return nullptr;
  prepare();
  return before;
}

DETSHIM_HOOK(libc, int, rand_r, (unsigned* state), maps_callers_state) {
  const void* const caller = __builtin_return_address(0);
  RandRCache cache(32);
  if (cache.is_last(*state) && count_known_draw(random_state.rand_r_call_sites, caller)) {
    const int result = next_of_callers(*state);
    cache.add_native(*state);
    return result;
  }
  Draw<hooks::rand_r_signature> draw(hooks::rand_r, random_state.rand_r_call_sites, caller);
  if (!draw.pinned)
    return draw.real()(state);
  CallersState callers(Kind::rand_r, 32, *state, hooks::rand_r_info, caller);
  *state = static_cast<unsigned>(callers.native());
  const int result = draw.real()(state);
  *state = static_cast<unsigned>(callers.seen_after(*state));
  return result;
}
