#include "log_reader/record.h"

#include <nlohmann/json.hpp>

#include <limits>

namespace detshim {
namespace {

using Json = nlohmann::ordered_json; // keeps the order in which a symbol's fields were written

const Json* find(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

std::optional<std::string> optional_text(const Json& object, const char* key) {
  const Json* value = find(object, key);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return value->get<std::string>();
}

std::string text(const Json& object, const char* key) { return optional_text(object, key).value_or(""); }

std::vector<std::string> texts(const Json& object, const char* key) {
  std::vector<std::string> result;
  const Json* values = find(object, key);
  if (values == nullptr || !values->is_array()) return result;
  for (const Json& value : *values)
    if (value.is_string()) result.push_back(value.get<std::string>());
  return result;
}

std::optional<std::uint64_t> natural_number(const Json& object, const char* key) {
  const Json* value = find(object, key);
  if (value == nullptr || !value->is_number_unsigned()) return std::nullopt;
  return value->get<std::uint64_t>();
}

std::int64_t small_number(const Json& object, const char* key) {
  const std::optional<std::uint64_t> number = natural_number(object, key);
  if (!number || *number > std::numeric_limits<std::int32_t>::max()) return 0;
  return static_cast<std::int64_t>(*number);
}

Action action_named(std::string_view name) {
  for (std::size_t i = 1; i < action_count; ++i)
    if (name == action_names[i]) return static_cast<Action>(i);
  return Action::none;
}

std::vector<EnvironmentChange> changes_in(const Json& object) {
  std::vector<EnvironmentChange> result;
  if (const Json* changes = find(object, "env"); changes != nullptr && changes->is_array())
    for (const Json& change : *changes)
      if (change.is_object())
        result.push_back({text(change, "name"), optional_text(change, "was"), text(change, "now")});
  return result;
}

MoreEnvironment parse_environment(const Json& object) {
  MoreEnvironment environment{changes_in(object), {}};
  if (const Json* noted = find(object, "noted"); noted != nullptr && noted->is_array())
    for (const Json& variable : *noted)
      if (variable.is_object())
        environment.noted.push_back({text(variable, "name"), text(variable, "value")});
  return environment;
}

std::optional<Record> parse_start(const Json& object) {
  const std::optional<std::uint64_t> format = natural_number(object, "v");
  if (!format) return std::nullopt;
  Start start;
  start.format = *format;
  if (start.format > known_log_format) return start;
  start.detshim = text(object, "detshim");
  start.run = text(object, "run");
  start.pid = small_number(object, "pid");
  start.rank = small_number(object, "rank");
  start.path = text(object, "path");
  start.program = text(object, "program");
  start.args = texts(object, "args");
  start.mode = text(object, "mode");
  start.policy = text(object, "policy");
  start.seed = optional_text(object, "seed");
  start.seed_from = optional_text(object, "seed_from");
  start.disabled = optional_text(object, "disabled");
  start.layout = optional_text(object, "layout");
  start.environment = changes_in(object);
  return start;
}

bool is_common_key(std::string_view key) {
  for (const char* common : {"t", "n", "thread", "lib", "fn", "do", "why", "at", "py", "c"})
    if (key == common) return true;
  return false;
}

std::optional<Record> parse_call(const Json& object) {
  Call call;
  call.library = text(object, "lib");
  call.function = text(object, "fn");
  call.action = action_named(text(object, "do"));
  if (call.function.empty() || call.action == Action::none) return std::nullopt;
  call.number = natural_number(object, "n").value_or(0);
  call.thread = text(object, "thread");
  call.why = text(object, "why");
  call.at = text(object, "at");
  call.python = texts(object, "py");
  call.counter = natural_number(object, "c");
  for (const auto& [key, value] : object.items())
    if (value.is_string() && !is_common_key(key)) call.fields.push_back({key, value.get<std::string>()});
  return call;
}

End parse_end(const Json& object) {
  End end;
  const Json* counts = find(object, "counts");
  if (counts == nullptr || !counts->is_object()) return end;
  for (std::size_t i = 1; i < action_count; ++i)
    end.counts[i] = natural_number(*counts, action_names[i]).value_or(0);
  return end;
}

} // namespace

std::optional<Record> parse_record(std::string_view line) {
  const Json object = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return std::nullopt;
  const std::optional<std::string> type = optional_text(object, "t");
  if (!type) return std::nullopt;
  if (*type == "start") return parse_start(object);
  if (*type == "env") return parse_environment(object);
  if (*type == "library")
    return Library{text(object, "lib"), text(object, "file"), optional_text(object, "version")};
  if (*type == "call") return parse_call(object);
  if (*type == "coverage")
    return Coverage{text(object, "lib"), texts(object, "files"), natural_number(object, "hooks").value_or(0),
                    texts(object, "missing")};
  if (*type == "modules") return Modules{texts(object, "files")};
  if (*type == "rights") return Rights{text(object, "fn")};
  if (*type == "lost")
    return Lost{small_number(object, "pid"), text(object, "path"), text(object, "program"), text(object, "why")};
  if (*type == "end") return parse_end(object);
  return OtherRecord{};
}

const std::string* find_field(const std::vector<Field>& fields, std::string_view name) {
  for (const Field& field : fields)
    if (field.name == name) return &field.value;
  return nullptr;
}

std::uint64_t saturated_sum(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<std::uint64_t>::max() : sum;
}

} // namespace detshim
