// The document: docs/ENVIRONMENT.md.
#include "environment/environment.h"

#include "report/json.h"
#include "support/exit_status.h"
#include "support/files.h"
#include "support/wording.h"

#include <sstream>
#include <utility>

#include <fcntl.h>

namespace detshim {
namespace {

// Its objects are sorted: a stranger's with many members is not searched from the first to the last for each.
using Parsed = nlohmann::json;
// A parsed document takes many times its size: a stranger's must not take all memory.
constexpr std::size_t largest = 4 << 20; // of a large installation: a few hundred KB
constexpr int deepest = 20;

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
  throw UsageError(in_quotes(file) + " " + why);
}

/// What a file holds. Not what would hang or never end, nor a file that a link in a stranger's folder names.
std::string text_of(const std::string& file, Links links) {
  const OwnedDescriptor input = open_regular(file, links == Links::refused ? O_NOFOLLOW : 0);
  if (!input) refuse(file, "is not there, is no file or cannot be read: `detshim env capture` makes one");
  std::string text = read_all(input.number(), largest + 1);
  if (text.size() > largest)
    refuse(file, "is larger than an environment can be: at most " + std::to_string(largest >> 20) + " MiB");
  return text;
}

} // namespace

std::string environment_json(const Environment& environment) {
  Json sections = Json::object();
  for (std::size_t i = 0; i < environment_sections; ++i)
    sections[std::string(environment_section_names[i])] = {{"facts", environment.sections[i].facts},
                                                           {"unknown", environment.sections[i].unknown}};
  Json document = {{"schema_version", environment_schema}};
  if (!environment.run.empty()) document["run"] = environment.run;
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
    if (depth > deepest) refuse(file, "is no environment: it is nested deeper than one can be");
    return true;
  };
  Environment environment;
  try {
    const Parsed json = Parsed::parse(text, check_depth);
    if (json.at("schema_version") != Parsed(environment_schema))
      refuse(file, "is of another version: accepted is schema_version " + std::to_string(environment_schema));
    environment.run = json.value("run", "");
    environment.host = json.value("host", "");
    if (const auto began = json.find("began"); began != json.end())
      environment.began = began->get_ref<const Parsed::number_integer_t&>(); // value() converts any number
    environment.is_complete = json.value("complete", true);
    environment.places = json.value("places", std::map<std::string, std::string>{});
    for (std::size_t i = 0; i < environment_sections; ++i) {
      const Parsed& section = json.at("sections").at(std::string(environment_section_names[i]));
      section.at("facts").get_to(environment.sections[i].facts);
      section.at("unknown").get_to(environment.sections[i].unknown);
    }
  } catch (const Parsed::exception&) {
    refuse(file, "is no environment: accepted is what `detshim env capture` writes");
  }
  return environment;
}

} // namespace detshim
