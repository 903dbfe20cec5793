// The 48-bit family: drand48 and its relatives, with a state a thread.
//
// X' = a X + c mod 2^48, a and c as POSIX gives them (IEEE Std 1003.1, "drand48"). glibc keeps X
// for the whole process; here each thread has its own, and the main thread's starts as
// srand48(seed) would leave it.
#include "core/fingerprint/output_digests.h"
#include "hooks/libc/seeding.h"
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
  bool is_the_programs =
      false; ///< the program seeded it: then a forked child goes on with it, as natively
  unsigned short before[3] = {}; // what seed48 returns
  CallSites drand48_call_sites, lrand48_call_sites, mrand48_call_sites, erand48_call_sites,
      nrand48_call_sites, jrand48_call_sites;
};
thread_local constinit State48 state48;

/// What srand48 makes of a seed: its low 32 bits above the constant 0x330E.
constexpr uint64_t from_srand48(uint64_t seed) { return uint64_t{fold32(seed)} << 16 | 0x330E; }

void seed48_state(uint64_t x, bool is_the_programs) {
  state48.is_the_programs = is_the_programs;
  state48.generation = this_thread().generation;
  state48.x = x;
  state48.a = standard_a;
  state48.c = standard_c;
}

void prepare() {
  if (state48.generation == this_thread().generation)
    return;
  if (state48.is_the_programs) {
    state48.generation = this_thread().generation;
    return;
  }
  const ChosenSeed chosen = choose_unseeded(Kind::drand48, 0);
  const bool starts_natively = chosen.action == Action::observe; // from X = 0, which no seed gives
  seed48_state(starts_natively ? 0 : from_srand48(chosen.effective), false);
}

inline uint64_t step() { return state48.x = (state48.x * state48.a + state48.c) & mask48; }

double as_double(uint64_t x) {
  return static_cast<double>(x) * 0x1p-48;
} // exact: 48 bits fit in 53
long as_unsigned31(uint64_t x) { return static_cast<long>(x >> 17); }
long as_signed32(uint64_t x) { return static_cast<int32_t>(x >> 16); }

template <typename Signature, auto as_result>
[[gnu::noinline]] auto decide_and_draw(Hook& hook, CallSites& call_sites, const void* caller) {
  Draw<Signature> draw(hook, call_sites, caller);
  if (!draw.pinned)
    return draw.real()();
  if (draw.first)
    prepare();
  return drawn(as_result(step()));
}

uint64_t pack(const unsigned short x[3]) {
  return uint64_t{x[2]} << 32 | uint64_t{x[1]} << 16 | x[0];
}
void unpack(uint64_t value, unsigned short x[3]) {
  x[0] = static_cast<unsigned short>(value);
  x[1] = static_cast<unsigned short>(value >> 16);
  x[2] = static_cast<unsigned short>(value >> 32);
}

/// One step of a state that the caller owns, with this thread's a and c (lcong48 changes them).
template <typename Signature, auto as_result>
auto draw_from_callers(Hook& hook, CallSites& call_sites, const void* caller, unsigned short x[3]) {
  Draw<Signature> draw(hook, call_sites, caller);
  if (!draw.pinned)
    return draw.real()(x);
  prepare();
  CallersState callers(Kind::xsubi48, 48, pack(x), hook.info(), caller);
  const uint64_t next = (callers.native() * state48.a + state48.c) & mask48;
  unpack(callers.seen_after(next), x);
  return drawn(as_result(next));
}

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_HOOK(libc, void, srand48, (long seed), replaces_seed) {
  DETSHIM_ENTER(srand48);
  uint64_t effective = static_cast<uint32_t>(seed);
  if (!pin_seed(call, Kind::drand48, effective, 32))
    return call.real(seed);
  seed48_state(from_srand48(effective), true);
}

DETSHIM_HOOK(libc, unsigned short*, seed48, (unsigned short x[3]), replaces_seed) {
  DETSHIM_ENTER(seed48);
  uint64_t effective = pack(x);
  if (!pin_seed(call, Kind::drand48, effective, 48))
    return call.real(x);
  prepare();
  unpack(state48.x, state48.before);
  seed48_state(effective, true);
  return state48.before;
}

DETSHIM_HOOK(libc, void, lcong48, (unsigned short parameters[7]), .action = Action::pin,
             .fields = {"requested"_in, "effective"_out},
             .summary = "As srand48, and keeps the program's multiplier and addend.") {
  DETSHIM_ENTER(lcong48);
  uint64_t effective = pack(parameters);
  if (!pin_seed(call, Kind::drand48, effective, 48))
    return call.real(parameters);
  seed48_state(effective, true);
  state48.a = pack(parameters + 3);
  state48.c = parameters[6];
}

DETSHIM_HOOK(libc, double, drand48, (), .action = Action::pin,
             .summary = "Draws from this thread's own state; the main thread's is glibc's "
                        "srand48(seed) sequence.") {
  const void* const caller = __builtin_return_address(0);
  if (count_known_draw(state48.drand48_call_sites, caller))
    return as_double(step());
  return decide_and_draw<hooks::drand48_signature, as_double>(hooks::drand48,
                                                              state48.drand48_call_sites, caller);
}

DETSHIM_HOOK(libc, long, lrand48, (), .action = Action::pin,
             .summary = "Draws from this thread's own state, as drand48.") {
  const void* const caller = __builtin_return_address(0);
  if (count_known_draw(state48.lrand48_call_sites, caller))
    return as_unsigned31(step());
  return decide_and_draw<hooks::lrand48_signature, as_unsigned31>(
      hooks::lrand48, state48.lrand48_call_sites, caller);
}

DETSHIM_HOOK(libc, long, mrand48, (), .action = Action::pin,
             .summary = "Draws from this thread's own state, as drand48.") {
  const void* const caller = __builtin_return_address(0);
  if (count_known_draw(state48.mrand48_call_sites, caller))
    return as_signed32(step());
  return decide_and_draw<hooks::mrand48_signature, as_signed32>(hooks::mrand48,
                                                                state48.mrand48_call_sites, caller);
}

DETSHIM_HOOK(libc, double, erand48, (unsigned short x[3]), maps_callers_state) {
  return draw_from_callers<hooks::erand48_signature, as_double>(
      hooks::erand48, state48.erand48_call_sites, __builtin_return_address(0), x);
}

DETSHIM_HOOK(libc, long, nrand48, (unsigned short x[3]), maps_callers_state) {
  return draw_from_callers<hooks::nrand48_signature, as_unsigned31>(
      hooks::nrand48, state48.nrand48_call_sites, __builtin_return_address(0), x);
}

DETSHIM_HOOK(libc, long, jrand48, (unsigned short x[3]), maps_callers_state) {
  return draw_from_callers<hooks::jrand48_signature, as_signed32>(
      hooks::jrand48, state48.jrand48_call_sites, __builtin_return_address(0), x);
}

// Where the program seeds a state of its own, drand48_r, lrand48_r and mrand48_r need no hook.
// Forms that nobody uses have none (erand48_r, seed48_r and their kin).
DETSHIM_HOOK(libc, int, srand48_r, (long seed, drand48_data* data), replaces_callers_seed) {
  DETSHIM_ENTER(srand48_r);
  uint64_t effective = static_cast<uint32_t>(seed);
  return call.real(pin_seed(call, Kind::drand48, effective, 32) ? fold32(effective) : seed, data);
}
