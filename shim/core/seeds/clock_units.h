// The numbers that a reading of a clock or an id gives, and how near a value is to one.
#pragma once

#include "core/seeds/clock_samples.h"
#include "core/seeds/passed_seed.h"

#include <cstdint>
#include <initializer_list>

namespace detshim {

struct Unit {
  uint64_t value;
  /// A large count from some epoch, so that something may have been added to it.
  bool is_whole = false;
  bool is_coarse = false;  ///< whole seconds: two readings may give the same
  bool is_rounded = false; ///< as arithmetic of doubles has it: it may be its neighbour's number
};

/// The same as C makes it of a double, `(unsigned)(1e6 * seconds)`, which is off by one now and
/// then. Not in nanoseconds: 2^53 of them are 104 days, so that a double has each 256th alone, and
/// `nanoseconds + i` would be one of those by chance.
template <typename Visit>
void each_unit_of_double(uint64_t seconds, uint64_t part, uint64_t parts, Visit visit) {
  const auto whole = static_cast<double>(seconds);
  const auto of_parts = static_cast<double>(part);
  const auto in_second = static_cast<double>(parts);
  for (const double time : {whole + of_parts / in_second, whole + of_parts * (1 / in_second)})
    for (const double scale : {1e3, 1e6})
      visit(Unit{.value = static_cast<uint64_t>(time * scale), .is_rounded = true});
}

/// Calls visit(unit) for each number that a reading is by itself. Not for one of so few that a
/// number of the program's is one by chance in a run of a thousand: a part of a second in
/// thousandths, the first seconds since a start.
template <typename Visit>
void each_unit(const ClockSample& reading, Visit visit) {
  // From here on the count of a clock is large enough for what lies near it to be more than chance:
  // of seconds since 2001; of finer ones minutes or days since a start. Clocks that count from the
  // machine's start are not, for long: under an uptime of an hour each small number is near their
  // seconds.
  constexpr uint64_t least_whole = 1'000'000'000;
  if (reading.source == Source::none)
    return;
  if (reading.source == Source::ticks || reading.source == Source::id)
    return visit(Unit{reading.a});
  const uint64_t seconds = reading.a;
  if (seconds >= small_limit)
    visit(Unit{seconds, seconds >= least_whole, true});
  if (reading.source == Source::seconds)
    return;
  const uint64_t unit = reading.source == Source::nanoseconds ? 1'000'000'000 : 1'000'000;
  for (uint64_t scale = unit; scale >= 1000; scale /= 1000) {
    const uint64_t fraction = reading.b / (unit / scale);
    const uint64_t whole = seconds * scale + fraction;
    visit(Unit{whole, whole >= least_whole});
    if (scale > 1000)
      visit(Unit{fraction});
  }
  each_unit_of_double(seconds, reading.b, unit, visit);
}

/// A seed's value, cut to its bits.
class CutValue {
public:
  explicit CutValue(const PassedSeed& seed)
      : mask_(~uint64_t{0} >> (64 - seed.bits)), value_(seed.value & mask_),
        unused_bits_(64 - seed.bits) {}

  uint64_t number() const { return value_; }
  bool is(uint64_t other) const { return ((other ^ value_) & mask_) == 0; }

  /// True if the value is the unit, with a small number added where it is a whole clock: a rank, a
  /// thread's or a loop's number.
  bool is_near(const Unit& unit, int64_t& offset) const {
    // Of a clock finer than seconds less: cut to 32 bits, it lies near any number every few
    // seconds. And behind a fine clock lie its own earlier readings, which may be forgotten by now.
    constexpr int64_t widest = 4096;
    constexpr int64_t widest_of_fine = 64;
    offset = static_cast<int64_t>((value_ - unit.value) << unused_bits_) >> unused_bits_;
    if (offset == 0)
      return true;
    if (!unit.is_whole)
      return false;
    return unit.is_coarse ? offset >= -widest && offset <= widest
                          : offset > 0 && offset <= widest_of_fine;
  }

private:
  uint64_t mask_;
  uint64_t value_;
  unsigned unused_bits_;
};

} // namespace detshim
