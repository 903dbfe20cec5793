// detshim log diff: what differs between the logs of two runs, and what differed first.
#include "log_diff/log_diff.h"
#include "log_diff/difference_report.h"
#include "log_diff/run.h"
#include "report/json.h"
#include "support/files.h"
#include "verbs/environments.h"
#include "verbs/verbs.h"

#include <iostream>

namespace detshim {

int log_diff(const LogDiffOptions& options) {
  for (const std::string& place : {options.a, options.b})
    require_readable(find_run(place).folder);
  LogDifference difference = compare_logs(options.a, options.b, {}, library_facts);
  add_suspects(difference);
  const RunsCompared environments =
      compare_run_environments(options.a, difference.a.run, options.b, difference.b.run);
  if (options.json) {
    Json document = difference_json(difference);
    document["environments"] =
        environments.unknown.empty() ? comparison_json(environments.comparison) : Json();
    print_json(std::cout, document);
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
