#include "environment/environment_difference.h"

#include "common/secrets.h"

#include <set>

namespace detshim {
namespace {

std::string why_unknown(const CapturedSection& section, const std::string& subject) {
  for (const std::string& name : {subject, std::string()})
    if (const auto found = section.unknown.find(name); found != section.unknown.end()) return found->second;
  for (const auto& [name, why] : section.unknown) // "variable DETSHIM_*"
    if (name.ends_with('*') && subject.starts_with(name.substr(0, name.size() - 1))) return why;
  return {};
}

std::optional<std::string> fact(const CapturedSection& section, const std::string& subject) {
  const auto found = section.facts.find(subject);
  return found == section.facts.end() ? std::nullopt : std::optional(found->second);
}

} // namespace

EnvironmentComparison compare_environments(const Environment& a, const Environment& b) {
  EnvironmentComparison result;
  for (std::size_t i = 0; i < environment_sections; ++i) {
    const auto name = static_cast<EnvironmentSection>(i);
    const CapturedSection &in_a = a.sections[i], &in_b = b.sections[i];
    std::set<std::string> subjects;
    for (const CapturedSection* section : {&in_a, &in_b}) {
      for (const auto& [subject, text] : section->facts) subjects.insert(subject);
      for (const auto& [subject, why] : section->unknown) subjects.insert(subject);
    }
    for (const std::string& subject : subjects) {
      const std::optional<std::string> one = fact(in_a, subject), other = fact(in_b, subject);
      // A fact that is there is known, whatever else of its section is not.
      const std::string why_in_a = one ? "" : why_unknown(in_a, subject);
      const std::string why_in_b = other ? "" : why_unknown(in_b, subject);
      if (one && other && *one == hidden_value && *other == hidden_value) {
        result.hidden.push_back({name, subject, true});
      } else if (one && other && *one == *other) {
        ++result.same;
        if (one->find(hidden_argument) != std::string::npos) result.hidden.push_back({name, subject, false});
      } else if (why_in_a.empty() && why_in_b.empty()) {
        result.differences.push_back({name, subject, one, other});
      } else if ((in_a.unknown.contains(subject) || in_b.unknown.contains(subject)) &&
                 (why_in_a != of_no_run || why_in_b != of_no_run)) {
        result.unknown.push_back({name, subject, why_in_a, why_in_b});
      }
    }
  }
  return result;
}

} // namespace detshim
