#include "core/seeds/user_numbers.h"

#include "core/seeds/rules/rules.h"

namespace detshim {
namespace {

// To look at the command line takes time, and a program may seed a million times.
constexpr int most_looks = 256;
constinit int looks = 0;

} // namespace

bool rules::user(const PassedSeed& seed, Explanation& made) {
  constexpr uint64_t widest_offset = 4096; // of a rank, a thread's or a loop's number
  if (looks++ >= most_looks || !is_from_user(seed.value, widest_offset))
    return false;
  made.origin = Origin::constant;
  return true;
}

} // namespace detshim
