// Decides, subject by subject, whether two environments are the same, differ, or cannot be
// compared. Known texts are compared whole. What one side lacks differs, unless that side says that
// all of the kind or of the section is not known. What is hidden on one side alone differs too.
//
// It cannot know whether two hidden values are the same. Those are listed, and count neither as
// equal nor as different nor as unknown. A text that agrees and has hidden words is listed too.
#include "environment/environment_difference.h"

#include "common/secrets.h"

#include <set>

namespace detshim {
namespace {

/// What a section has of a subject, or why all of that kind, or of the whole section, is not known.
const Value* value_of(const CapturedSection& section, const Subject& subject) {
  if (const auto found = section.values.find(subject); found != section.values.end())
    return &found->second;
  for (const Subject& all : {whole_section, Subject(subject.kind, "")})
    if (const auto found = section.values.find(all);
        found != section.values.end() && !found->second.is_fact())
      return &found->second;
  return nullptr;
}

/// One subject in both environments.
struct ComparedSubject {
  const Value *a, *b; ///< nullptr: known not to be there

  ComparedSubject(const CapturedSection& in_a, const CapturedSection& in_b, const Subject& subject)
      : a(value_of(in_a, subject)), b(value_of(in_b, subject)) {}

  bool are_both(ValueState state) const {
    return a != nullptr && b != nullptr && a->state == state && b->state == state;
  }
  bool are_equal() const { return are_both(ValueState::known) && a->text == b->text; }
  bool have_hidden_words() const { return a->text.find(hidden_argument) != std::string::npos; }
  bool are_known() const { return is_known(a) && is_known(b); }

  static bool is_known(const Value* value) { return value == nullptr || value->is_fact(); }
};

std::optional<std::string> fact_of(const Value* value) {
  return value == nullptr ? std::nullopt : std::optional(value_text(*value));
}

std::string why_unknown(const Value* value) {
  return ComparedSubject::is_known(value) ? "" : value_text(*value);
}

/// Those of which one side has a value, or says that it has none.
std::set<Subject> subjects_of(const CapturedSection& in_a, const CapturedSection& in_b) {
  std::set<Subject> subjects;
  for (const CapturedSection* section : {&in_a, &in_b})
    for (const auto& [subject, value] : section->values)
      subjects.insert(subject);
  return subjects;
}

bool is_named_unknown(const CapturedSection& section, const Subject& subject) {
  const auto found = section.values.find(subject);
  return found != section.values.end() && !found->second.is_fact();
}

void compare_section(EnvironmentSection name, const CapturedSection& in_a,
                     const CapturedSection& in_b, EnvironmentComparison& result) {
  for (const Subject& subject : subjects_of(in_a, in_b)) {
    const ComparedSubject sides(in_a, in_b, subject);
    const bool is_named = is_named_unknown(in_a, subject) || is_named_unknown(in_b, subject);
    if (sides.are_both(ValueState::hidden)) {
      result.hidden.push_back({name, subject, true});
    } else if (sides.are_equal()) {
      ++result.same;
      if (sides.have_hidden_words())
        result.hidden.push_back({name, subject, false});
    } else if (sides.are_known()) {
      result.differences.push_back({name, subject, fact_of(sides.a), fact_of(sides.b)});
    } else if (is_named && !sides.are_both(ValueState::of_no_run)) {
      result.unknown.push_back({name, subject, why_unknown(sides.a), why_unknown(sides.b)});
    }
  }
}

} // namespace

EnvironmentComparison compare_environments(const Environment& a, const Environment& b) {
  EnvironmentComparison result;
  for (std::size_t i = 0; i < environment_sections; ++i)
    compare_section(static_cast<EnvironmentSection>(i), a.sections[i], b.sections[i], result);
  return result;
}

} // namespace detshim
