// Whose readings of clocks and ids may become a seed.
#pragma once

#include "core/seeds/clock_samples.h"
#include "core/seeds/passed_seed.h"

namespace detshim {

/// True if what was read at `call_site` may be passed by that caller: its own object has read it,
/// or one of is_reader().
inline bool is_reader_for(const Caller& caller, const void* call_site) {
  const Module* const own = caller.module();
  if (own != nullptr && own->holds(call_site))
    return true;
  Module module;
  return find_module(call_site, module) && is_reader(module);
}

/// The same of a rank's readings, whose addresses are not this process's.
inline bool is_reader_of_rank(const ClockSamples& rank, const void* call_site) {
  for (const CodeRange& range : rank.readers)
    if (range.holds(call_site))
      return true;
  return false;
}

} // namespace detshim
