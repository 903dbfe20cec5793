#include "core/seeds/python_readings.h"

#include "core/base/mapped.h"
#include "core/base/python_frames.h"
#include "core/identity/thread.h"
#include "core/policy/options.h"
#include "core/seeds/clock_samples.h"

#include <initializer_list>

namespace detshim {
namespace {

struct Reading {
  uint64_t line; ///< 0: none is known
  uint64_t owner_key;
  uint64_t order; ///< of its thread's readings
  int64_t seconds, nanoseconds;
  int64_t offset; ///< that `first` stands for
  uint64_t first; ///< what of it was passed first, if anything was
  bool owner_is_first, is_passed;
};

/// The last of a thread's first thousand, by their lines (hooks/runtimes/python_clocks.cpp), and the latest.
struct Readings {
  static constexpr uint64_t limit = 512;
  uint64_t count;
  Reading of[limit];
};
constinit Mapped<Readings> readings;

/// Calls visit(reading, number), newest first, until it returns true. `number`: how many are newer.
template <typename Visit>
bool any_reading(Visit visit) {
  Readings* const all = readings.peek();
  if (all == nullptr) return false;
  const uint64_t kept = all->count < Readings::limit ? all->count : Readings::limit;
  for (uint64_t i = 0; i < kept; ++i)
    if (visit(all->of[(all->count - 1 - i) % Readings::limit], i)) return true;
  return false;
}

constexpr int64_t billion = 1'000'000'000;
constexpr int64_t since_2001 = billion; // in seconds: from there on, what lies near is no chance

// How far a number may lie from a clock and still be one with something added: by a rank, a worker, an epoch;
// and of whole seconds, of which there are few, further.
constexpr int64_t near = 64, far = 4096;

bool is_within(int64_t offset, int64_t most) { return offset >= -most && offset <= most; }

/// How a value is made of a reading.
struct Fit {
  bool is_there = false;
  bool is_coarse = false; ///< in whole seconds: another reading may give the same
  int64_t offset = 0;     ///< that was added
};

class Value {
public:
  explicit Value(const PythonSeed& seed)
      : seed_(seed), whole_(static_cast<int64_t>(seed.whole >> 63 == 0 ? seed.whole : 0)) {
    int64_t rest = whole_;
    for (int64_t& seconds : seconds_) seconds = rest, rest /= 10;
  }

  uint64_t name() const {
    uint64_t bits = seed_.whole;
    if (seed_.is_real) __builtin_memcpy(&bits, &seed_.real, sizeof bits);
    return bits;
  }

  /// `may_be_cut`: a number of 32 bits may be what is left of a larger one. Not of every reading: any number
  /// would be one of some.
  Fit of(const Reading& reading, bool may_be_cut) const {
    if (reading.seconds < 0 || reading.seconds >= 8 * billion) return {};
    if (seed_.is_real) return of_real(reading);
    Fit fit;
    if (is_near_second(reading.seconds)) fit = of_whole(reading);
    if (fit.is_there) return fit;
    fit = {};
    fit.is_there = may_be_cut && seed_.whole >> 32 == 0 && is_cut(reading);
    return fit;
  }

private:
  /// Calls visit(number) for what Python makes of the reading in units of which a second has `scale`, until
  /// it returns true.
  template <typename Visit>
  static bool any_unit(const Reading& reading, int64_t scale, Visit visit) {
    const int64_t total = reading.seconds * billion + reading.nanoseconds;
    const int64_t micro = reading.nanoseconds / 1000;
    const auto seconds = static_cast<double>(reading.seconds);
    const double as_real[] = {static_cast<double>(total) / 1e9,        // time.time()
                              static_cast<double>(total / 1000) / 1e6, // a datetime's timestamp() with a zone
                              seconds + static_cast<double>(micro) / 1e6}; // and without one
    if (visit(total / (billion / scale))) return true;
    for (const double real : as_real)
      if (visit(static_cast<int64_t>(real * static_cast<double>(scale)))) return true;
    return false;
  }

  /// Whether there can be a fit: a program reads many times in a second, and passes what is none.
  bool is_near_second(int64_t second) const {
    if (second == passed_over_) return false;
    bool is_near = second >= since_2001 && is_within(whole_ - second, far);
    for (const int64_t known : seconds_) is_near |= is_within(known - second, 1);
    if (!is_near) passed_over_ = second;
    return is_near;
  }

