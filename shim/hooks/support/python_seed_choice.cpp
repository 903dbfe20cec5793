#include "hooks/support/python_seed_choice.h"

#include "core/base/python_frames.h"
#include "core/policy/options.h"

namespace detshim {
bool choose_python_seed(Kind kind, const PythonSeed& seed, const void* caller, ChosenSeed& chosen) {
  PythonOrigin origin;
  const auto is_made_of_reading = [&] {
    if (!may_be_reading(seed)) return false;
    PythonCallSite place;
    find_python_call_site(place, PythonDetail::all, false);
    return explain_python_seed(seed, place.user >= 0 ? place.key() : 0, origin);
  };
  if (!explain_learned(seed.whole, caller, origin.explanation) && !is_made_of_reading()) return false;
  chosen = {seed.whole, Reason::observed, Action::nondeterministic};
  if (!options().pins()) return true;
  const unsigned bits = seed.is_real || seed.whole >> 32 == 0 ? 32 : 64;
  chosen = choose_read_seed(
      {kind, seed.whole, bits, caller, origin.has_own_seed ? &origin.own_seed : nullptr}, origin.explanation);
  return true;
}

bool keep_for_comparison(const PythonSeed& seed, ChosenSeed& chosen) {
  static constinit int kept = 0;
  constexpr int most = 2000; // more than a log holds
  if (!options().pins() || makes_secrets() || kept >= most) return false;
  ++kept;
  const bool is_own = seed.is_small() || is_from_user(seed.whole, 0);
  chosen = {seed.whole, is_own ? Reason::own_value : Reason::unexplained_seed, Action::observe};
  return true;
}

} // namespace detshim
