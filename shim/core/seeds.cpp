#include "core/seeds.h"

#include "core/options.h"
#include "core/sys.h"

#include <time.h>

namespace detshim {
namespace {

// A rank, a thread number or a loop index may have been added to the clock.
constexpr uint64_t small_offset = 4096;

// Distinct values that a thread remembers. One more is a new value each time that it comes.
constexpr size_t remembered_values = 65536;

uint64_t table_key(Kind kind, uint64_t value) { return derive(static_cast<uint64_t>(kind), value); }

uint64_t row_seed(const Thread& thread, Kind kind, uint64_t j) {
  return j == 0 && thread.is_first ? process().seed : stream_key(thread, kind, j);
}

bool is_near(uint64_t value, uint64_t to) { return value - (to - small_offset) <= 2 * small_offset; }

} // namespace

bool looks_like_chance(uint64_t value) {
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  return is_near(value, static_cast<uint64_t>(now.tv_sec));
}

uint64_t next_seed(Kind kind) {
  const sys::SignalsBlocked no_signals;
  Thread& thread = this_thread();
  constexpr uint64_t row = 0x726F77; // of seeds handed out, kept beside the values
  uint64_t& used = thread.seeds.insert(derive(table_key(kind, row), row));
  return row_seed(thread, kind, used++);
}

void bind_seed(Kind kind, uint64_t asked, uint64_t given) {
  const sys::SignalsBlocked no_signals;
  Thread& thread = this_thread();
  if (thread.seeds.used() < remembered_values) thread.seeds.insert(table_key(kind, asked)) = given;
}

const uint64_t* bound_seed(Kind kind, uint64_t asked) {
  return looks_like_chance(asked) ? nullptr : this_thread().seeds.find(table_key(kind, asked));
}

ChosenSeed choose_seed(Kind kind, uint64_t asked) {
  const bool chance = looks_like_chance(asked);
  switch (options().policy) {
  case SeedPolicy::keep:
    if (chance)
      return {asked, "a clock's value, kept by the policy: another one in each run", Action::unfixed};
    return {asked, "the program's own seed, kept", Action::observe};
  case SeedPolicy::mix:
    if (chance)
      return {derive(process().seed, asked), "derived from a clock's value: another one in each run",
              Action::unfixed};
    return {derive(process().seed, asked), "derived from the seed and the program's value"};
  case SeedPolicy::fixed:
    break;
  }
  if (const uint64_t* known = bound_seed(kind, asked))
    return {*known, "the same value as before in this thread"};
  const uint64_t given = next_seed(kind);
  if (!chance) bind_seed(kind, asked, given);
  return {given, chance ? "from a clock: new each time" : "a new value in this thread"};
}

ChosenSeed choose_unseeded(Kind kind, uint64_t standard) {
  const Thread& thread = this_thread();
  if (options().policy == SeedPolicy::keep && thread.label == 0)
    return {standard, "not seeded: the standard's own start, kept"};
  const uint64_t given = next_seed(kind);
  // The standard says that an unseeded generator is one seeded with this value.
  bind_seed(kind, standard, given);
  return {given, "not seeded by the program"};
}

} // namespace detshim
