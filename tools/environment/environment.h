// What a run stood on, besides its program: captured, kept beside a log, compared with another's.
//
// An environment is flat: sections of subjects with one value each, so that everything is compared
// in one way. What could not be captured is written down with the reason, and never counts as
// equal.
#pragma once

#include "environment/subject.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace detshim {

/// The worst first: what changes results most often, and most directly.
enum class EnvironmentSection {
  libraries, ///< files that were mapped, by build
  driver,    ///< GPUs and their driver
  loader,    ///< what decides which libraries come up
  settings,  ///< variables that libraries and frameworks read
  versions,  ///< distributions of Python and conda as on disk
  code,      ///< program, arguments, git states
  caches,    ///< folders whose contents decide later runs
  machine,
  packages, ///< Debian's and rpm's, of the mapped files; modules loaded
  session,  ///< limits, locale, timezone
  others,   ///< all other variables, by hash
};
inline constexpr auto environment_section_names =
    std::to_array<std::string_view>({"libraries", "driver", "loader", "settings", "versions",
                                     "code", "caches", "machine", "packages", "session", "others"});
inline constexpr std::size_t environment_sections = environment_section_names.size();

/// What a capture found, or why it found nothing.
struct Known {
  std::string text, problem;
};

enum class ValueState {
  known,
  hidden, ///< set, and perhaps a secret: of two that differ nobody sees it, nor that they are equal
  unknown,   ///< its text says why
  of_no_run, ///< what only a run has, in an environment without one: nothing that could differ
};

/// By state: the word in a document.
inline constexpr auto value_state_words =
    std::to_array<std::string_view>({"known", "hidden", "unknown", "of_no_run"});

constexpr std::string_view word_of(ValueState state) {
  return value_state_words[static_cast<std::size_t>(state)];
}

struct Value {
  ValueState state = ValueState::known;
  std::string text; ///< what is known, or why it is not; not safe to print

  /// True for what is there.
  bool is_fact() const { return state == ValueState::known || state == ValueState::hidden; }
};

/// The text, or for a state that has none what it means. Not safe to print.
std::string value_text(const Value& value);

struct CapturedSection {
  std::map<Subject, Value> values;

  /// nullptr where nothing is captured of it, or why it is not known.
  const Value* fact(const Subject& subject) const {
    const auto found = values.find(subject);
    return found != values.end() && found->second.is_fact() ? &found->second : nullptr;
  }
  /// Empty where it is no fact.
  std::string fact_text(const Subject& subject) const {
    const Value* const value = fact(subject);
    return value == nullptr ? "" : value_text(*value);
  }

  void set_fact(const Subject& subject, std::string text) {
    values[subject] = {ValueState::known, std::move(text)};
  }
  void set_unknown(const Subject& subject, std::string why) {
    values[subject] = {ValueState::unknown, std::move(why)};
  }
  void set(const Subject& subject, const Known& known) {
    if (known.problem.empty())
      set_fact(subject, known.text);
    else
      set_unknown(subject, known.problem);
  }
  /// Of one of several things with that name. It is known if all of them are.
  void add(const Subject& subject, const Known& known);
  /// Facts stay.
  void forget_unknown(const Subject& subject) {
    if (fact(subject) == nullptr)
      values.erase(subject);
  }
};

struct Environment {
  std::string run;          ///< of that run; empty: of none
  std::string host;         ///< the machine's name; empty where it is not known
  std::int64_t began = 0;   ///< nanoseconds since 1970 (UTC): what is captured is of then
  bool is_complete = false; ///< false: as `run` captures it, which is in haste
  std::map<std::string, std::string>
      places; ///< files and folders to look at later, which are not compared
  std::array<CapturedSection, environment_sections> sections;

  /// Empty where it is not known.
  std::string place(const std::string& what) const {
    const auto found = places.find(what);
    return found == places.end() ? "" : found->second;
  }

  CapturedSection& of(EnvironmentSection section) {
    return sections[static_cast<std::size_t>(section)];
  }
  const CapturedSection& of(EnvironmentSection section) const {
    return sections[static_cast<std::size_t>(section)];
  }
};

/// Of a variable whose value is not kept, what stands before its hash: the lower 32 bits of FNV-1a
/// of 64.
inline constexpr const char* hashed_value = "hash ";
std::string variable_hash(std::string_view value);

/// The version of the document that is written. One of version 1 is read too, others are refused.
inline constexpr int environment_schema = 2;

/// One JSON document with a `schema_version`: docs/ENVIRONMENT.md.
std::string environment_json(const Environment& environment);

enum class Links { followed, refused };

/// Reads such a file. Throws UsageError for any other.
Environment read_environment_file(const std::string& file, Links links = Links::followed);

} // namespace detshim
