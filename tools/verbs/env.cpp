// detshim env: captures what a run stands on, compares two of them, prints what would bring one back.
#include "environment/capture.h"
#include "environment/environment_difference.h"
#include "log_reader/printable.h"
#include "report/json_writer.h"
#include "report/style.h"
#include "report/wrapped_lines.h"
#include "support/wording.h"
#include "verbs/library_file.h"
#include "verbs/verbs.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>

namespace detshim {
namespace {

namespace fs = std::filesystem;

std::string in_quotes(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

/// Writes a file of that name whole, or leaves what was there.
void write_whole(const std::string& file, const std::string& text) {
  const std::string part = file + ".part";
  std::ofstream output(part, std::ios::binary | std::ios::trunc);
  output << text;
  output.close();
  std::error_code error;
  if (output.good()) fs::rename(part, file, error);
  if (output.good() && !error) return;
  fs::remove(part, error);
  throw UsageError("cannot write '" + printable(file) + "': is there room, and may you write there?");
}

std::string shown(const std::optional<std::string>& value) {
  constexpr std::size_t longest = 200;
  return value ? cut(printable(*value), longest) : "not there";
}

void print_comparison(const EnvironmentComparison& comparison, Style style) {
  std::optional<EnvironmentSection> section;
  for (const EnvironmentDifference& one : comparison.differences) {
    if (section != one.section)
      std::cout << style.bold(std::string(environment_section_names[static_cast<std::size_t>(one.section)]))
                << '\n';
    section = one.section;
    std::cout << "  " << printable(one.subject) << "\n    A " << shown(one.a) << "\n    B " << shown(one.b)
              << '\n';
  }
  if (!comparison.unknown.empty()) std::cout << style.bold("not known") << '\n';
  for (const EnvironmentUnknown& one : comparison.unknown) {
    std::cout << "  " << environment_section_names[static_cast<std::size_t>(one.section)]
              << (one.subject.empty() ? "" : ": " + printable(one.subject));
    if (!one.why_in_a.empty()) std::cout << "; in A " << printable(one.why_in_a);
    if (!one.why_in_b.empty()) std::cout << "; in B " << printable(one.why_in_b);
    std::cout << '\n';
  }
  std::cout << (comparison.differences.empty()
                    ? comparison.unknown.empty() ? "equal" : "not known"
                    : "different: " + counted(comparison.differences.size(), "difference"))
            << "; " << counted(comparison.same, "fact") << " the same\n";
}

/// {"schema_version", "result": "equal", "different" or "unknown", "same": number,
///  "differences": [{"section", "subject", "a", "b": text or null}],
///  "unknown": [{"section", "subject", "why_in_a", "why_in_b": text or null}]}
void print_comparison_json(const EnvironmentComparison& comparison) {
  JsonWriter out(std::cout);
  const auto name = [](EnvironmentSection section) {
    return environment_section_names[static_cast<std::size_t>(section)];
  };
  out.begin_object();
  out.member("schema_version", 1);
  out.member("result", !comparison.differences.empty() ? "different"
                       : comparison.unknown.empty()    ? "equal"
                                                       : "unknown");
  out.member("same", comparison.same);
  out.key("differences");
  out.begin_array();
  for (const EnvironmentDifference& one : comparison.differences) {
    out.begin_object();
    out.member("section", name(one.section));
    out.member("subject", one.subject);
    out.member("a", one.a);
    out.member("b", one.b);
    out.end_object();
  }
  out.end_array();
  out.key("unknown");
  out.begin_array();
  for (const EnvironmentUnknown& one : comparison.unknown) {
    out.begin_object();
    out.member("section", name(one.section));
    out.member("subject", one.subject);
    out.member("why_in_a", unless_empty(one.why_in_a));
    out.member("why_in_b", unless_empty(one.why_in_b));
    out.end_object();
  }
  out.end_array();
  out.end_object();
  std::cout << '\n';
}

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
      const bool is_kept = !value.starts_with(hashed_value) && !value.starts_with("set; ");
      if (is_kept)
        std::cout << "export " << printable(name) << '=' << printable(in_quotes(value)) << '\n';
      else
        std::cout << "# " << printable(name) << " was set; its value was not kept\n";
    });
}

void show_packages(const Environment& environment, EnvironmentSection section, const std::string& beginning,
                   const char* between) {
  each_fact(environment, section, beginning, [between](const std::string& name, const std::string& text) {
    const std::string version = text.substr(0, text.find_first_of(",;"));
    const std::size_t from = text.find(", from ");
    if (from == std::string::npos) {
      std::cout << printable(name) << between << printable(version) << '\n';
      return;
    }
    std::string origin = text.substr(from + 7);
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
  Log log = read_log(folder);
  const bool has_log = !log.processes.empty();
  if (options.log && !has_log) throw UsageError("no log in '" + printable(folder) + "'");
  CaptureOptions capture;
  capture.log = has_log ? &log : nullptr;
  capture.deep = options.deep;
  try {
    for (const SettingDescription& setting : read_settings(find_library(std::nullopt)))
      capture.known_settings.push_back(setting.name);
  } catch (const UsageError&) { // the command alone: a capture knows the usual names without them
  }
  const std::string text = environment_json(capture_environment(capture));
  if (!options.output && !has_log) {
    std::cout << text;
    return done;
  }
  const std::string file = options.output.value_or(folder + "/" + environment_file);
  write_whole(file, text);
  std::cout << printable(file) << '\n';
  return done;
}

int env_diff(const EnvDiffOptions& options) {
  const EnvironmentComparison comparison =
      compare_environments(read_environment(options.a), read_environment(options.b));
  if (options.json) {
    print_comparison_json(comparison);
  } else {
    const WrappedOutput wraps;
    print_comparison(comparison, {wants_colour()});
  }
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
      std::cout << "  " << printable(subject) << ": " << shown(text) << '\n';
    for (const auto& [subject, why] : section.unknown)
      std::cout << "  " << (subject.empty() ? "" : printable(subject) + ": ")
                << "not known: " << printable(why) << '\n';
  }
  return done;
}

} // namespace detshim
