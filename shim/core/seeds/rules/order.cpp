// A value that no other rule knows may have come from a clock, whatever was done to it. Where the
// order of a process's seeds is fixed, the value's place in that order names it: the first run then
// repeats.
//
// That holds in the first thread of a process that is alone. Two runs of one program that differ by
// a small number on their command lines (a repetition's) are two runs, and have other seeds. What
// this cannot know: whether the value would have changed. A comparison of runs shows that, and what
// proves constant is left as it is from then on.
#include "core/identity/thread.h"
#include "core/seeds/rules/rules.h"
#include "core/seeds/seed_order.h"
#include "core/seeds/user_numbers.h"

namespace detshim {

namespace {
constexpr uint64_t label_order = 0x6F72646572;
}

bool rules::order(const PassedSeed& seed, Explanation& made) {
  const Thread& thread = this_thread();
  const uint64_t numbers = numbers_of_user();
  made.origin = Origin::ordered;
  // Named by the value alone: a thread or a forked child that passes it later means the same one.
  made.instance = instance_in_order(seed.value);
  made.owner_key = numbers == 0 ? thread.key : derive(derive(thread.key, label_order), numbers);
  made.owner_is_first = thread.is_first && numbers == 0;
  made.only_if_bound = !is_order_fixed();
  return true;
}

} // namespace detshim
