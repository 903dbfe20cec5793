// A seed below 65536 that no reading gives is an index, a rank, or a number that somebody wrote. A
// clock that was cut to so few bits (`% 1000`) looks alike: only a comparison of runs tells it.
#include "core/seeds/rules/rules.h"

namespace detshim {

bool rules::small_number(const PassedSeed& seed, Explanation& made) {
  if (!seed.is_small())
    return false;
  made.origin = Origin::constant;
  return true;
}

} // namespace detshim
