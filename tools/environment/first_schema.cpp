// Decides what a text of schema 1 means: a subject by the word that it begins with, a state by one
// of two sentences. Any other text is a value, or the reason why there is none.
//
// It cannot tell such a sentence from a variable whose value was that very text, and reads it as
// the state.
#include "environment/first_schema.h"

#include "environment/capture.h"
#include "support/wording.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace detshim {
namespace {

using Texts = std::map<std::string, std::string>;

/// Subjects that another text begins like.
const std::pair<std::string_view, Subject> whole_texts[] = {
    {"python *", {SubjectKind::python, ""}},
    {"conda packages", {SubjectKind::conda, ""}},
    {"debian *", {SubjectKind::debian, ""}},
    {"file *", {SubjectKind::file, ""}},
};

Subject subject_from(const std::string& text) {
  const auto* const whole =
      std::ranges::find(whole_texts, text, &std::pair<std::string_view, Subject>::first);
  if (whole != std::end(whole_texts))
    return whole->second;
  for (std::size_t i = 1; i < subject_kind_words.size(); ++i) { // `plain` has no word there
    const std::string beginning = std::string(subject_kind_words[i]) + ' ';
    if (text.starts_with(beginning) && text.size() > beginning.size())
      return {static_cast<SubjectKind>(i), text.substr(beginning.size())};
  }
  return text;
}

/// A text that is a state.
struct Sentence {
  std::string_view text;
  ValueState among; ///< what is known, or what is not
  ValueState meaning;
};
constexpr Sentence sentences[] = {
    {"set; it may be a secret, and its value is not kept", ValueState::known, ValueState::hidden},
    {"this is of no run", ValueState::unknown, ValueState::of_no_run},
};

Value value_from(const std::string& text, ValueState among) {
  const auto* const sentence = std::ranges::find(sentences, text, &Sentence::text);
  if (sentence != std::end(sentences) && sentence->among == among)
    return {sentence->meaning, ""};
  return {among, text};
}

/// A fact stands before what is not known.
CapturedSection section_from(const Texts& facts, const Texts& unknown) {
  CapturedSection section;
  for (const auto& [subject, text] : facts)
    section.values.emplace(subject_from(subject), value_from(text, ValueState::known));
  for (const auto& [subject, why] : unknown)
    section.values.emplace(subject_from(subject), value_from(why, ValueState::unknown));
  return section;
}

/// Schema 2 has the folders a second time, as places.
void add_distribution_places(Environment& to) {
  const CapturedSection& versions = to.of(EnvironmentSection::versions);
  std::string lines;
  for (const std::string& folder : split(versions.fact_text("python's folders"), ','))
    lines += folder.substr(folder.starts_with(' ') ? 1 : 0) + '\n';
  if (!lines.empty())
    to.places[distribution_places] = lines;
}

} // namespace

void read_first_sections(const nlohmann::json& sections, Environment& to) {
  for (std::size_t i = 0; i < environment_sections; ++i) {
    const nlohmann::json& section = sections.at(std::string(environment_section_names[i]));
    to.sections[i] =
        section_from(section.at("facts").get<Texts>(), section.at("unknown").get<Texts>());
  }
  add_distribution_places(to);
}

} // namespace detshim
