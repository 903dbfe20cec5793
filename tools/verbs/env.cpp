// detshim env: captures what a run stands on, compares two of them, prints what would bring one back.
#include "environment/kept_environments.h"
#include "log_reader/printable.h"
#include "report/json.h"
#include "report/log_report.h"
#include "support/wording.h"
#include "verbs/environments.h"
#include "verbs/verbs.h"

#include <algorithm>
#include <cctype>
#include <iostream>

namespace detshim {
namespace {

/// Calls visit(name, text) for the facts of a section whose subject begins so.
template <typename Visit>
void each_fact(const Environment& environment, EnvironmentSection section, const std::string& beginning,
               Visit visit) {
  for (const auto& [subject, text] : environment.of(section).facts)
    if (subject.starts_with(beginning)) visit(subject.substr(beginning.size()), text);
}

void show_shell(const Environment& environment) {
  for (const EnvironmentSection section :
       {EnvironmentSection::loader, EnvironmentSection::settings, EnvironmentSection::session})
    each_fact(environment, section, "variable ", [](const std::string& name, const std::string& value) {
      const auto is_of_a_name = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
      if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0 ||
          !std::ranges::all_of(name, is_of_a_name))
        return; // no name that a shell could set
      const bool is_plain = std::ranges::none_of(value, [](unsigned char c) { return c < ' ' || c == 0x7F; });
      const bool is_kept = is_plain && !value.starts_with(hashed_value) && value != hidden_value;
      if (is_kept)
        std::cout << "export " << printable(name) << '=' << shell_command({value}) << '\n';
      else
        std::cout << "# " << printable(name) << " was set; its value was not kept\n";
    });
}

void show_packages(const Environment& environment, EnvironmentSection section, const std::string& beginning,
                   const char* between) {
  each_fact(environment, section, beginning, [&](const std::string& name, const std::string& text) {
    std::string version = text.substr(0, text.find_first_of(",;"));
    if (version.empty() || version.find(' ') != std::string::npos) {
      std::cout << "# " << printable(name) << ": its version is not known\n";
      return;
    }
    if (beginning == "conda ") std::ranges::replace(version, '-', '='); // version and build
    const std::size_t from = text.find(", from ");
    if (from == std::string::npos) {
      std::cout << printable(name) << between << printable(version) << '\n';
      return;
    }
    std::string origin = text.substr(from + 7);
    if (origin.starts_with("an address,")) {
      std::cout << "# " << printable(name) << ": from an address that was not kept\n";
      return;
    }
    const std::size_t commit = origin.find(" commit ");
    const bool is_editable = origin.find(", editable") != std::string::npos;
    const std::string at = commit == std::string::npos ? "" : "@" + origin.substr(commit + 8, 40);
    origin = origin.substr(0, origin.find_first_of(" ,"));
    std::cout << (is_editable ? "# editable: " : "") << printable(name) << " @ " << (at.empty() ? "" : "git+")
              << printable(origin + at) << '\n';
  });
}

} // namespace

int env_capture(const EnvCaptureOptions& options) {
  const std::string folder = options.log.value_or(default_log_folder);
  const Log log = read_log(folder);
  const bool has_log = !log.processes.empty();
  if (options.log && !has_log) throw UsageError("no log in " + in_quotes(folder));
  RunEnvironment captured;
  if (has_log) {
    captured = complete_environment(log, true);
  } else {
    CaptureOptions capture;
    capture.deep = options.deep;
    captured.environment = capture_environment(capture);
  }
  const std::string place = options.output.value_or(has_log ? captured.file : "-");
  if (!options.output && has_log && !captured.is_kept)
    throw UsageError("cannot write " + in_quotes(captured.file) +
                     (captured.why_not_kept.empty() ? "" : ": " + captured.why_not_kept) +
                     "; -o names another place");
  if (place == "-")
    std::cout << environment_json(captured.environment);
  else if (options.output)
    write_where_asked(place, environment_json(captured.environment));
  if (place != "-") std::cout << printable(place) << '\n';
  return done;
}

int env_diff(const EnvDiffOptions& options) {
  const EnvironmentComparison comparison =
      compare_environments(read_environment(options.a), read_environment(options.b));
  if (options.json)
    print_json(std::cout, comparison_json(comparison));
  else
    print_comparison(std::cout, comparison, {wants_colour()});
  if (!comparison.differences.empty()) return found_different;
  return comparison.unknown.empty() ? done : wrong_usage;
}

int env_show(const EnvShowOptions& options) {
  const Environment environment = read_environment(options.place.value_or(default_log_folder));
  if (options.shell) show_shell(environment);
  if (options.pip) show_packages(environment, EnvironmentSection::versions, "python ", "==");
  if (options.conda) show_packages(environment, EnvironmentSection::versions, "conda ", "=");
  if (options.apt) show_packages(environment, EnvironmentSection::packages, "debian ", "=");
  if (options.shell || options.pip || options.conda || options.apt) return done;
  for (std::size_t i = 0; i < environment_sections; ++i) {
    const CapturedSection& section = environment.sections[i];
    if (section.facts.empty() && section.unknown.empty()) continue;
    std::cout << environment_section_names[i] << '\n';
    for (const auto& [subject, text] : section.facts)
      std::cout << "  " << printable(subject) << ": " << cut(printable(text), 200) << '\n';
    for (const auto& [subject, why] : section.unknown)
      std::cout << "  " << (subject.empty() ? "" : printable(subject) + ": ")
                << "not known: " << printable(why) << '\n';
  }
  return done;
}

} // namespace detshim
