// Whether two runs were of the same program.
//
// Decides by hashes of what a captured environment holds: the same command, seed and parts make the
// same program. Left out is what decides no result; what differed among compared runs may be
// anything. Where a part that may hide a change could not be captured, the state has it as unknown.
// It cannot know of inputs that no capture takes: a server's answer, a file that is read later.
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

bool decides_nothing(EnvironmentSection section, const Subject& subject) {
  static const Subject path = {SubjectKind::variable, "PATH"};
  return (section == code && subject.kind == SubjectKind::git) ||
         (section == loader && subject == path) ||
         (section == session && subject.kind == SubjectKind::limit);
}

/// What is known to be everything of its kind, and is not, and all of the code: others are single
/// facts, which may be unknown in every run.
bool may_hide_a_change(EnvironmentSection section, const Subject& subject) {
  return subject.name.empty() || section == code;
}

std::string hash_of_value(const Value& value) {
  const bool is_known = value.state == ValueState::known;
  const std::string state = is_known ? "" : std::string(word_of(value.state)) + ": ";
  return hash_digits(hash_of(state + value.text));
}

std::string part_name(EnvironmentSection section, const Subject& subject) {
  const std::string_view name = environment_section_names[static_cast<std::size_t>(section)];
  return std::string(name) + ": " + subject_text(subject);
}

/// With the reason.
std::string unknown_part(EnvironmentSection section, const Subject& subject, const Value& value) {
  const std::string_view name = environment_section_names[static_cast<std::size_t>(section)];
  const bool is_whole = subject == whole_section;
  return (is_whole ? std::string(name) : part_name(section, subject)) + ": " + value_text(value);
}

} // namespace

ProgramState state_of(const Environment& environment) {
  ProgramState state;
  state.command = environment.of(code).fact_text("arguments");
  state.seed = environment.of(settings).fact_text("seed");
  state.is_captured = was_captured_at_start(environment);
  for (const EnvironmentSection section : parts)
    for (const auto& [subject, value] : environment.of(section).values) {
      if (decides_nothing(section, subject))
        continue;
      const std::string part = part_name(section, subject);
      state.parts[part] = hash_of_value(value);
      if (section == libraries)
        state.libraries.insert(part);
      if (!value.is_fact() && may_hide_a_change(section, subject))
        state.unknown.push_back(unknown_part(section, subject, value));
    }
  return state;
}

ProgramState common_state(const std::vector<ProgramState>& states, std::string& remark) {
  constexpr std::size_t enough = 3; // a file that somebody edits meanwhile is another once
  std::map<std::string, std::set<std::string>> values;
  std::map<std::string, std::size_t> runs;
  for (const ProgramState& state : states)
    for (const auto& [part, hash] : state.parts)
      values[part].insert(hash), ++runs[part];
  ProgramState common = states.back();
  for (const ProgramState& state : states)
    common.libraries.insert(state.libraries.begin(), state.libraries.end());
  for (const auto& [part, hashes] : values) {
    if (hashes.size() == 1 && runs[part] == states.size())
      continue;
    // What a process has loaded it says as it ends, and a pool ends its workers before they can.
    if (hashes.size() == 1 && common.libraries.contains(part)) {
      common.parts[part] = *hashes.begin();
      common.seldom.insert(part);
      continue;
    }
    common.parts[part] = any_value;
    if (hashes.size() < states.size() || states.size() < enough)
      remark = "in these runs differs: " + part;
  }
  return common;
}

std::vector<std::string> changed_parts(const ProgramState& evidence, const ProgramState& run) {
  std::vector<std::string> changed;
  for (const auto& [part, hash] : evidence.parts) {
    const auto found = run.parts.find(part);
    const bool is_any = hash == any_value;
    const bool is_same =
        found == run.parts.end() ? evidence.seldom.contains(part) : found->second == hash;
    if (!is_any && !is_same)
      changed.push_back(part);
  }
  for (const auto& [part, hash] : run.parts)
    if (!evidence.parts.contains(part))
      changed.push_back(part);
  return changed;
}

} // namespace detshim
