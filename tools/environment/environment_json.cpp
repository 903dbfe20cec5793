// The document: docs/ENVIRONMENT.md.
#include "environment/environment.h"

#include "environment/first_schema.h"
#include "report/json.h"
#include "support/exit_status.h"
#include "support/files.h"
#include "support/wording.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <utility>

#include <fcntl.h>

namespace detshim {
namespace {

// Its objects are sorted: a stranger's with many members is not searched from the first to the last
// for each.
using Parsed = nlohmann::json;
// A parsed document takes many times its size: a stranger's must not take all memory.
constexpr std::size_t largest = 4 << 20; // of a large installation: a few hundred KB
constexpr int deepest = 20;

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
  throw UsageError(in_quotes(file) + " " + why);
}

/// What a file holds. Not what would hang or never end, nor a file that a link in a stranger's
/// folder names.
std::string text_of(const std::string& file, Links links) {
  const OwnedDescriptor input = open_regular(file, links == Links::refused ? O_NOFOLLOW : 0);
  if (!input)
    refuse(file, "is not there, is no file or cannot be read: `detshim env capture` makes one");
  std::string text = read_all(input.number(), largest + 1);
  if (text.size() > largest)
    refuse(file, "is larger than an environment can be: at most " + std::to_string(largest >> 20) +
                     " MiB");
  return text;
}

/// Texts by state, kind and name, each by its word.
using Rows = std::map<std::string, std::map<std::string, std::map<std::string, std::string>>>;

Rows rows_of(const CapturedSection& section) {
  Rows rows;
  for (const auto& [subject, value] : section.values)
    rows[std::string(word_of(value.state))][std::string(word_of(subject.kind))][subject.name] =
        value.text;
  return rows;
}

/// What the word at that place of a table means. Throws std::out_of_range for another.
template <typename Meaning, std::size_t Size>
Meaning meaning_of(const std::string& word, const std::array<std::string_view, Size>& words) {
  const auto found = std::ranges::find(words, word);
  if (found == words.end())
    throw std::out_of_range(word);
  return static_cast<Meaning>(found - words.begin());
}

CapturedSection section_of(const Rows& rows) {
  CapturedSection section;
  for (const auto& [state_word, kinds] : rows) {
    const auto state = meaning_of<ValueState>(state_word, value_state_words);
    for (const auto& [kind_word, texts] : kinds) {
      const auto kind = meaning_of<SubjectKind>(kind_word, subject_kind_words);
      for (const auto& [name, text] : texts) // "unknown" comes last, and so stands
        section.values[{kind, name}] = {state, text};
    }
  }
  return section;
}

void read_sections(const Parsed& sections, Environment& to) {
  for (std::size_t i = 0; i < environment_sections; ++i)
    to.sections[i] = section_of(sections.at(std::string(environment_section_names[i])).get<Rows>());
}

void read_document(const Parsed& json, Environment& to) {
  to.run = json.value("run", "");
  to.host = json.value("host", "");
  if (const auto began = json.find("began"); began != json.end())
    to.began = began->get_ref<const Parsed::number_integer_t&>(); // value() converts any number
  to.is_complete = json.value("complete", true);
  to.places = json.value("places", std::map<std::string, std::string>{});
}

} // namespace

std::string environment_json(const Environment& environment) {
  Json sections = Json::object();
  for (std::size_t i = 0; i < environment_sections; ++i)
    sections[std::string(environment_section_names[i])] = rows_of(environment.sections[i]);
  Json document = {{"schema_version", environment_schema}};
  if (!environment.run.empty())
    document["run"] = environment.run;
  document["host"] = environment.host;
  document["began"] = environment.began;
  document["complete"] = environment.is_complete;
  document["places"] = environment.places;
  document["sections"] = std::move(sections);
  std::ostringstream text;
  print_json(text, document);
  return text.str();
}

Environment read_environment_file(const std::string& file, Links links) {
  const std::string text = text_of(file, links);
  // Nesting is what takes the memory, and the stack.
  const auto check_depth = [&file](int depth, Parsed::parse_event_t, const Parsed&) {
    if (depth > deepest)
      refuse(file, "is no environment: it is nested deeper than one can be");
    return true;
  };
  Environment environment;
  try {
    const Parsed json = Parsed::parse(text, check_depth);
    const Parsed& version = json.at("schema_version");
    const bool is_first = version == Parsed(first_environment_schema);
    if (!is_first && version != Parsed(environment_schema))
      refuse(file, "is of another version: accepted are schema_version " +
                       std::to_string(first_environment_schema) + " and " +
                       std::to_string(environment_schema));
    read_document(json, environment);
    if (is_first)
      read_first_sections(json.at("sections"), environment);
    else
      read_sections(json.at("sections"), environment);
  } catch (const Parsed::exception&) {
    refuse(file, "is no environment: accepted is what `detshim env capture` writes");
  } catch (const std::out_of_range& word) {
    refuse(file, "is no environment that this detshim knows: it has a kind or a state " +
                     in_quotes(word.what()));
  }
  return environment;
}

} // namespace detshim
