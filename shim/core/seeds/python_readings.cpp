// Decides whether a seed of Python's is made of a clock that a line has read: by the instructions
// between the reading and the call, else by the value. All of Python reads at one place of the
// interpreter, so the line and the instruction tell readings apart.
//
// It cannot follow a value through variables of another line: a comparison of runs does.
#include "core/seeds/python_readings.h"

#include "core/base/mapped.h"
#include "core/identity/thread.h"
#include "core/policy/options.h"
#include "core/python/frames.h"
#include "core/seeds/clock_samples.h"
#include "core/seeds/python_value.h"
#include "core/seeds/rules/rules.h"
#include "core/seeds/user_numbers.h"

namespace detshim {
namespace {

struct PythonReading {
  uint64_t line; ///< 0: none is known
  uint64_t owner_key;
  uint64_t order; ///< of its thread's readings
  PythonInstruction by;
  ClockTime time;
  int64_t offset; ///< of `first` from the reading
  uint64_t first; ///< what of it was passed first, if anything was
  bool owner_is_first;
  bool is_passed;
  bool is_id; ///< and no clock: known by where it stands alone
};

/// The last of a thread's first thousand, by their lines (hooks/runtimes/python_clocks.cpp), and
/// the latest.
struct Readings {
  static constexpr uint64_t limit = 512;
  uint64_t count;
  PythonReading of[limit];
};
constinit Mapped<Readings> readings;

/// Calls visit(reading, number), newest first, until it returns true. `number`: how many are newer.
template <typename Visit>
bool any_reading(Visit visit) {
  Readings* const all = readings.peek();
  if (all == nullptr)
    return false;
  const uint64_t kept = all->count < Readings::limit ? all->count : Readings::limit;
  for (uint64_t i = 0; i < kept; ++i)
    if (visit(all->of[(all->count - 1 - i) % Readings::limit], i))
      return true;
  return false;
}

/// So many of the latest readings may be cut.
constexpr uint64_t latest = 4;

uint64_t own_key() {
  const ClockSamples* const own = own_clock_samples();
  return own != nullptr ? own->owner_key : this_thread().key;
}

/// A reading that may make the value, and how far the value lies from what of it was passed first.
struct Candidate {
  PythonReading& reading;
  Fit fit;
  int64_t from_first;
  bool is_of_line; ///< the line that seeds has read it

  Candidate(PythonReading& of, const PythonValue& value, bool may_be_cut)
      : reading(of), fit(value.of(of.time, may_be_cut)),
        from_first(static_cast<int64_t>(value.name() - of.first)), is_of_line(false) {}

