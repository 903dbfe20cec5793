#include "evidence/program_state.h"

#include "environment/kept_environments.h"
#include "support/hash.h"

#include <set>
#include <string_view>

namespace detshim {
namespace {

using enum EnvironmentSection;
constexpr EnvironmentSection parts[] = {libraries, driver,  loader,  settings, versions,
                                        code,      machine, session, others};

constexpr const char* any_value = "any";

bool decides_nothing(EnvironmentSection section, std::string_view subject) {
  return (section == code && subject.starts_with("git ")) ||
         (section == loader && subject == "variable PATH") ||
         (section == session && subject.starts_with(limit_subject));
}

/// What is known to be everything of its kind, and is not, and all of the code: others are single facts,
/// which may be unknown in every run.
bool may_hide_a_change(EnvironmentSection section, std::string_view subject) {
  return subject.empty() || subject.ends_with('*') || section == code;
}

} // namespace

ProgramState state_of(const Environment& environment) {
  ProgramState state;
  const auto text = [](const CapturedSection& section, const char* subject) {
    const auto fact = section.facts.find(subject);
    return fact == section.facts.end() ? "" : fact->second;
  };
  state.command = text(environment.of(code), "arguments");
  state.seed = text(environment.of(settings), "seed");
  state.is_captured = was_captured_at_start(environment);
  for (const EnvironmentSection section : parts) {
    const std::string name(environment_section_names[static_cast<std::size_t>(section)]);
    const auto add = [&](const std::string& subject, const std::string& fact) {
      if (!decides_nothing(section, subject)) state.parts[name + ": " + subject] = hash_digits(hash_of(fact));
    };
    for (const auto& [subject, fact] : environment.of(section).facts) add(subject, fact);
    for (const auto& [subject, why] : environment.of(section).unknown) {
      add(subject, "unknown: " + why);
      if (!decides_nothing(section, subject) && may_hide_a_change(section, subject))
        state.unknown.push_back(name + (subject.empty() ? "" : ": " + subject) + ": " + why);
    }
  }
  return state;
}

ProgramState common_state(const std::vector<ProgramState>& states, std::string& remark) {
  constexpr std::size_t enough = 3; // a file that somebody edits meanwhile is another once
  std::map<std::string, std::set<std::string>> values;
  std::map<std::string, std::size_t> runs;
  for (const ProgramState& state : states)
    for (const auto& [part, hash] : state.parts) values[part].insert(hash), ++runs[part];
  ProgramState common = states.back();
  for (const auto& [part, hashes] : values) {
    if (hashes.size() == 1 && runs[part] == states.size()) continue;
    common.parts[part] = any_value;
    if (hashes.size() < states.size() || states.size() < enough) remark = "in these runs differs: " + part;
  }
  return common;
}

std::vector<std::string> changed_parts(const ProgramState& one, const ProgramState& other) {
  std::vector<std::string> changed;
  for (const auto& [part, hash] : one.parts)
    if (const auto found = other.parts.find(part);
        hash != any_value && (found == other.parts.end() || found->second != hash))
      changed.push_back(part);
  for (const auto& [part, hash] : other.parts)
    if (!one.parts.contains(part)) changed.push_back(part);
  return changed;
}

} // namespace detshim
