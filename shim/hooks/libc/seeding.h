// What the hooks of libc's generators do about seeds.
#pragma once

#include "core/seeds/seeds.h"
#include "hooks/libc/rand_r_cache.h"
#include "loader/hook.h"

namespace detshim {

inline constexpr Description replaces_seed = {
    .action = Action::pin,
    .fields = {"requested"_in, "effective"_out},
    .summary = "Replaces a seed that changes from run to run; a fixed one stays.",
};
inline constexpr Description replaces_callers_seed = {
    .action = Action::pin,
    .fields = {"requested"_in, "effective"_out},
    .summary = "As srand, for a state that the caller owns.",
};
inline constexpr Description maps_callers_state = {
    .action = Action::pin,
    .fields = {"requested"_in, "effective"_out},
    .summary = "Replaces a state that changes from run to run (a clock's); a fixed one stays.",
};

/// Puts the seed to use in the place of the program's, which has so many bits, and records both.
/// False, with the program's left, where the real function is to have that.
template <typename Call>
bool pin_seed(const Call& call, Kind kind, uint64_t& seed, unsigned bits) {
  if (call.passes())
    return false;
  const ChosenSeed chosen = choose_seed({kind, seed, bits, call.caller()});
  call.record(chosen.action, chosen.why, {seed, chosen.effective});
  seed = chosen.effective;
  return options().pins();
}

/// A generator's state in a variable of the caller's. Only a seed that changes from run to run is
/// replaced. Whether the variable holds a state or a seed is not certain: under the policy `vary`
/// it is the native state seen through a mask that follows from DETSHIM_SEED, so every value in it
/// means one native state, in whichever thread.
class CallersState {
public:
  CallersState(Kind kind, unsigned bits, uint64_t seen, const HookInfo& info, const void* caller)
      : cache_(bits), mask_(state_mask(kind, bits)), native_(seen ^ mask_) {
    if (cache_.holds(seen) || cache_.any_thread_holds(seen))
      return;
    const ChosenSeed chosen =
        choose_seed({.kind = kind, .value = seen, .bits = bits, .caller = caller});
    record({info.library, info.name, info.fields}, chosen.action, caller, chosen.why,
           {seen, chosen.effective});
    native_ = chosen.effective;
    if (mask_ == 0 && native_ == seen)
      cache_.add(seen); // a fixed seed, which is not looked at again
  }

  uint64_t native() const { return native_; }
  /// What to leave in the variable after a step to that native state.
  uint64_t seen_after(uint64_t native) {
    if (mask_ == 0)
      cache_.add_native(native);
    else
      cache_.add(native ^ mask_);
    return native ^ mask_;
  }

private:
  RandRCache cache_;
  uint64_t mask_;
  uint64_t native_;
};

} // namespace detshim