  bool is_passed() const { return reading.is_passed; }
  bool is_next_to_first() const { return is_passed() && is_within(from_first, near_a_reading); }
  bool is_near_first() const {
    return is_next_to_first() ||
           (is_passed() && fit.is_coarse && is_within(from_first, near_a_second));
  }
  bool is_one() const { return fit.is_there || is_next_to_first(); }
};

/// A way that a value can be made of a reading.
using Way = bool (*)(const Candidate&);

// From the surest to the least sure. What lies near a seed that was passed is that seed with
// something added; whole seconds are near others by chance, where a line reads anew.
constexpr Way ways[] = {
    // of the line
    [](const Candidate& of) {
      const bool is_sure = !of.fit.is_coarse || is_within(of.fit.offset, near_a_reading);
      return !of.is_passed() && of.is_of_line && is_sure;
    },
    // again
    [](const Candidate& of) {
      return of.is_passed() && of.from_first == 0;
    },
    // exactly a fine clock
    [](const Candidate& of) {
      return !of.is_passed() && of.fit.offset == 0 && !of.fit.is_coarse;
    },
    // next to what was passed
    [](const Candidate& of) {
      return of.is_next_to_first();
    },
    // exactly a second
    [](const Candidate& of) {
      return !of.is_passed() && of.fit.offset == 0;
    },
    // what was passed, in another unit
    [](const Candidate& of) {
      return of.is_passed() && !of.is_near_first() && of.fit.offset == 0;
    },
    // in the seconds around what was passed
    [](const Candidate& of) {
      return of.is_near_first();
    },
    // any other
    [](const Candidate&) {
      return true;
    },
};
constexpr int way_count = sizeof ways / sizeof *ways;

int way_of(const Candidate& candidate) {
  int way = 0;
  while (!ways[way](candidate))
    ++way;
  return way;
}

/// The reading that the value comes from, by the surest way; nullptr if there is none.
PythonReading* surest_reading(const PythonValue& value, uint64_t line, Fit& fit) {
  PythonReading* surest = nullptr;
  int surest_way = way_count;
  const uint64_t own = own_key();
  any_reading([&](PythonReading& reading, uint64_t number) {
    if (reading.is_id)
      return false;
    Candidate candidate(reading, value, number < latest);
    candidate.is_of_line = line != 0 && reading.line == line && reading.owner_key == own;
    const int way = candidate.is_one() ? way_of(candidate) : way_count;
    if (way < surest_way) {
      surest = &reading;
      surest_way = way;
      fit = candidate.fit;
      if (candidate.is_near_first())
        fit.offset = reading.offset + candidate.from_first;
    }
    return surest_way == 0;
  });
  return surest;
}

/// The reading that stands in the expression that seeds, if one does: whatever was made of it
/// there, the seed comes from it.
PythonReading* reading_in_expression(bool& is_handed_on) {
  if (readings.peek() == nullptr)
    return nullptr;
  const uint64_t own = own_key();
  PythonInstruction seeding;
  PythonReading* inside = nullptr;
  any_reading([&](PythonReading& reading, uint64_t number) {
    const bool may_be_inside =
        !reading.is_passed && reading.owner_key == own && reading.by.code != nullptr;
    if (!may_be_inside)
      return number >= latest;
    if (seeding.code == nullptr)
      seeding = instruction_of_users_python();
    if (is_part_of(reading.by, seeding)) {
      inside = &reading;
      is_handed_on = number == 0 && is_handed_to(reading.by, seeding);
    }
    return inside != nullptr || number >= latest;
  });
  return inside;
}

/// How many that its line has read before it are known.
uint64_t number_in_line(const PythonReading& of) {
  uint64_t number = 0;
  bool is_behind = false;
  any_reading([&](const PythonReading& reading, uint64_t) {
    number += is_behind && reading.line == of.line && reading.owner_key == of.owner_key;
    is_behind |= &reading == &of;
    return false;
  });
  return number;
}

/// True if something that was read makes the value: only then is it worth a look at the line.
bool may_be_reading(const PythonSeed& seed, const PythonValue& value) {
  if (readings.peek() == nullptr || (!seed.is_real && (seed.hash != 0 || seed.is_low())))
    return false;
  return any_reading([&](PythonReading& reading, uint64_t number) {
    return !reading.is_id && Candidate(reading, value, number < latest).is_one();
  });
}

/// The reading that the seed comes from, and how far from it the seed lies; nullptr if no reading
/// is known to make it.
PythonReading* reading_of(const PythonSeed& seed, const PythonValue& value, Fit& fit,
                          bool& is_handed_on) {
  if (PythonReading* const inside = reading_in_expression(is_handed_on)) {
    if (!inside->is_id)
      fit = value.of(inside->time, false);
    return inside;
  }
  if (!may_be_reading(seed, value))
    return nullptr;
  PythonCallSite place;
  find_python_call_site(place, PythonDetail::all, false);
  return surest_reading(value, place.user >= 0 ? place.key() : 0, fit);
}

/// The first value that is made of a reading is its seed. Later values keep their distance to it;
/// rounding does not matter.
void mark_passed(PythonReading& reading, uint64_t name, int64_t offset) {
  reading.offset = offset;
  reading.first = name;
  reading.is_passed = true;
}

unsigned bits_of(const PythonSeed& seed) { return seed.is_real || seed.whole >> 32 == 0 ? 32 : 64; }

} // namespace

namespace {

/// A place for the calling thread's next reading; nullptr where there is none.
PythonReading* next_reading(const ReadingPlace& place) {
  const ClockSamples* const own = own_clock_samples();
  Readings* const all = own != nullptr ? readings.get() : nullptr;
  if (all == nullptr)
    return nullptr;
  PythonReading* const newest =
      all->count > 0 ? &all->of[(all->count - 1) % Readings::limit] : nullptr;
  // Of those whose lines are not looked at any more the latest is enough.
  if (place.line != 0 || newest == nullptr || newest->line != 0 || newest->is_passed)
    ++all->count;
  PythonReading& reading = all->of[(all->count - 1) % Readings::limit];
  reading = {};
  reading.line = place.line;
  reading.by = place.by;
  reading.owner_key = own->owner_key;
  reading.owner_is_first = own->owner_is_first;
  reading.order = own->order;
  return &reading;
}

/// `numbers`: the user's, that are mixed in; 0: none are.
Explanation explanation_of(const PythonReading& reading, uint64_t numbers,
                           const PythonValue& value) {
  Explanation explanation;
  explanation.origin = Origin::clock;
  explanation.rule = SeedRule::python_reading;
  explanation.owner_key = numbers == 0 ? reading.owner_key : derive(reading.owner_key, numbers);
  explanation.owner_is_first = reading.owner_is_first && numbers == 0;
  // An id is the same whenever it is read.
  explanation.instance = derive(reading.owner_key, reading.is_id ? value.name() : reading.order);
  return explanation;
}

/// A number that Python, or NumPy's SeedSequence, made of what os.urandom gave.
bool is_from_own_entropy(Kind kind, const PythonSeed& seed) {
  Explanation made;
  const RequestedSeed requested = {kind, seed.name(), bits_of(seed), nullptr};
  return !seed.is_real && !seed.is_sequence && rules::entropy(requested.passed(), made);
}

} // namespace

void note_python_id(const ReadingPlace& place) {
  if (PythonReading* const reading = next_reading(place))
    reading->is_id = true;
}

void note_python_reading(const ReadingPlace& place, int64_t seconds, int64_t nanoseconds) {
  if (PythonReading* const reading = next_reading(place))
    reading->time = {seconds, nanoseconds};
}

bool choose_python_seed(Kind kind, const PythonSeed& seed, const void* caller, ChosenSeed& chosen) {
  const RequestedSeed named = {kind, seed.name(), bits_of(seed), caller};
  if (options().pins())
    if (const Explanation known = explain_python(named.passed()); known.is_volatile()) {
      chosen = choose_read_seed(named, known);
      return true;
    }
  const PythonValue value(seed);
  Fit fit;
  bool is_handed_on = false;
  PythonReading* const reading = reading_of(seed, value, fit, is_handed_on);
  if (reading == nullptr)
    return false;
  const bool is_own = reading->owner_key == own_key();
  // What the user's numbers may be mixed in: two runs that differ by them have other seeds.
  const bool is_mixed = reading->is_id || !fit.is_there || fit.offset != 0;
  const uint64_t numbers = is_mixed && is_own ? numbers_of_user() : 0;
  if (!reading->is_passed) {
    fit.offset = is_own ? 0 : fit.offset;
    mark_passed(*reading, value.name(), fit.offset);
  }
  if (!options().pins()) {
    chosen = {seed.whole, {Reason::observed, SeedRule::python_reading}, Action::nondeterministic};
    return true;
  }
  Explanation explanation = explanation_of(*reading, numbers, value);
  explanation.offset = fit.offset;
  // Another process or thread has read: the reading's position on its line names the seed. The
  // order of arrival cannot: that is a race.
  const uint64_t handed_on =
      derive(derive(reading->owner_key, reading->line), number_in_line(*reading));
  chosen = choose_read_seed(
      {kind, seed.whole, bits_of(seed), caller, is_own ? nullptr : &handed_on}, explanation);
  chosen.takes_reading = is_handed_on && chosen.action == Action::pin;
  return true;
}

bool choose_own_python_seed(Kind kind, const PythonSeed& seed, ChosenSeed& chosen) {
  static constinit int kept = 0;
  constexpr int most = 2000; // more than a log holds
  if (!options().pins() || makes_secrets())
    return false;
  const bool is_number = !seed.is_real && seed.hash == 0;
  if (options().policy == SeedPolicy::vary && is_number) {
    chosen = {seed.whole ^ state_mask(kind, bits_of(seed)), Reason::own_value};
    return true;
  }
  if (kept >= most)
    return false;
  ++kept;
  Why why = Reason::unexplained_seed;
  if (seed.is_low())
    why = {Reason::own_value, SeedRule::low_number};
  else if (is_from_user(seed.name(), 0))
    why = {Reason::own_value, SeedRule::user};
  else if (is_from_own_entropy(kind, seed))
    why = {Reason::own_value, SeedRule::entropy};
  chosen = {seed.name(), why, Action::observe};
  return true;
}

} // namespace detshim
