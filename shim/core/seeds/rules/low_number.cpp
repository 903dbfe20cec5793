#include "core/seeds/learned_seeds.h"
#include "core/seeds/rules/rules.h"

namespace detshim {

bool rules::low_number(const PassedSeed& seed, Explanation& made) {
  constexpr uint64_t low_numbers = 1 << 24;
  if (seed.value >= low_numbers || learned_seed(seed).changes)
    return false;
  made.origin = Origin::constant;
  return true;
}

} // namespace detshim
