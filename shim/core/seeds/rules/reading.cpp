// Whether two readings fall into one second must not decide anything. So a reading is known by its
// order, and where the value does not tell two apart, the code does: the reading right before the
// call, or the one from the place that was read for the seed before.

#include "core/base/ring.h"
#include "core/identity/thread.h"
#include "core/seeds/clock_samples.h"
#include "core/seeds/clock_units.h"
#include "core/seeds/rules/readers.h"
#include "core/seeds/rules/rules.h"
#include "core/seeds/seed_order.h"
#include "core/seeds/user_numbers.h"

#include <initializer_list>

namespace detshim {
namespace {

/// True if the call at `caller` follows upon the reading at `call_site`: srand(time(0) + 3).
bool feeds(const void* call_site, const void* caller) {
  constexpr uintptr_t within = 64; // bytes of code
  return reinterpret_cast<uintptr_t>(caller) - reinterpret_cast<uintptr_t>(call_site) - 1 < within;
}

/// The last number of a path such as 0.2.3, 0 without one: how the creator counted this thread.
uint64_t ordinal_of(const PathText& path) {
  uint64_t number = 0;
  bool has_dot = false;
  for (const char* c = path; *c != 0; ++c) {
    if (*c == '.') {
      number = 0;
      has_dot = true;
    }
    if (*c >= '0' && *c <= '9')
      number = number * 10 + static_cast<uint64_t>(*c - '0');
  }
  return has_dot ? number : 0;
}

/// What was seeded by a reading before: a value that is passed again is that reading's again,
/// whatever was read since.
struct Used {
  uint64_t value;
  int64_t offset;
  uint64_t owner_key;
  bool owner_is_first;
  ClockSample reading;
};
constinit Ring<Used, 64> used;

uint64_t instance_of(uint64_t owner_key, const ClockSample& reading) {
  // An id is the same whenever it is read.
  const uint64_t which = reading.source == Source::id ? reading.a : reading.order;
  return derive(derive(owner_key, static_cast<uint64_t>(reading.source)), which);
}

/// One reading that explains the value.
struct Match {
  const ClockSamples* samples = nullptr; ///< nullptr for one of `used`
  uint64_t owner_key = 0;
  bool owner_is_first = false;
  ClockSample reading = {};
  int64_t offset = 0;
  bool is_exact = false;
  bool is_coarse = false;

  explicit operator bool() const { return reading.source != Source::none; }
};

/// The numbers that tell this thread from its siblings, by which a clock is often shifted.
struct Siblings {
  uint64_t rank = 0;
  uint64_t thread = 0;

  bool hold(int64_t offset) const {
    const auto number = static_cast<uint64_t>(offset);
    return offset > 0 && (number == rank || number == thread || number + 1 == thread);
  }
};

/// Looks through the samples for readings that explain the value.
class Search {
public:
  explicit Search(const PassedSeed& seed)
      : value_(seed), caller_(seed.caller), own_(own_clock_samples()) {
    siblings_.rank = static_cast<uint64_t>(process().rank);
    siblings_.thread = ordinal_of(this_thread().path);
  }

  /// The reading that the value comes from; none if no reading explains it.
  Match run() {
    each_thread_samples([&](const ClockSamples& samples) {
      if (samples.order != 0)
        consider_all(&samples == own_ ? best_own_ : best_of_others_, samples);
    });
    const bool is_surely_own = best_own_ && !best_own_.is_coarse;
    const Match before = is_surely_own ? Match{} : used_before();
    if (before && !is_fresh(best_own_, before))
      return before;
    return sureness_among_threads(best_of_others_) > sureness_among_threads(best_own_)
               ? best_of_others_
               : best_own_;
  }

private:
  void consider_all(Match& best, const ClockSamples& samples) const {
    const uint64_t owner_key = samples.owner_key;
    for (const auto& readings : {samples.first, samples.latest})
      for (size_t i = 0; i < call_site_count; ++i) {
        const ClockSample reading = copy_of(readings[i]);
        // The samples of a thread that has ended may become another's at any moment.
        const bool is_owners = __atomic_load_n(&samples.owner_key, __ATOMIC_RELAXED) == owner_key;
        if (reading.source != Source::none && is_owners && may_explain(samples, reading))
          consider(best, samples, reading);
      }
  }

  void consider(Match& best, const ClockSamples& samples, const ClockSample& reading) const {
    each_unit(reading, [&](const Unit& unit) {
      int64_t offset = 0;
      if (!value_.is_near(unit, offset))
        return;
      if (unit.is_rounded && has_given_another(samples.owner_key, reading))
        return;
      // Many readings give a whole second, or lie near a value: one that another library made for
      // itself is not what the program passes.
      const bool may_be_chance = unit.is_coarse || offset != 0;
      if (may_be_chance && !is_readers(samples, reading))
        return;
      if (offset != 0 && !may_be_shifted(offset))
        return;
      const Match match = {&samples, samples.owner_key, samples.owner_is_first, reading,
                           offset,   offset == 0,       unit.is_coarse};
      if (is_better(match, best))
        best = match;
    });
  }

  /// Whether another value was that reading. Then this one is not as rounding has it: `seed + 1`
  /// would be now and then.
  bool has_given_another(uint64_t owner_key, const ClockSample& reading) const {
    return used.any([&](const Used& before) {
      return before.owner_key == owner_key && before.reading.order == reading.order &&
             before.reading.source == reading.source && !value_.is(before.value);
    });
  }

