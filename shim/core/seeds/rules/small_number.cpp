#include "core/seeds/rules/rules.h"

namespace detshim {

bool rules::small_number(const PassedSeed& seed, Explanation& made) {
  if (!seed.is_small())
    return false;
  made.origin = Origin::constant;
  return true;
}

} // namespace detshim
