// detshim env: captures what a run stands on, compares two of them, prints one.
#include "environment/kept_environments.h"
#include "report/json.h"
#include "report/log_report.h"
#include "support/files.h"
#include "support/wording.h"
#include "verbs/environments.h"
#include "verbs/verbs.h"

#include <iostream>

namespace detshim {
int env_capture(const EnvCaptureOptions& options) {
  RunEnvironment captured;
  if (options.log) {
    require_readable(*options.log);
    const Log log = read_log(*options.log);
    if (log.processes.empty())
      throw UsageError("no log in " + in_quotes(*options.log));
    captured = complete_environment(log, true);
  } else {
    CaptureOptions capture;
    capture.asks = true;
    captured.environment = capture_environment(capture);
  }
  const std::string place = options.output.value_or(options.log ? captured.file : "-");
  if (!options.output && options.log && !captured.is_kept)
    throw UsageError("cannot write " + in_quotes(captured.file) +
                     (captured.why_not_kept.empty() ? "" : ": " + captured.why_not_kept) +
                     "; -o names another place");
  if (place == "-")
    std::cout << environment_json(captured.environment);
  else if (options.output)
    write_where_asked(place, environment_json(captured.environment));
  if (place != "-")
    std::cout << printable(place) << '\n';
  return done;
}

int env_diff(const EnvDiffOptions& options) {
  const auto [comparison, unknown] = compare_run_environments(options.a, "", options.b, "");
  if (!unknown.empty())
    throw UsageError(unknown + ": `detshim env capture FOLDER` makes one");
  if (options.json)
    print_json(std::cout, comparison_json(comparison));
  else
    print_comparison(std::cout, comparison, {wants_colour()});
  if (!comparison.differences.empty())
    return found_different;
  return comparison.unknown.empty() ? done : wrong_usage;
}

int env_show(const EnvShowOptions& options) {
  const std::string place = options.place.value_or(default_log_folder);
  const KeptEnvironments kept = complete_environments(place, "");
  if (kept.all.empty())
    throw UsageError(!kept.problems.empty() ? kept.problems.front()
                                            : "no environment in " + in_quotes(place));
  const Environment& environment = kept.all.front().environment;
  if (kept.all.size() > 1)
    std::cout << "of host " << printable(environment.host) << '\n';
  for (std::size_t i = 0; i < environment_sections; ++i) {
    const CapturedSection& section = environment.sections[i];
    if (section.values.empty())
      continue;
    std::cout << environment_section_names[i] << '\n';
    for (const auto& [subject, value] : section.values) {
      const std::string name = subject_text(subject), text = printable(value_text(value));
      std::cout << "  " << (name.empty() ? "" : printable(name) + ": ")
                << (value.is_fact() ? cut(text, 200) : "not known: " + text) << '\n';
    }
  }
  return done;
}

} // namespace detshim
