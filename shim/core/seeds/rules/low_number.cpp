// In Python, seeds below 2^24 are indices, tasks' numbers and dates that somebody wrote down. A
// clock's low end may be one of them by chance, in a run of many; a comparison that saw the call
// site change counts more.
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
