// {
//   "schema_version": 1,
//   "sections": {NAME: {"facts": {subject: text}, "unknown": {subject or "": why}}}
// }
// All sections are there, the worst first; their names: environment.h.
#include "environment/environment.h"

#include "log_reader/printable.h"
#include "report/json_writer.h"
#include "support/exit_status.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace detshim {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
constexpr int known_schema = 1;
constexpr std::uintmax_t largest = 64U << 20;

void write(JsonWriter& out, const char* name, const std::map<std::string, std::string>& texts) {
  out.key(name);
  out.begin_object();
  for (const auto& [subject, text] : texts) out.member(subject, text);
  out.end_object();
}

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
  throw UsageError("'" + printable(file) + "' " + why);
}

} // namespace

std::string environment_json(const Environment& environment) {
  std::ostringstream text;
  JsonWriter out(text);
  out.begin_object();
  out.member("schema_version", known_schema);
  out.key("sections");
  out.begin_object();
  for (std::size_t i = 0; i < environment_sections; ++i) {
    out.key(environment_section_names[i]);
    out.begin_object();
    write(out, "facts", environment.sections[i].facts);
    write(out, "unknown", environment.sections[i].unknown);
    out.end_object();
  }
  out.end_object();
  out.end_object();
  text << '\n';
  return text.str();
}

Environment read_environment(const std::string& place) {
  std::error_code error;
  const std::string file = fs::is_directory(place, error) ? place + "/" + environment_file : place;
  const std::uintmax_t size = fs::file_size(file, error);
  if (error) refuse(file, "is not there, or cannot be read: `detshim env capture` makes one");
  if (size > largest) refuse(file, "is larger than an environment can be");
  std::ifstream input(file);
  Environment environment;
  try {
    const Json json = Json::parse(input);
    if (json.at("schema_version") != Json(known_schema))
      refuse(file, "is of another version: accepted is schema_version " + std::to_string(known_schema));
    for (std::size_t i = 0; i < environment_sections; ++i) {
      const Json& section = json.at("sections").at(std::string(environment_section_names[i]));
      section.at("facts").get_to(environment.sections[i].facts);
      section.at("unknown").get_to(environment.sections[i].unknown);
    }
  } catch (const Json::exception&) {
    refuse(file, "is no environment: accepted is what `detshim env capture` writes");
  }
  return environment;
}

} // namespace detshim
