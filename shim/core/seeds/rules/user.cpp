// What the user typed stays: a number on the command line or in the environment, or one near to it,
// as ranks and workers add their own. A small number means much else there and counts only exactly,
// on the command line.
//
// This cannot know a number that the program reads from a file.
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
