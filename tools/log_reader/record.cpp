#include "log_reader/record.h"

#include <simdjson.h>

#include <charconv>
#include <limits>
#include <utility>

namespace detshim {
namespace {

using simdjson::dom::element;
using simdjson::dom::object;

/// Nothing where there is no such key; the last where there are several, as most readers of JSON have it.
std::optional<element> find(const object& in, std::string_view key) {
  std::optional<element> found;
  for (const auto field : in)
    if (field.key == key) found = field.value;
  return found;
}

std::optional<std::string> optional_text(const element& value) {
  if (std::string_view text; value.get(text) == simdjson::SUCCESS) return std::string(text);
  return std::nullopt;
}

std::optional<std::string> optional_text(const object& in, std::string_view key) {
  const std::optional<element> value = find(in, key);
  return value ? optional_text(*value) : std::nullopt;
}

std::string text(const element& value) { return optional_text(value).value_or(""); }
std::string text(const object& in, std::string_view key) { return optional_text(in, key).value_or(""); }

std::vector<std::string> texts(const element& value) {
  std::vector<std::string> result;
  if (simdjson::dom::array values; value.get(values) == simdjson::SUCCESS)
    for (const element entry : values)
      if (std::optional<std::string> text = optional_text(entry)) result.push_back(std::move(*text));
  return result;
}

std::vector<std::string> texts(const object& in, std::string_view key) {
  const std::optional<element> value = find(in, key);
  return value ? texts(*value) : std::vector<std::string>();
}

std::optional<std::uint64_t> natural_number(const element& value) {
  if (std::uint64_t number = 0; value.get(number) == simdjson::SUCCESS) return number;
  return std::nullopt;
}

std::optional<std::uint64_t> natural_number(const object& in, std::string_view key) {
  const std::optional<element> value = find(in, key);
  return value ? natural_number(*value) : std::nullopt;
}

bool is_true(const object& in, std::string_view key) {
  const std::optional<element> value = find(in, key);
  bool is_set = false;
  return value && value->get(is_set) == simdjson::SUCCESS && is_set;
}

std::int64_t small_number(const object& in, std::string_view key) {
  const std::optional<std::uint64_t> number = natural_number(in, key);
  if (!number || *number > std::numeric_limits<std::int32_t>::max()) return 0;
  return static_cast<std::int64_t>(*number);
}

/// Calls visit(object) for each object in the array of that name.
template <typename Visit>
void each_object(const object& in, std::string_view key, Visit visit) {
  const std::optional<element> value = find(in, key);
  simdjson::dom::array entries;
  if (!value || value->get(entries) != simdjson::SUCCESS) return;
  for (const element entry : entries)
    if (object one; entry.get(one) == simdjson::SUCCESS) visit(one);
}

Action action_named(std::string_view name) {
  for (std::size_t i = 1; i < action_count; ++i)
    if (name == action_names[i]) return static_cast<Action>(i);
  return Action::none;
}

std::vector<EnvironmentChange> changes_in(const object& in) {
  std::vector<EnvironmentChange> result;
  each_object(in, "env", [&result](const object& change) {
    result.push_back({text(change, "name"), optional_text(change, "was"), text(change, "now")});
  });
  return result;
}

MoreEnvironment parse_environment(const object& in) {
  MoreEnvironment environment{changes_in(in), {}, {}};
  each_object(in, "noted", [&environment](const object& variable) {
    environment.noted.push_back({text(variable, "name"), text(variable, "value")});
  });
  each_object(in, "read", [&environment](const object& variable) {
    for (std::string& file : texts(variable, "by"))
      environment.readers.push_back({text(variable, "name"), std::move(file)});
  });
  return environment;
}

std::optional<std::uint64_t> time_in(const object& in) {
  const std::string digits = text(in, "time");
  std::uint64_t time = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), time);
  const bool is_number = error == std::errc() && stop == digits.data() + digits.size();
  return is_number ? std::optional(time) : std::nullopt;
}

std::optional<Record> parse_start(const object& in) {
  const std::optional<std::uint64_t> format = natural_number(in, "v");
  if (!format) return std::nullopt;
  Start start;
  start.format = *format;
  if (!reads_log_format(start.format)) return start;
  start.detshim = text(in, "detshim");
  start.run = text(in, "run");
  start.pid = small_number(in, "pid");
  start.rank = small_number(in, "rank");
  start.path = text(in, "path");
  start.world = text(in, "world");
  start.node = text(in, "node");
  start.program = text(in, "program");
  start.working_directory = text(in, "cwd");
  start.args = texts(in, "args");
  start.args_hash = optional_text(in, "args_hash");
  start.are_args_cut = find(in, "args_hash").has_value();
  start.mode = text(in, "mode");
  start.policy = text(in, "policy");
  start.seed = optional_text(in, "seed");
  start.seed_from = optional_text(in, "seed_from");
  start.disabled = optional_text(in, "disabled");
  start.processor = optional_text(in, "cpu");
  start.layout = optional_text(in, "layout");
  start.time = time_in(in);
  start.counts_come_later = text(in, "counts") == "later";
  start.environment = changes_in(in);
  return start;
}

constexpr std::size_t most_frames = 64; // of a log that somebody else wrote

/// A frame without a path is in the file of the frame before; the first in that of `at`.
void complete_paths(Call& call) {
  if (call.frames.size() > most_frames) call.frames.resize(most_frames);
  std::string_view path = std::string_view(call.at).substr(0, call.at.rfind("+0x"));
  for (std::string& frame : call.frames) {
    const bool has_path = !frame.starts_with('+');
    if (!has_path) frame.insert(0, path);
    path = std::string_view(frame).substr(0, frame.rfind("+0x"));
  }
}

