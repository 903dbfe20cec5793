#include "hooks/support/python_seed_choice.h"

#include "core/base/python_frames.h"
#include "core/policy/options.h"

namespace detshim {
bool choose_python_seed(Kind kind, const PythonSeed& seed, const void* caller, ChosenSeed& chosen) {
  if (!may_be_reading(seed)) return false;
  PythonCallSite place;
  find_python_call_site(place, PythonDetail::all, false);
  const uint64_t line = place.user >= 0 ? place.key() : 0;
  PythonOrigin origin;
  if (!explain_python_seed(seed, line, origin)) return false;
  chosen = {seed.whole, Reason::observed, Action::nondeterministic};
  if (!options().pins()) return true;
  const unsigned bits = seed.is_real || seed.whole >> 32 == 0 ? 32 : 64;
  chosen = choose_read_seed(
      {kind, seed.whole, bits, caller, origin.has_own_seed ? &origin.own_seed : nullptr}, origin.explanation);
  return true;
}

} // namespace detshim
