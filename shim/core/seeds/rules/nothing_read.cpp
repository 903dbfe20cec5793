// A program that has read no clock, no id and nothing else that changes passes what is its own. Who
// has read counts: what other libraries read, they read for themselves. Once call sites were
// forgotten, because there were too many, it is not known any more.
#include "core/seeds/rules/readers.h"
#include "core/seeds/rules/rules.h"

namespace detshim {

bool rules::nothing_read(const PassedSeed& seed, Explanation& made) {
  bool has_read = has_other_reading();
  each_thread_samples([&](const ClockSamples& samples) {
    has_read |= samples.has_forgotten;
    for (const ClockSample& latest : samples.latest)
      has_read |= latest.source != Source::none && is_reader_for(seed.caller, latest.call_site);
  });
  if (has_read)
    return false;
  made.origin = Origin::constant;
  return true;
}

} // namespace detshim
