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
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace detshim {
namespace {

namespace fs = std::filesystem;

std::string in_quotes(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

/// Writes a file of that name whole, or leaves what was there. For its owner alone: it says much of a
/// machine.
void write_whole(const std::string& file, const std::string& text) {
  std::error_code error;
  const fs::file_status there = fs::symlink_status(file, error);
  const bool is_replaced = !fs::exists(there) || fs::is_regular_file(there);
  std::string part = file + ".XXXXXX";
  const int output = is_replaced ? ::mkstemp(part.data()) : ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
  std::size_t written = 0;
  while (output >= 0 && written < text.size()) {
    const ssize_t size = ::write(output, text.data() + written, text.size() - written);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    written += static_cast<std::size_t>(size);
  }
  const bool is_whole = output >= 0 && ::close(output) == 0 && written == text.size();
  if (is_whole && (!is_replaced || ::rename(part.c_str(), file.c_str()) == 0)) return;
  const int why = errno;
  if (output >= 0 && is_replaced) ::unlink(part.c_str());
  throw UsageError("cannot write '" + printable(file) + "': " + std::generic_category().message(why));
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
      const auto is_of_a_name = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
      if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0 ||
          !std::ranges::all_of(name, is_of_a_name))
        return; // no name that a shell could set
      const bool is_plain = std::ranges::none_of(value, [](unsigned char c) { return c < ' ' || c == 0x7F; });
      const bool is_kept = is_plain && !value.starts_with(hashed_value) && !value.starts_with("set; ");
      if (is_kept)
        std::cout << "export " << printable(name) << '=' << printable(in_quotes(value)) << '\n';
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
  if (options.output == "-") {
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