/// By far the most records are calls: each key is looked at once.
std::optional<Record> parse_call(const object& in, bool is_print = false) {
  Call call;
  call.is_print = is_print;
  if (is_print) call.action = Action::observe;
  for (const auto field : in) {
    const std::string_view key = field.key;
    const element value = field.value;
    if (key == "t") {
    } else if (key == "n") {
      call.number = natural_number(value).value_or(0);
    } else if (key == "thread") {
      call.thread = text(value);
    } else if (key == "lib") {
      call.library = text(value);
    } else if (key == "fn") {
      call.function = text(value);
    } else if (key == "do") {
      call.action = action_named(text(value));
    } else if (key == "why") {
      call.why = text(value);
    } else if (key == "at") {
      call.at = text(value);
    } else if (key == "frames") {
      call.frames = texts(value);
    } else if (key == "py") {
      call.python.frames = texts(value);
    } else if (key == "user") {
      call.python.user = natural_number(value);
    } else if (key == "c") {
      call.counter = natural_number(value);
    } else if (std::optional<std::string> own = optional_text(value)) {
      call.fields.push_back({std::string(key), std::move(*own)});
    }
  }
  complete_paths(call);
  if (call.python.user && *call.python.user >= call.python.frames.size()) call.python.user.reset();
  if (call.function.empty() || call.action == Action::none) return std::nullopt;
  return call;
}

std::optional<Record> parse_print(const object& in) {
  std::optional<Record> record = parse_call(in, true);
  if (!record) return std::nullopt;
  return Print{std::move(std::get<Call>(*record))};
}

End parse_end(const object& in) {
  End end;
  end.module_set = text(in, "modules");
  end.counts_lost = find(in, "counts_lost").has_value();
  end.time = time_in(in);
  const std::optional<element> value = find(in, "counts");
  object counts;
  if (!value || value->get(counts) != simdjson::SUCCESS) return end;
  for (std::size_t i = 1; i < action_count; ++i)
    end.counts[i] = natural_number(counts, action_names[i]).value_or(0);
  return end;
}

UserPlace parse_user_place(const std::string& kind, const object& in) {
  UserPlace place{kind, text(in, "at"), texts(in, "frames"), {texts(in, "py"), natural_number(in, "user")}};
  if (place.frames.size() > most_frames) place.frames.resize(most_frames);
  if (place.python.frames.size() > most_frames) place.python.frames.resize(most_frames);
  return place;
}

VariableHashes parse_variables(const object& in) {
  VariableHashes variables;
  const std::optional<element> value = find(in, "hashes");
  if (object hashes; value && value->get(hashes) == simdjson::SUCCESS)
    for (const auto field : hashes)
      if (std::optional<std::string> hash = optional_text(field.value))
        variables.hashes.emplace_back(std::string(field.key), std::move(*hash));
  return variables;
}

std::optional<Record> parse_record(const std::string& type, const object& in) {
  if (type == "call") return parse_call(in);
  if (type == "print") return parse_print(in);
  if (type == "start") return parse_start(in);
  if (type == "env") return parse_environment(in);
  if (type == "library") return Library{text(in, "lib"), text(in, "file"), optional_text(in, "version")};
  if (type == "build") return Build{text(in, "file"), text(in, "id")};
  if (type == "bound")
    return Bound{text(in, "lib"), text(in, "by"), text(in, "how") == "lookup", texts(in, "functions")};
  if (type == "runtime") return Runtime{text(in, "file"), text(in, "why")};
  if (type == "clock" || type == "threads" || type == "forks") return parse_user_place(type, in);
  if (type == "variables") return parse_variables(in);
  if (type == "framework") return Framework{text(in, "name"), text(in, "file"), is_true(in, "deterministic")};
  if (type == "coverage")
    return Coverage{text(in, "lib"), texts(in, "files"), natural_number(in, "hooks").value_or(0),
                    texts(in, "missing")};
  if (type == "modules") return Modules{texts(in, "files"), texts(in, "builds"), text(in, "set")};
  if (type == "rights") return Rights{text(in, "fn")};
  if (type == "lost")
    return Lost{small_number(in, "pid"), text(in, "path"), text(in, "program"), text(in, "why")};
  if (type == "killed") return Killed{small_number(in, "pid")};
  if (type == "exec")
    return Exec{text(in, "thread"), text(in, "program"), find(in, "error").has_value(), time_in(in),
                text(in, "modules")};
  if (type == "end") return parse_end(in);
  if (type == "rank" || type == "launcher")
    return RankMark{text(in, "run"),          text(in, "world"),      text(in, "world_key"),
                    text(in, "launcher"),     text(in, "node"),       text(in, "program"),
                    small_number(in, "rank"), small_number(in, "of"), small_number(in, "pid")};
  return OtherRecord{};
}

} // namespace

struct RecordParser::Buffers {
  simdjson::dom::parser parser;
};

RecordParser::RecordParser() : buffers_(std::make_unique<Buffers>()) {}
RecordParser::~RecordParser() = default;

std::optional<Line> RecordParser::parse(std::string_view line) {
  object in;
  if (buffers_->parser.parse(line.data(), line.size()).get(in) != simdjson::SUCCESS) return std::nullopt;
  const std::optional<std::string> type = optional_text(in, "t");
  if (!type) return std::nullopt;
  std::optional<Record> record = parse_record(*type, in);
  if (!record) return std::nullopt;
  return Line{std::move(*record), natural_number(in, "proc").value_or(0)};
}

const Call* call_or_print(const Record& record) {
  if (const Print* const print = std::get_if<Print>(&record)) return &print->call;
  return std::get_if<Call>(&record);
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
