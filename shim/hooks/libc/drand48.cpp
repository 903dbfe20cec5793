// The 48-bit family: drand48 and its relatives, with a state a thread.
//
// X' = a X + c mod 2^48, a and c as POSIX gives them (IEEE Std 1003.1, "drand48"). glibc keeps X for the
// whole process; here each thread has its own, and the main thread's starts as srand48(seed) would leave it.
#include "core/fingerprint/prints.h"
#include "core/seeds/seeds.h"
#include "hooks/libc/rand_r_cache.h"
#include "loader/draw.h"

#include <cstdlib>

namespace detshim {
namespace {

constexpr uint64_t mask48 = (uint64_t{1} << 48) - 1;
constexpr uint64_t standard_a = 0x5DEECE66D;
constexpr uint64_t standard_c = 0xB;

struct State48 {
  uint32_t generation = 0;
  uint64_t x = 0;
  uint64_t a = 0; // the standard's from the first use on: thread-local data is best all zero
  uint64_t c = 0;
  bool is_the_programs = false;  ///< the program seeded it: then a forked child goes on with it, as natively
  unsigned short before[3] = {}; // what seed48 returns
  DrawSites drand48_sites, lrand48_sites, mrand48_sites, erand48_sites, nrand48_sites, jrand48_sites;
  DrawSites erand48_r_sites, nrand48_r_sites, jrand48_r_sites;
};
thread_local constinit State48 state48;

/// What srand48 makes of a seed: its low 32 bits above the constant 0x330E.
constexpr uint64_t from_srand48(uint64_t seed) { return uint64_t{fold32(seed)} << 16 | 0x330E; }

void seed48_state(uint64_t x) {
  state48.generation = this_thread().generation;
  state48.x = x;
  state48.a = standard_a;
  state48.c = standard_c;
}

void prepare() {
  if (state48.generation == this_thread().generation) return;
  if (state48.is_the_programs) {
    state48.generation = this_thread().generation;
    return;
  }
  const ChosenSeed chosen = choose_unseeded(Kind::drand48, 0);
  const bool starts_natively = chosen.action == Action::observe; // from X = 0, which no seed gives
  seed48_state(starts_natively ? 0 : from_srand48(chosen.given));
}

inline uint64_t step() { return state48.x = (state48.x * state48.a + state48.c) & mask48; }

double as_double(uint64_t x) { return static_cast<double>(x) * 0x1p-48; } // exact: 48 bits fit in 53
long as_unsigned31(uint64_t x) { return static_cast<long>(x >> 17); }
long as_signed32(uint64_t x) { return static_cast<int32_t>(x >> 16); }

template <typename Signature, auto as_result>
[[gnu::noinline]] auto decide_and_draw(Hook& hook, DrawSites& sites, const void* caller) {
  Draw<Signature> draw(hook, sites, caller);
  if (!draw.pinned) return draw.real()();
  if (draw.first) prepare();
  return drawn(as_result(step()));
}

uint64_t pack(const unsigned short x[3]) { return uint64_t{x[2]} << 32 | uint64_t{x[1]} << 16 | x[0]; }
void unpack(uint64_t value, unsigned short x[3]) {
  x[0] = static_cast<unsigned short>(value);
  x[1] = static_cast<unsigned short>(value >> 16);
  x[2] = static_cast<unsigned short>(value >> 32);
}

/// A state that the caller owns (erand48 and the like): the native state seen through a mask, as rand_r's
/// (random.cpp). It is the native one while this lives.
class OwnState {
public:
  OwnState(unsigned short x[3], const HookInfo& info, const void* caller) : x_(x) {
    if (!left_.holds(pack(x)) && !left_.any_thread_holds(pack(x))) {
      const ChosenSeed chosen =
          choose_seed({.kind = Kind::xsubi48, .value = pack(x), .bits = 48, .caller = caller});
      record({info.library, info.name, info.fields}, chosen.action, caller, chosen.why,
             {pack(x), chosen.given});
      unpack(chosen.given, x);
      return;
    }
    unpack(pack(x) ^ mask_, x);
  }
  ~OwnState() {
    unpack(pack(x_) ^ mask_, x_);
    left_.add(pack(x_));
  }
  OwnState(const OwnState&) = delete;
  OwnState& operator=(const OwnState&) = delete;

private:
  unsigned short* x_;
  uint64_t mask_ = state_mask(Kind::xsubi48, 48);
  LeftStates left_{48};
};

/// One step of a state that the caller owns, with this thread's a and c (lcong48 changes them).
uint64_t advance_callers_state(unsigned short x[3], const HookInfo& info, const void* caller) {
  prepare();
  const OwnState own(x, info, caller);
  const uint64_t next = (pack(x) * state48.a + state48.c) & mask48;
  unpack(next, x);
  return next;
}

/// A seed for a hook whose value has 48 bits or fewer.
template <typename Signature>
bool choose(const Call<Signature>& call, uint64_t asked, unsigned bits, uint64_t& given) {
  if (call.passes()) return false;
  if (!options().pins()) {
    call.record(Action::unfixed, Reason::observed, {asked, ""});
    return false;
  }
  const ChosenSeed chosen = choose_seed({Kind::drand48, asked, bits, call.caller()});
  given = chosen.given;
  call.record(chosen.action, chosen.why, {asked, given});
  return true;
}

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_HOOK(libc, void, srand48, (long seed), .action = Action::pin, .fields = {"asked", "given"},
             .summary = "Replaces the program's seed by one derived from DETSHIM_SEED.") {
  DETSHIM_ENTER(srand48);
  uint64_t given;
  if (!choose(call, static_cast<uint32_t>(seed), 32, given)) return call.real(seed);
  seed48_state(from_srand48(given));
  state48.is_the_programs = true;
}

DETSHIM_HOOK(libc, unsigned short*, seed48, (unsigned short x[3]), .action = Action::pin,
             .fields = {"asked", "given"}, .summary = "Replaces the program's 48-bit state.") {
  DETSHIM_ENTER(seed48);
  uint64_t given;
  if (!choose(call, pack(x), 48, given)) return call.real(x);
  prepare();
  unpack(state48.x, state48.before);
  seed48_state(given);
  state48.is_the_programs = true;
  return state48.before;
}

DETSHIM_HOOK(libc, void, lcong48, (unsigned short parameters[7]), .action = Action::pin,
             .fields = {"asked", "given"},
             .summary = "Replaces the program's 48-bit state and keeps its multiplier and addend.") {
  DETSHIM_ENTER(lcong48);
  uint64_t given;
  if (!choose(call, pack(parameters), 48, given)) return call.real(parameters);
  seed48_state(given);
  state48.is_the_programs = true;
  state48.a = pack(parameters + 3);
  state48.c = parameters[6];
}

DETSHIM_HOOK(
    libc, double, drand48, (), .action = Action::pin,
    .summary = "Draws from this thread's own state; the main thread's is glibc's srand48(seed) sequence.") {
  const void* const caller = __builtin_return_address(0);
  if (count_known_draw(state48.drand48_sites, caller)) return as_double(step());
  return decide_and_draw<hooks::drand48_signature, as_double>(hooks::drand48, state48.drand48_sites, caller);
}

DETSHIM_HOOK(libc, long, lrand48, (), .action = Action::pin,
             .summary = "Draws from this thread's own state, as drand48.") {
  const void* const caller = __builtin_return_address(0);
  if (count_known_draw(state48.lrand48_sites, caller)) return as_unsigned31(step());
  return decide_and_draw<hooks::lrand48_signature, as_unsigned31>(hooks::lrand48, state48.lrand48_sites,
                                                                  caller);
}

DETSHIM_HOOK(libc, long, mrand48, (), .action = Action::pin,
             .summary = "Draws from this thread's own state, as drand48.") {
  const void* const caller = __builtin_return_address(0);
  if (count_known_draw(state48.mrand48_sites, caller)) return as_signed32(step());
  return decide_and_draw<hooks::mrand48_signature, as_signed32>(hooks::mrand48, state48.mrand48_sites,
                                                                caller);
}

DETSHIM_HOOK(
    libc, double, erand48, (unsigned short x[3]), .action = Action::pin, .fields = {"asked", "given"},
    .summary = "Maps the caller's state by DETSHIM_SEED; replaces one that the program took from a clock.") {
  DETSHIM_DRAW(erand48, state48.erand48_sites);
  if (!draw.pinned) return draw.real()(x);
  return drawn(as_double(advance_callers_state(x, hooks::erand48_info, __builtin_return_address(0))));
}

DETSHIM_HOOK(
    libc, long, nrand48, (unsigned short x[3]), .action = Action::pin, .fields = {"asked", "given"},
    .summary = "Maps the caller's state by DETSHIM_SEED; replaces one that the program took from a clock.") {
  DETSHIM_DRAW(nrand48, state48.nrand48_sites);
  if (!draw.pinned) return draw.real()(x);
  return drawn(as_unsigned31(advance_callers_state(x, hooks::nrand48_info, __builtin_return_address(0))));
}

DETSHIM_HOOK(
    libc, long, jrand48, (unsigned short x[3]), .action = Action::pin, .fields = {"asked", "given"},
    .summary = "Maps the caller's state by DETSHIM_SEED; replaces one that the program took from a clock.") {
  DETSHIM_DRAW(jrand48, state48.jrand48_sites);
  if (!draw.pinned) return draw.real()(x);
  return drawn(as_signed32(advance_callers_state(x, hooks::jrand48_info, __builtin_return_address(0))));
}

// The _r forms keep X in the caller's drand48_data. Where the program seeds it, the seed is replaced, and
// drand48_r, lrand48_r and mrand48_r then need no hook. Those with an X of their own are pinned like erand48.

DETSHIM_HOOK(libc, int, srand48_r, (long seed, drand48_data* data), .action = Action::pin,
             .fields = {"asked", "given"},
             .summary = "Replaces the program's seed for a state that the caller owns.") {
  DETSHIM_ENTER(srand48_r);
  uint64_t given;
  if (!choose(call, static_cast<uint32_t>(seed), 32, given)) return call.real(seed, data);
  return call.real(fold32(given), data);
}

DETSHIM_HOOK(libc, int, seed48_r, (unsigned short x[3], drand48_data* data), .action = Action::pin,
             .fields = {"asked", "given"},
             .summary = "Replaces the program's 48-bit state for a state that the caller owns.") {
  DETSHIM_ENTER(seed48_r);
  uint64_t given;
  if (!choose(call, pack(x), 48, given)) return call.real(x, data);
  unsigned short pinned[3];
  unpack(given, pinned);
  return call.real(pinned, data);
}

DETSHIM_HOOK(libc, int, lcong48_r, (unsigned short parameters[7], drand48_data* data), .action = Action::pin,
             .fields = {"asked", "given"},
             .summary = "Replaces the program's 48-bit state for a state that the caller owns.") {
  DETSHIM_ENTER(lcong48_r);
  uint64_t given;
  if (!choose(call, pack(parameters), 48, given)) return call.real(parameters, data);
  unsigned short pinned[7];
  __builtin_memcpy(pinned, parameters, sizeof pinned);
  unpack(given, pinned);
  return call.real(pinned, data);
}

DETSHIM_HOOK(
    libc, int, erand48_r, (unsigned short x[3], drand48_data* data, double* result), .action = Action::pin,
    .fields = {"asked", "given"},
    .summary = "Maps the caller's state by DETSHIM_SEED; replaces one that the program took from a clock.") {
  DETSHIM_DRAW(erand48_r, state48.erand48_r_sites);
  if (!draw.pinned) return draw.real()(x, data, result);
  const OwnState own(x, hooks::erand48_r_info, __builtin_return_address(0));
  return draw.real()(x, data, result);
}

DETSHIM_HOOK(
    libc, int, nrand48_r, (unsigned short x[3], drand48_data* data, long* result), .action = Action::pin,
    .fields = {"asked", "given"},
    .summary = "Maps the caller's state by DETSHIM_SEED; replaces one that the program took from a clock.") {
  DETSHIM_DRAW(nrand48_r, state48.nrand48_r_sites);
  if (!draw.pinned) return draw.real()(x, data, result);
  const OwnState own(x, hooks::nrand48_r_info, __builtin_return_address(0));
  return draw.real()(x, data, result);
}

DETSHIM_HOOK(
    libc, int, jrand48_r, (unsigned short x[3], drand48_data* data, long* result), .action = Action::pin,
    .fields = {"asked", "given"},
    .summary = "Maps the caller's state by DETSHIM_SEED; replaces one that the program took from a clock.") {
  DETSHIM_DRAW(jrand48_r, state48.jrand48_r_sites);
  if (!draw.pinned) return draw.real()(x, data, result);
  const OwnState own(x, hooks::jrand48_r_info, __builtin_return_address(0));
  return draw.real()(x, data, result);
}
