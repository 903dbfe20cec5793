// The name of a run, 20261122T005500-5123-87f8: when it began (UTC), a process id and a random end.
#pragma once

#include <cstdint>

namespace detshim {

/// The moment at which the run of that name began, in seconds since 1970; 0 for a name that does not say.
constexpr std::uint64_t beginning_of_run(const char* name) {
  std::uint64_t part[6] = {};
  constexpr int widths[6] = {4, 2, 2, 2, 2, 2};
  for (int i = 0; i < 6; ++i) {
    if (i == 3 && *name++ != 'T') return 0;
    for (int k = 0; k < widths[i]; ++k, ++name) {
      if (*name < '0' || *name > '9') return 0;
      part[i] = part[i] * 10 + static_cast<std::uint64_t>(*name - '0');
    }
  }
  // Date to days: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms", days_from_civil.
  const std::uint64_t year = part[0] - (part[1] <= 2 ? 1 : 0);
  const std::uint64_t era = year / 400, year_of_era = year % 400;
  const std::uint64_t day_of_year = (153 * (part[1] > 2 ? part[1] - 3 : part[1] + 9) + 2) / 5 + part[2] - 1;
  const std::uint64_t days =
      era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
  return days * 86400 + part[3] * 3600 + part[4] * 60 + part[5];
}

static_assert(beginning_of_run("20261122T005500-5123-87f8") == 1795308900);
static_assert(beginning_of_run("20000229T235959") == 951868799);
static_assert(beginning_of_run("20261122-5123") == 0 && beginning_of_run("") == 0);

} // namespace detshim