  Fit of_whole(const Reading& reading) const {
    const bool is_time = reading.seconds >= since_2001;
    Fit fit;
    fit.offset = whole_ - reading.seconds;
    if (is_time && is_within(fit.offset, far)) {
      fit.is_there = fit.is_coarse = true;
      return fit;
    }
    int64_t scale = 1;
    for (int i = 1; i < scales; ++i) {
      scale *= 10;
      if (!is_within(seconds_[i] - reading.seconds, 1)) continue;
      fit.offset = 0;
      fit.is_there = any_unit(reading, scale, [&](int64_t unit) { return unit == whole_; });
      if (fit.is_there || !is_time || scale < 1000) return fit;
      fit.offset = whole_ - (reading.seconds * billion + reading.nanoseconds) / (billion / scale);
      fit.is_there = is_within(fit.offset, near);
      return fit;
    }
    return {};
  }

  Fit of_real(const Reading& reading) const {
    const double seconds =
        static_cast<double>(reading.seconds) + static_cast<double>(reading.nanoseconds) / 1e9;
    const bool is_time = reading.seconds >= since_2001;
    for (double scale = 1; scale <= 1e9; scale *= 1000) {
      const double unit = seconds * scale, difference = seed_.real - unit;
      // A datetime has no more than microseconds.
      const double most = is_time ? 1.2e-6 * scale : unit * 1e-15;
      Fit fit;
      if (scale == 1 && is_time && difference > -far && difference < far)
        fit.offset = static_cast<int64_t>(difference + (difference < 0 ? -0.5 : 0.5));
      const double rest = difference - static_cast<double>(fit.offset);
      fit.is_there = rest <= most && rest >= -most;
      if (fit.is_there) return fit;
    }
    return {};
  }

