// detshim log diff: what differs between the logs of two runs, and what differed first.
#include "log_diff/log_diff.h"
#include "log_diff/difference_report.h"
#include "verbs/environments.h"
#include "verbs/verbs.h"

#include <iostream>

namespace detshim {

int log_diff(const LogDiffOptions& options) {
  LogDifference difference = compare_logs(options.a, options.b);
  add_suspects(difference);
  const RunsCompared environments =
      compare_run_environments(options.a, difference.a.run, options.b, difference.b.run);
  if (options.json) {
    JsonWriter out(std::cout);
    write_difference_json(out, difference, [&environments](JsonWriter& to) {
      to.key("environments");
      if (environments.unknown.empty())
        write_comparison_json(to, environments.comparison);
      else
        to.value(nullptr);
    });
    std::cout << '\n';
  } else {
    print_environments(std::cout, environments, options.a, options.b, {wants_colour()});
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
