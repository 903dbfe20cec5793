// detshim log diff: what differs between the logs of two runs, and what differed first.
#include "log_diff/log_diff.h"
#include "log_diff/difference_report.h"
#include "report/wrapped_lines.h"
#include "verbs/verbs.h"

#include <iostream>

namespace detshim {

int log_diff(const LogDiffOptions& options) {
  LogDifference difference = compare_logs(options.a, options.b);
  add_suspects(difference);
  if (options.json) {
    JsonWriter out(std::cout);
    write_difference_json(out, difference);
    std::cout << '\n';
  } else {
    const WrappedOutput wraps;
    print_difference_text(std::cout, difference, {wants_colour()});
  }
  switch (difference.result()) {
  case LogDifference::Result::equal:
    return done;
  case LogDifference::Result::different:
    return found_different;
  default:
    return wrong_usage;
  }
}

} // namespace detshim
