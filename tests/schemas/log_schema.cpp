// Prints what common/record_schema.h says: `json` as docs/schemas/log-record.schema.json has it,
// `keys` as the tables of docs/LOG_FORMAT.md are held to it.
#include "common/describe.h"
#include "common/modes.h"
#include "common/record_schema.h"

#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace {

using namespace detshim;
using Json = nlohmann::ordered_json;

Json object_of(Json properties, const std::vector<std::string>& required) {
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", required},
          {"additionalProperties", false}};
}

Json array_of(Json items) { return {{"type", "array"}, {"items", std::move(items)}}; }

template <typename Names>
Json one_of(const Names& names) {
  return {{"enum", std::vector<std::string>(std::begin(names), std::end(names))}};
}

Json value_of(ValueType type) {
  const Json text = {{"type", "string"}};
  const Json number = {{"type", "integer"}, {"minimum", 0}};
  const std::vector<std::string> actions(std::begin(action_names) + 1, std::end(action_names));
  switch (type) {
  case ValueType::number:
    return number;
  case ValueType::flag:
    return {{"type", "boolean"}};
  case ValueType::decimal:
    return {{"type", "string"}, {"pattern", "^[0-9]+$"}};
  case ValueType::hash:
    return {{"type", "string"}, {"pattern", "^[0-9a-f]{16}$"}};
  case ValueType::action:
    return one_of(actions);
  case ValueType::mode:
    return one_of(mode_names);
  case ValueType::policy:
    return one_of(policy_names);
  case ValueType::texts:
    return array_of(text);
  case ValueType::map:
    return {{"type", "object"}, {"additionalProperties", text}};
  case ValueType::counts: {
    Json properties;
    for (const std::string& action : actions)
      properties[action] = number;
    return object_of(properties, {});
  }
  case ValueType::changes:
    return array_of(object_of({{"name", text}, {"was", text}, {"now", text}}, {"name", "now"}));
  case ValueType::variables:
    return array_of(object_of({{"name", text}, {"value", text}}, {"name", "value"}));
  case ValueType::readers:
    return array_of(object_of({{"name", text}, {"by", array_of(text)}}, {"name", "by"}));
  default:
    return text;
  }
}

template <typename Visit>
void each_key(const RecordSchema& record, Visit visit) {
  for (const char* keys = record.keys; *keys != 0;) {
    const SchemaKey key = take_key(keys);
    visit(std::string(key.name, key.length), key);
  }
}

void print_json() {
  Json records = Json::array();
  for (const RecordSchema& record : record_schema) {
    Json properties = {{"t", {{"const", record.name}}}};
    std::vector<std::string> required = {"t"};
    each_key(record, [&](const std::string& name, const SchemaKey& key) {
      properties[name] = value_of(key.type);
      if (!key.is_optional)
        required.push_back(name);
    });
    properties["proc"] = value_of(ValueType::number);
    Json schema = object_of(properties, required);
    if (record.has_own_fields)
      schema["additionalProperties"] = value_of(ValueType::text);
    records.push_back(schema);
  }
  const Json document = {
      {"$schema", "https://json-schema.org/draft/2020-12/schema"},
      {"title", "A line of detshim's intercept log, format " + std::to_string(log_format)},
      {"description", "What this version writes. A reader ignores records and keys that it "
                      "does not know: docs/LOG_FORMAT.md."},
      {"oneOf", records}};
  std::cout << document.dump(1) << '\n';
}

constexpr bool every_key_has_a_type() {
  for (const RecordSchema& record : record_schema)
    for (const char* keys = record.keys; *keys != 0;)
      if (take_key(keys).type == ValueType::none)
        return false;
  return true;
}
static_assert(every_key_has_a_type());

void print_keys() {
  for (const RecordSchema& record : record_schema)
    each_key(record, [&](const std::string& name, const SchemaKey& key) {
      std::cout << record.name << ' ' << name << ' ' << value_type_names[static_cast<int>(key.type)]
                << (key.is_optional ? "?" : "");
      std::cout << '\n';
    });
}

} // namespace

int main(int argc, char** argv) {
  if (const std::string what = argc == 2 ? argv[1] : ""; what == "json")
    print_json();
  else if (what == "keys")
    print_keys();
  else
    return std::cerr << "log_schema json | keys\n", 2;
}