  /// Whether something may have been added to a clock. Where the order of the seeds names the value
  /// nothing has to be believed; and an id that is mixed in is another in each run.
  bool may_be_shifted(int64_t offset) const {
    return !is_order_fixed() && (siblings_.hold(offset) || !has_read_id());
  }

  bool has_read_id() const {
    bool has_read = false;
    each_thread_samples([&](const ClockSamples& samples) {
      for (const ClockSample& latest : samples.latest)
        has_read |= latest.source == Source::id && is_readers(samples, latest);
    });
    return has_read;
  }

  bool is_readers(const ClockSamples& samples, const ClockSample& reading) const {
    return is_of_rank(samples) ? is_reader_of_rank(samples, reading.call_site)
                               : is_reader_for(caller_, reading.call_site);
  }

  /// True for samples of another process, whose addresses are not this one's.
  bool is_of_rank(const ClockSamples& samples) const {
    const RankClockSamples* ranks = rank_clock_samples();
    return ranks != nullptr && &samples >= ranks->of &&
           &samples < ranks->of + RankClockSamples::limit && &samples != own_;
  }

  /// A small number is an index or a constant of the program's. It counts as the low end of a
  /// clock, or an id, where the reading is this thread's, nothing was seeded since, and, in a
  /// process that has others beside it, the call follows at once.
  bool may_explain(const ClockSamples& samples, const ClockSample& reading) const {
    const bool is_part = reading.source == Source::id || reading.source == Source::ticks;
    const bool is_small = value_.number() < small_limit;
    if (!is_small && !is_part)
      return true;
    if (&samples != own_ || reading.order <= samples.seeded)
      return false;
    return !is_small || is_order_fixed() || is_fed_by(reading);
  }

  bool is_fed_by(const ClockSample& reading) const {
    return feeds(reading.call_site, caller_.address());
  }

  /// What makes it likely that the value is made of a reading: the first bit of two that differ
  /// decides. That it is near to where the seed is passed, and by which number it is shifted, says
  /// something of a shifted one alone.
  unsigned sureness(const Match& match) const {
    const bool hints[] = {
        match.is_exact,
        !match.is_coarse,
        is_fed_by(match.reading),
        !match.is_exact && siblings_.hold(match.offset),
        !match.is_exact && caller_.function().holds(match.reading.call_site),
    };
    unsigned bits = 0;
    for (const bool hint : hints)
      bits = bits << 1 | static_cast<unsigned>(hint);
    return bits;
  }

  bool is_better(const Match& match, const Match& best) const {
    if (!best)
      return true;
    const unsigned sure = sureness(match);
    const unsigned sure_of_best = sureness(best);
    if (sure != sure_of_best)
      return sure > sure_of_best;
    if (match.samples != best.samples)
      return match.owner_is_first && !best.owner_is_first;
    return match.reading.order > best.reading.order;
  }

  /// The same between this thread's best and that of all others.
  unsigned sureness_among_threads(const Match& match) const {
    if (!match)
      return 0;
    if (match.is_exact)
      return 3;
    return siblings_.hold(match.offset) ? 2 : 1;
  }

  Match used_before() const {
    Match best;
    used.any([&](const Used& before) {
      Match match = {nullptr,        before.owner_key, before.owner_is_first,
                     before.reading, before.offset,    value_.is(before.value),
                     false};
      each_unit(before.reading, [&](const Unit& unit) {
        match.is_coarse |= unit.is_coarse;
        if (match.is_exact || !unit.is_coarse || !value_.is_near(unit, match.offset))
          return;
        if (match.offset != 0 && !may_be_shifted(match.offset))
          return;
        match.is_exact = match.offset == 0;
        best = best ? best : match;
      });
      if (match.is_exact && !(best && best.is_exact))
        best = match;
      return false;
    });
    return best;
  }

  /// Whether a reading was made for this call, although an earlier one explains the value as well.
  bool is_fresh(const Match& own, const Match& before) const {
    if (!own || (own.owner_key == before.owner_key && own.reading.order == before.reading.order))
      return false;
    const bool is_from_there = own.reading.call_site == before.reading.call_site;
    return (is_fed_by(own.reading) || is_from_there) && own.reading.order > own.samples->seeded;
  }

  CutValue value_;
  const Caller& caller_;
  const ClockSamples* own_;
  Siblings siblings_;
  Match best_own_;
  Match best_of_others_;
};

} // namespace

bool rules::reading(const PassedSeed& seed, Explanation& made) {
  const Match match = Search(seed).run();
  if (!match)
    return false;
  // What the user passed is no clock with something added, and no count of ticks by chance.
  const bool may_be_chance = match.offset != 0 || seed.is_small();
  if (may_be_chance && is_from_user(seed.value, 0))
    return false;
  made.origin = match.reading.source == Source::id ? Origin::id : Origin::clock;
  made.offset = match.offset;
  made.owner_key = match.owner_key;
  made.owner_is_first = match.owner_is_first;
  made.instance = instance_of(match.owner_key, match.reading);
  if (match.samples != nullptr)
    used.add({seed.value, match.offset, match.owner_key, match.owner_is_first, match.reading});
  return true;
}

} // namespace detshim
