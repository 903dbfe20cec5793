// Asks the rules in turn, from what is known for certain to what is left. What each takes for
// granted, and what it cannot know, stands at the top of its file.
#include "core/seeds/rules/rules.h"

#include "core/seeds/clock_samples.h"

namespace detshim {
namespace {

enum class Asked : uint8_t { for_all, for_interpreters, for_programs };

/// What becomes of the readings that were made before a seed that the rule knows.
enum class EarlierReadings : uint8_t {
  are_used, ///< a later seed is made of later ones
  are_left, ///< the next seed may still be made of them
};

struct Rule {
  SeedRule name;
  bool (*tells)(const PassedSeed&, Explanation&);
  Asked asked = Asked::for_all;
  EarlierReadings readings = EarlierReadings::are_used;
};

// The first that knows the seed answers.
constexpr Rule rules_in_order[] = {
    // A fixed number stays what it is before anything is guessed.
    {SeedRule::low_number, rules::low_number, Asked::for_interpreters, EarlierReadings::are_left},
    // Before all guesses: a part of a clock may be any number, by chance one that they know.
    {SeedRule::learned, rules::learned},
    // Before the readings, which know what a number may be made of: here it stands.
    {SeedRule::in_code, rules::in_code, Asked::for_all, EarlierReadings::are_left},
    // Before small numbers: what is left of a clock may be one.
    {SeedRule::reading, rules::reading},
    // Before nothing_read: an address is made of no reading.
    {SeedRule::address, rules::address},
    // Before all that costs a search: of what programs fix most is small.
    {SeedRule::small_number, rules::small_number},
    // Behind small numbers, which it would name less exactly.
    {SeedRule::nothing_read, rules::nothing_read},
    // What a fabric's library passes is no seed of the program's.
    {SeedRule::infrastructure, rules::infrastructure, Asked::for_programs,
     EarlierReadings::are_left},
    // Behind nothing_read, which needs no search through what was drawn.
    {SeedRule::entropy, rules::entropy},
    // It opens a file: behind all that costs no system call.
    {SeedRule::user, rules::user},
    // It reads a file's constants: the dearest. What interpreters' programs fix stands in none.
    {SeedRule::in_file, rules::in_file, Asked::for_programs},
    // Of a value that is nothing else. Interpreters read clocks all the time, and what their
    // programs fix stands in no code that could be looked at.
    {SeedRule::order, rules::order, Asked::for_programs},
};

void use_readings() {
  if (ClockSamples* const samples = own_clock_samples())
    samples->seeded = samples->order;
}

bool is_asked(const Rule& rule, SeedingCode code) {
  switch (rule.asked) {
  case Asked::for_interpreters:
    return code == SeedingCode::interpreter;
  case Asked::for_programs:
    return code == SeedingCode::program;
  default:
    return true;
  }
}

bool answers(const Rule& rule, const PassedSeed& seed, Explanation& made) {
  if (!rule.tells(seed, made))
    return false;
  made.rule = rule.name;
  return true;
}

} // namespace

Explanation explain(const PassedSeed& seed, SeedingCode code) {
  Explanation made;
  for (const Rule& rule : rules_in_order) {
    if (!is_asked(rule, code))
      continue;
    if (!answers(rule, seed, made))
      continue;
    if (rule.readings == EarlierReadings::are_used)
      use_readings();
    return made;
  }
  use_readings();
  return made;
}

Explanation explain_python(const PassedSeed& seed) {
  Explanation made;
  answers({SeedRule::learned, rules::learned}, seed, made);
  return made;
}

} // namespace detshim