  bool is_cut(const Reading& reading) const {
    const auto whole = static_cast<int64_t>(seed_.whole);
    for (const int64_t scale : {1000, 1'000'000, 1'000'000'000})
      if (any_unit(reading, scale, [&](int64_t unit) {
            constexpr int64_t power = int64_t{1} << 31;
            return unit > whole &&
                   (unit % (2 * power) == whole || unit % (2 * power - 1) == whole || unit % power == whole ||
                    unit % (power - 1) == whole || unit % billion == whole);
          }))
        return true;
    return false;
  }

  static constexpr int scales = 10; // seconds to nanoseconds

  PythonSeed seed_;
  int64_t whole_;
  int64_t seconds_[scales]; ///< that there would be, by scale
  mutable int64_t passed_over_ = -1;
};

/// So many of the latest readings may be cut.
constexpr uint64_t latest = 4;

uint64_t own_key() {
  const ClockSamples* const own = own_clock_samples();
  return own != nullptr ? own->owner_key : this_thread().key;
}

/// The reading that the value comes from; nullptr if there is none.
Reading* choose(const Value& value, uint64_t line, Fit& chosen) {
  // From the surest to the least sure. What lies near a seed that was passed is that seed with something
  // added; whole seconds are near others by chance, where a line reads anew.
  enum { of_line, again, exact_fine, next_to_it, exact_coarse, in_another_unit, near_it, other, ways };
  Reading* found[ways] = {};
  Fit fits[ways] = {};
  const uint64_t own = own_key();
  any_reading([&](Reading& reading, uint64_t number) {
    Fit fit = value.of(reading, number < latest);
    int way = ways;
    const auto from_first = static_cast<int64_t>(value.name() - reading.first);
    const bool is_next = reading.is_passed && is_within(from_first, near);
    if (!fit.is_there && !is_next) return false;
    if (!reading.is_passed) {
      const bool is_lines = line != 0 && reading.line == line && reading.owner_key == own;
      way = is_lines && (!fit.is_coarse || is_within(fit.offset, near)) ? of_line
            : fit.offset != 0                                           ? other
            : fit.is_coarse                                             ? exact_coarse
                                                                        : exact_fine;
    } else {
      const bool is_near_first = is_next || (fit.is_coarse && is_within(from_first, far));
      way = from_first == 0   ? again
            : is_next         ? next_to_it
            : is_near_first   ? near_it
            : fit.offset == 0 ? in_another_unit
                              : other;
      if (is_near_first) fit.offset = reading.offset + from_first;
    }
    if (found[way] == nullptr) found[way] = &reading, fits[way] = fit;
    return way == of_line;
  });
  for (int way = 0; way < ways; ++way)
    if (found[way] != nullptr) {
      chosen = fits[way];
      return found[way];
    }
  return nullptr;
}

/// How many that its line has read before it are known.
uint64_t number_in_line(const Reading& of) {
  uint64_t number = 0;
  bool is_behind = false;
  any_reading([&](const Reading& reading, uint64_t) {
    number += is_behind && reading.line == of.line && reading.owner_key == of.owner_key;
    is_behind |= &reading == &of;
    return false;
  });
  return number;
}

/// True if something that was read makes the value: only then is it worth a look at the line.
bool may_be_reading(const PythonSeed& seed, const Value& value) {
  if (readings.peek() == nullptr || (!seed.is_real && (seed.hash != 0 || seed.is_small()))) return false;
  return any_reading([&](const Reading& reading, uint64_t number) {
    return value.of(reading, number < latest).is_there ||
           (reading.is_passed && is_within(static_cast<int64_t>(value.name() - reading.first), near));
  });
}

} // namespace

void note_python_reading(uint64_t line, int64_t seconds, int64_t nanoseconds) {
  const ClockSamples* const own = own_clock_samples();
  Readings* const all = own != nullptr ? readings.get() : nullptr;
  if (all == nullptr) return;
  Reading* const newest = all->count > 0 ? &all->of[(all->count - 1) % Readings::limit] : nullptr;
  // Of those whose lines are not looked at any more the latest is enough.
  if (line != 0 || newest == nullptr || newest->line != 0 || newest->is_passed) ++all->count;
  Reading& reading = all->of[(all->count - 1) % Readings::limit];
  reading = {};
  reading.line = line;
  reading.owner_key = own->owner_key;
  reading.owner_is_first = own->owner_is_first;
  reading.order = own->order;
  reading.seconds = seconds;
  reading.nanoseconds = nanoseconds;
}

bool choose_python_seed(Kind kind, const PythonSeed& seed, const void* caller, ChosenSeed& chosen) {
  const unsigned bits = seed.is_real || seed.whole >> 32 == 0 ? 32 : 64;
  if (Explanation learned; options().pins() && explain_learned(seed.name(), caller, learned)) {
    chosen = choose_read_seed({kind, seed.name(), bits, caller}, learned);
    return true;
  }
  const Value value(seed);
  if (!may_be_reading(seed, value)) return false;
  PythonCallSite place;
  find_python_call_site(place, PythonDetail::all, false);
  Fit fit;
  Reading* const reading = choose(value, place.user >= 0 ? place.key() : 0, fit);
  if (reading == nullptr) return false;
  const bool is_own = reading->owner_key == own_key();
  if (!reading->is_passed) {
    // The first that is made of a reading is its seed, and what else is made of it lies as far from that as
    // the program puts it: whether it was rounded up is of no account.
    if (is_own) fit.offset = 0;
    reading->offset = fit.offset;
    reading->first = value.name();
    reading->is_passed = true;
  }
  chosen = {seed.whole, Reason::observed, Action::nondeterministic};
  if (!options().pins()) return true;
  Explanation explanation;
  explanation.origin = Origin::clock;
  explanation.owner_key = reading->owner_key;
  explanation.owner_is_first = reading->owner_is_first;
  explanation.offset = fit.offset;
  explanation.instance = derive(reading->owner_key, reading->order);
  // Where another process or thread read, its place in its line names the seed: which of those that it was
  // handed to comes first is a race.
  const uint64_t handed_on = derive(derive(reading->owner_key, reading->line), number_in_line(*reading));
  chosen = choose_read_seed({kind, seed.whole, bits, caller, is_own ? nullptr : &handed_on}, explanation);
  return true;
}

bool keep_for_comparison(const PythonSeed& seed, ChosenSeed& chosen) {
  static constinit int kept = 0;
  constexpr int most = 2000; // more than a log holds
  if (!options().pins() || makes_secrets() || kept >= most) return false;
  ++kept;
  const bool is_own = seed.is_small() || is_from_user(seed.name(), 0);
  chosen = {seed.name(), is_own ? Reason::own_value : Reason::unexplained_seed, Action::observe};
  return true;
}

} // namespace detshim
