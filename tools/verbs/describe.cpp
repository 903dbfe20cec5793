// detshim hooks and detshim options: what libdetshim.so intercepts, and the environment variables
// that it accepts and sets, read out of its file.
#include "common/reasons.h"
#include "run/library_file.h"
#include "support/wording.h"
#include "verbs/texts.h"
#include "verbs/verbs.h"

#include <iostream>
#include <map>
#include <span>

namespace detshim {
namespace {

// ------------------------------------------------------------------ hooks

void print_text(const std::vector<HookDescription>& hooks) {
  for (const HookDescription& hook : hooks)
    std::cout << padded(hook.library, 11) << ' ' << padded(hook.name, 48) << "  "
              << padded(hook.action, 15) << ' ' << hook.summary << '\n';
}

void print_markdown(std::span<const HookDescription> hooks) {
  std::cout << hooks_page;
  const auto quoted = [](const auto& names) {
    return '`' + joined(names, "`, `") + '`';
  };
  std::map<std::string, std::map<std::string, std::vector<std::string>>> libraries;
  for (const HookDescription& hook : hooks) {
    std::vector<std::string> sides;
    if (!hook.inputs.empty())
      sides.push_back(quoted(hook.inputs));
    if (!hook.results.empty())
      sides.push_back("→ " + quoted(hook.results));
    const std::string fields = sides.empty() ? "" : " (" + joined(sides, " ") + ')';
    libraries[hook.library]["**" + hook.action + "**" + fields].push_back(hook.name);
  }
  for (const auto& [library, groups] : libraries) {
    std::cout << "\n## " << library << "\n\n";
    for (const auto& [head, names] : groups)
      std::cout << "- " << head << ": " << quoted(names) << '\n';
  }
  std::cout << "\n## Reason codes\n\nWhat `why` holds; `detshim log` says it in words, with what "
               "helps.\n\n";
  for (std::size_t i = 1; i < reason_count; ++i)
    std::cout << '`' << reason_code(static_cast<Reason>(i))
              << (i + 1 < reason_count ? "`, " : "`\n");
}

// ------------------------------------------------------------------ options

void print_text(const std::vector<OptionDescription>& options) {
  const char* before = "";
  for (const OptionDescription& option : options) {
    std::cout << before << option.name << "\n  " << option.summary
              << "\n  accepted: " << option.accepted << "\n  default:  " << option.fallback << '\n';
    before = "\n";
  }
}

void print_markdown(const std::vector<OptionDescription>& options) {
  std::cout << options_page;
  for (const OptionDescription& option : options)
    std::cout << "| `" << markdown_cell(option.name) << "` | " << markdown_cell(option.accepted)
              << " | " << markdown_cell(option.fallback) << " | " << markdown_cell(option.summary)
              << " |\n";
}

constexpr const char* settings_title =
    "Variables of CUDA libraries and frameworks that enforce and strict set";

/// What is set, in words.
std::string value_of(const SettingDescription& setting) {
  if (setting.treatment == Treatment::strict)
    return setting.value + ", in strict alone";
  if (setting.treatment == Treatment::append)
    return "adds " + setting.value;
  if (!setting.good_unset || setting.treatment != Treatment::force)
    return setting.value;
  return (setting.value.empty() ? "nothing" : setting.value) + ", where it is set";
}

/// A user's own values that stay, in words.
std::string good_of(const SettingDescription& setting) {
  std::string words;
  for (const char c : setting.good)
    words += c == '|' ? std::string(", ") : c == '*' ? "…" : std::string(1, c);
  return words;
}

void print_text(const std::vector<SettingDescription>& settings) {
  std::cout << '\n' << settings_title << ":\n";
  for (const SettingDescription& setting : settings) {
    if (setting.treatment == Treatment::note)
      continue;
    std::cout << "  " << setting.name << "\n    set to:  " << value_of(setting)
              << "\n    stays:   " << good_of(setting) << "\n    read by: " << setting.reader
              << ", " << setting.when << '\n';
  }
  std::cout << "\nVariables that are left alone, and written down where they are set:\n";
  for (const SettingDescription& setting : settings)
    if (setting.treatment == Treatment::note)
      std::cout << "  " << setting.name << '\n';
}

void print_markdown(const std::vector<SettingDescription>& settings) {
  std::cout << "\n## " << settings_title << settings_page;
  const auto code = [](const std::string& text) {
    return text.empty() ? text : "`" + markdown_cell(text) + "`";
  };
  for (const SettingDescription& setting : settings)
    if (setting.treatment != Treatment::note)
      std::cout << "| " << code(setting.name) << " | " << markdown_cell(value_of(setting)) << " | "
                << markdown_cell(good_of(setting)) << " | " << setting.reader << " | "
                << (setting.known.empty() ? "every version" : setting.known) << " | "
                << setting.harms << " | " << setting.when << " | " << setting.source << " |\n";
  std::cout << "\n## Variables that are left alone\n\n"
               "They matter, and which value is right is the user's to say. The log has those that "
               "are set, "
               "in every "
               "mode.\n\n| variable | read by | when | source |\n|---|---|---|---|\n";
  for (const SettingDescription& setting : settings)
    if (setting.treatment == Treatment::note)
      std::cout << "| " << code(setting.name) << " | " << setting.reader << " | " << setting.when
                << " | " << setting.source << " |\n";
}

} // namespace

int hooks(const DescribeOptions& options) {
  const std::vector<HookDescription> rows = read_hooks(find_library(options.library));
  if (options.markdown)
    print_markdown(rows);
  else
    print_text(rows);
  return done;
}

int options(const DescribeOptions& options) {
  const std::string library = find_library(options.library);
  const std::vector<OptionDescription> rows = read_options(library);
  const std::vector<SettingDescription> settings = read_settings(library);
  if (options.markdown) {
    print_markdown(rows);
    print_markdown(settings);
  } else {
    print_text(rows);
    print_text(settings);
  }
  return done;
}

} // namespace detshim
