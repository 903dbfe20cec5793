// What the hooks of libc's generators do about seeds.
#pragma once

#include "core/seeds/seeds.h"
#include "hooks/libc/rand_r_cache.h"
#include "loader/hook.h"

namespace detshim {

inline constexpr Description replaces_seed = {
    .action = Action::pin,
    .fields = {"requested", "effective"},
    .summary = "Replaces the program's seed by one derived from DETSHIM_SEED.",
};
inline constexpr Description replaces_callers_seed = {
    .action = Action::pin,
    .fields = {"requested", "effective"},
    .summary = "Replaces the program's seed for a state that the caller owns.",
};
inline constexpr Description maps_callers_state = {
    .action = Action::pin,
    .fields = {"requested", "effective"},
    .summary = "Maps the caller's state by DETSHIM_SEED; replaces one that the program took from a clock.",
};

/// Puts the seed to use in the place of the program's, which has so many bits, and records both. False, with
/// the program's left, where the real function is to have that.
template <typename Call>
bool pin_seed(const Call& call, Kind kind, uint64_t& seed, unsigned bits) {
  if (call.passes()) return false;
  if (!options().pins()) {
    call.record(Action::nondeterministic, Reason::observed, {seed, ""});
    return false;
  }
  const ChosenSeed chosen = choose_seed({kind, seed, bits, call.caller()});
  call.record(chosen.action, chosen.why, {seed, chosen.effective});
  seed = chosen.effective;
  return true;
}

/// A generator's state in a variable of the caller's. Whether the variable holds a state or a seed is not
/// certain, and need not be: it is the native state seen through a mask that follows from
/// DETSHIM_SEED, so every value in it means one native state, in whichever thread. Only a seed that changes
/// from run to run is replaced.
class CallersState {
public:
  CallersState(Kind kind, unsigned bits, uint64_t seen, const HookInfo& info, const void* caller)
      : cache_(bits), mask_(state_mask(kind, bits)), native_(seen ^ mask_) {
    if (cache_.holds(seen) || cache_.any_thread_holds(seen)) return;
    const ChosenSeed chosen = choose_seed({.kind = kind, .value = seen, .bits = bits, .caller = caller});
    record({info.library, info.name, info.fields}, chosen.action, caller, chosen.why,
           {seen, chosen.effective});
    native_ = chosen.effective;
  }

  uint64_t native() const { return native_; }
  /// What to leave in the variable after a step to that native state.
  uint64_t seen_after(uint64_t native) {
    cache_.add(native ^ mask_);
    return native ^ mask_;
  }

private:
  RandRCache cache_;
  uint64_t mask_;
  uint64_t native_;
};

} // namespace detshim
