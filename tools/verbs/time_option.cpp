#include "verbs/time_option.h"

#include "support/exit_status.h"
#include "support/wording.h"

#include <cstdlib>

namespace detshim {

double seconds_of(const char* option, const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const std::string unit = end;
  const double factor = unit.empty() || unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : 0;
  if (end == text.c_str() || factor == 0 || !(number > 0))
    throw UsageError(option + (" " + in_quotes(text)) +
                     " is not accepted: a time, as 90s, 10m or 2h");
  return number * factor;
}

} // namespace detshim
