#include "core/seeds/python_value.h"

#include <initializer_list>

namespace detshim {
namespace {

constexpr int64_t billion = 1'000'000'000;

/// From there on, what lies near a clock is no chance.
bool is_since_2001(const ClockTime& time) { return time.seconds >= billion; }

int64_t in_nanoseconds(const ClockTime& time) { return time.seconds * billion + time.nanoseconds; }

/// Calls visit(number) for what Python makes of the time in units of which a second has `scale`,
/// until it returns true.
template <typename Visit>
bool any_unit(const ClockTime& time, int64_t scale, Visit visit) {
  const int64_t total = in_nanoseconds(time);
  const int64_t micro = time.nanoseconds / 1000;
  const auto seconds = static_cast<double>(time.seconds);
  const double as_real[] = {
      static_cast<double>(total) / 1e9,          // time.time()
      static_cast<double>(total / 1000) / 1e6,   // a datetime's timestamp() with a zone
      seconds + static_cast<double>(micro) / 1e6 // and without one
  };
  if (visit(total / (billion / scale)))
    return true;
  for (const double real : as_real)
    if (visit(static_cast<int64_t>(real * static_cast<double>(scale))))
      return true;
  return false;
}

} // namespace

PythonValue::PythonValue(const PythonSeed& seed)
    : seed_(seed), whole_(static_cast<int64_t>(seed.whole >> 63 == 0 ? seed.whole : 0)) {
  int64_t rest = whole_;
  for (int64_t& seconds : seconds_) {
    seconds = rest;
    rest /= 10;
  }
}

uint64_t PythonValue::name() const {
  uint64_t bits = seed_.whole;
  if (seed_.is_real)
    __builtin_memcpy(&bits, &seed_.real, sizeof bits);
  return bits;
}

Fit PythonValue::of(const ClockTime& time, bool may_be_cut) const {
  if (time.seconds < 0 || time.seconds >= 8 * billion)
    return {};
  if (seed_.is_real)
    return of_real(time);
  if (is_near_second(time.seconds))
    if (const Fit fit = of_whole(time); fit.is_there)
      return fit;
  const bool is_short = seed_.whole >> 32 == 0;
  return {.is_there = may_be_cut && is_short && is_cut(time)};
}

/// Whether there can be a fit: a program reads many times in a second, and passes what is no
/// reading.
bool PythonValue::is_near_second(int64_t second) const {
  if (second == passed_over_)
    return false;
  bool is_near = second >= billion && is_within(whole_ - second, near_a_second);
  for (const int64_t known : seconds_)
    is_near |= is_within(known - second, 1);
  if (!is_near)
    passed_over_ = second;
  return is_near;
}

Fit PythonValue::of_whole(const ClockTime& time) const {
  const int64_t offset = whole_ - time.seconds;
  if (is_since_2001(time) && is_within(offset, near_a_second))
    return {.is_there = true, .is_coarse = true, .offset = offset};
  int64_t scale = 1;
  for (int i = 1; i < scales; ++i) {
    scale *= 10;
    if (is_within(seconds_[i] - time.seconds, 1))
      return of_scale(time, scale);
  }
  return {};
}

Fit PythonValue::of_scale(const ClockTime& time, int64_t scale) const {
  const bool is_unit = any_unit(time, scale, [&](int64_t unit) {
    return unit == whole_;
  });
  if (is_unit || !is_since_2001(time) || scale < 1000)
    return {.is_there = is_unit};
  const int64_t offset = whole_ - in_nanoseconds(time) / (billion / scale);
  return {.is_there = is_within(offset, near_a_reading), .offset = offset};
}

Fit PythonValue::of_real(const ClockTime& time) const {
  const double seconds =
      static_cast<double>(time.seconds) + static_cast<double>(time.nanoseconds) / 1e9;
  const bool is_date = is_since_2001(time);
  constexpr auto far = static_cast<double>(near_a_second);
  for (double scale = 1; scale <= 1e9; scale *= 1000) {
    const double unit = seconds * scale;
    const double difference = seed_.real - unit;
    // A datetime has no more than microseconds.
    const double most = is_date ? 1.2e-6 * scale : unit * 1e-15;
    Fit fit;
    if (scale == 1 && is_date && difference > -far && difference < far)
      fit.offset = static_cast<int64_t>(difference + (difference < 0 ? -0.5 : 0.5));
    const double rest = difference - static_cast<double>(fit.offset);
    fit.is_there = rest <= most && rest >= -most;
    if (fit.is_there)
      return fit;
  }
  return {};
}

bool PythonValue::is_cut(const ClockTime& time) const {
  constexpr int64_t power = int64_t{1} << 31;
  const auto whole = static_cast<int64_t>(seed_.whole);
  const auto leaves_it = [&](int64_t unit) {
    bool leaves = false;
    for (const int64_t divisor : {2 * power, 2 * power - 1, power, power - 1, billion})
      leaves |= unit % divisor == whole;
    return unit > whole && leaves;
  };
  for (const int64_t scale : {1000, 1'000'000, 1'000'000'000})
    if (any_unit(time, scale, leaves_it))
      return true;
  return false;
}

} // namespace detshim
