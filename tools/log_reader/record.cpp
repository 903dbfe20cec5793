#include "log_reader/record.h"

#include "support/wording.h"

#include <simdjson.h>

#include <iterator>
#include <limits>

namespace detshim {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

/// Nothing where there is no such key; the last where there are several, as most readers of JSON have it.
std::optional<element> find(const object& in, std::string_view key) {
  std::optional<element> found;
  for (const auto field : in)
    if (field.key == key) found = field.value;
  return found;
}

/// Nothing where there is no value, or one of another type.
template <typename Type>
std::optional<Type> get(const std::optional<element>& value) {
  Type result{};
  return value && value->get(result) == simdjson::SUCCESS ? std::optional(result) : std::nullopt;
}

std::optional<std::string> optional_text(const std::optional<element>& value) {
  return std::optional<std::string>(get<std::string_view>(value));
}

std::string text(const std::optional<element>& value) { return optional_text(value).value_or(""); }

std::vector<std::string> texts(const std::optional<element>& value) {
  std::vector<std::string> result;
  if (const std::optional<array> values = get<array>(value))
    for (const element entry : *values)
      if (std::optional<std::string> text = optional_text(entry)) result.push_back(std::move(*text));
  return result;
}

/// A record of that type: its keys are looked up by the schema.
template <RecordType type>
struct Keys {
  const object& in;

  std::optional<std::string> optional_text(TextKey<type> key) const {
    return detshim::optional_text(find(in, key.name));
  }
  std::string text(TextKey<type> key) const { return optional_text(key).value_or(""); }
  std::optional<std::string> digits(KeyOf<type, ValueType::decimal, ValueType::hash> key) const {
    return detshim::optional_text(find(in, key.name));
  }
  std::vector<std::string> texts(KeyOf<type, ValueType::texts> key) const {
    return detshim::texts(find(in, key.name));
  }
  std::optional<std::uint64_t> number(KeyOf<type, ValueType::number> key) const {
    return get<std::uint64_t>(find(in, key.name));
  }
  /// A rank or a process id; 0 for what cannot be one.
  std::int64_t small_number(KeyOf<type, ValueType::number> key) const {
    const std::uint64_t number = get<std::uint64_t>(find(in, key.name)).value_or(0);
    return number > std::numeric_limits<std::int32_t>::max() ? 0 : static_cast<std::int64_t>(number);
  }
  std::optional<std::uint64_t> decimal(KeyOf<type, ValueType::decimal> key) const {
    return number_in<std::uint64_t>(detshim::text(find(in, key.name)));
  }
  bool is_true(KeyOf<type, ValueType::flag> key) const {
    return get<bool>(find(in, key.name)).value_or(false);
  }
  std::optional<object> map(KeyOf<type, ValueType::map, ValueType::counts> key) const {
    return get<object>(find(in, key.name));
  }
  /// Calls visit(object) for each object in an array.
  template <typename Visit>
  void each_object(KeyOf<type, ValueType::changes, ValueType::variables, ValueType::readers> key,
                   Visit visit) const {
    if (const std::optional<array> entries = get<array>(find(in, key.name)))
      for (const element entry : *entries)
        if (const std::optional<object> one = get<object>(entry)) visit(*one);
  }
};

Action action_named(std::string_view name) {
  for (std::size_t i = 1; i < action_count; ++i)
    if (name == action_names[i]) return static_cast<Action>(i);
  return Action::none;
}

template <RecordType type>
std::vector<EnvironmentChange> changes_in(const Keys<type>& keys) {
  std::vector<EnvironmentChange> result;
  keys.each_object("env", [&result](const object& change) {
    result.push_back(
        {text(find(change, "name")), optional_text(find(change, "was")), text(find(change, "now"))});
  });
  return result;
}

MoreEnvironment parse_environment(const Keys<RecordType::env>& keys) {
  MoreEnvironment environment{changes_in(keys), {}, {}};
  keys.each_object("noted", [&environment](const object& variable) {
    environment.noted.push_back({text(find(variable, "name")), text(find(variable, "value"))});
  });
  keys.each_object("read", [&environment](const object& variable) {
    for (std::string& file : texts(find(variable, "by")))
      environment.readers.push_back({text(find(variable, "name")), std::move(file)});
  });
  return environment;
}

std::optional<Record> parse_start(const Keys<RecordType::start>& keys) {
  const std::optional<std::uint64_t> format = keys.number("v");
  if (!format) return std::nullopt;
  Start start;
  start.format = *format;
  if (start.format != log_format) return start;
  start.detshim = keys.text("detshim");
  start.run = keys.text("run");
  start.begun = keys.number("begun").value_or(0);
  start.pid = keys.small_number("pid");
  start.rank = keys.small_number("rank");
  start.path = keys.text("path");
  start.job = keys.text("job");
  start.node = keys.text("node");
  start.program = keys.text("program");
  start.working_directory = keys.text("cwd");
  start.args = keys.texts("args");
  start.args_hash = keys.digits("args_hash");
  start.are_args_cut = keys.is_true("args_cut");
  start.mode = keys.text("mode");
  start.policy = keys.text("policy");
  start.seed = keys.digits("seed");
  start.seed_from = keys.optional_text("seed_from");
  start.disabled = keys.optional_text("disabled");
  start.processor = keys.optional_text("cpu");
  start.layout = keys.optional_text("layout");
  start.time = keys.decimal("time");
  start.environment = changes_in(keys);
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
std::optional<Record> parse_call(const object& in, bool is_digest = false) {
  const auto is = [](std::string_view key, KeyOf<RecordType::call> known) { return key == known.name; };
  Call call;
  call.is_digest = is_digest;
  if (is_digest) call.action = Action::observe;
  for (const auto field : in) {
    const std::string_view key = field.key;
    const element value = field.value;
    if (key == "t") {
    } else if (is(key, "n")) {
      call.number = get<std::uint64_t>(value).value_or(0);
    } else if (is(key, "thread")) {
      call.thread = text(value);
    } else if (is(key, "lib")) {
      call.library = text(value);
    } else if (is(key, "fn")) {
      call.function = text(value);
    } else if (is(key, "do")) {
      call.action = action_named(text(value));
    } else if (is(key, "why")) {
      call.why = text(value);
    } else if (is(key, "at")) {
      call.at = text(value);
    } else if (is(key, "frames")) {
      call.frames = texts(value);
    } else if (is(key, "py")) {
      call.python.frames = texts(value);
    } else if (is(key, "user")) {
      call.python.user = get<std::uint64_t>(value);
    } else if (is(key, "c")) {
      call.counter = get<std::uint64_t>(value);
    } else if (std::optional<std::string> own = optional_text(value)) {
      call.fields.push_back({std::string(key), std::move(*own)});
    }
  }
  complete_paths(call);
  if (call.python.user && *call.python.user >= call.python.frames.size()) call.python.user.reset();
  if (call.function.empty() || call.action == Action::none) return std::nullopt;
  return call;
}

End parse_end(const Keys<RecordType::end>& keys) {
  End end{{}, keys.decimal("time"), keys.digits("modules").value_or("")};
  if (const std::optional<object> counts = keys.map("counts"))
    for (std::size_t i = 1; i < action_count; ++i)
      end.counts[i] = get<std::uint64_t>(find(*counts, action_names[i])).value_or(0);
  return end;
}

template <RecordType type>
std::optional<Record> parse_user_place(const Keys<type>& keys) {
  UserPlace place{record_schema[static_cast<int>(type)].name, keys.text("at"), keys.texts("frames"), {}};
  if constexpr (type == RecordType::input) place.kind = keys.text("what");
  if constexpr (type == RecordType::clock || type == RecordType::threads || type == RecordType::children ||
                type == RecordType::input)
    place.python = {keys.texts("py"), keys.number("user")};
  if (place.frames.size() > most_frames) place.frames.resize(most_frames);
  if (place.python.frames.size() > most_frames) place.python.frames.resize(most_frames);
  if (place.python.user && *place.python.user >= place.python.frames.size()) return std::nullopt;
  return place;
}

VariableHashes parse_variables(const Keys<RecordType::variables>& keys) {
  VariableHashes variables;
  if (const std::optional<object> hashes = keys.map("hashes"))
    for (const auto field : *hashes)
      if (std::optional<std::string> hash = optional_text(field.value))
        variables.hashes.emplace_back(std::string(field.key), std::move(*hash));
  return variables;
}

template <RecordType type>
RankMark parse_mark(const Keys<type>& keys) {
  RankMark mark;
  mark.run = keys.text("run");
  mark.job = keys.text("job");
  mark.job_key = keys.digits("job_key").value_or("");
  mark.launcher = keys.digits("launcher").value_or("");
  mark.node = keys.text("node");
  mark.pid = keys.small_number("pid");
  if constexpr (type == RecordType::launcher) mark.program = keys.text("program");
  if constexpr (type == RecordType::rank)
    mark.rank = keys.small_number("rank"), mark.size = keys.small_number("of");
  return mark;
}

template <RecordType type>
std::optional<Record> parse_as(const object& in) {
  const Keys<type> keys{in};
  if constexpr (type == RecordType::call) return parse_call(in);
  if constexpr (type == RecordType::digest) return parse_call(in, true);
  if constexpr (type == RecordType::start) return parse_start(keys);
  if constexpr (type == RecordType::env) return parse_environment(keys);
  if constexpr (type == RecordType::library)
    return Library{keys.text("lib"), keys.text("file"), keys.optional_text("version")};
  if constexpr (type == RecordType::build) return Build{keys.text("file"), keys.text("id")};
  if constexpr (type == RecordType::bound)
    return Bound{keys.text("lib"), keys.text("by"), keys.text("how") == "lookup", keys.texts("functions")};
  if constexpr (type == RecordType::runtime) return Runtime{keys.text("file"), keys.text("why")};
  if constexpr (type == RecordType::clock || type == RecordType::threads || type == RecordType::forks ||
                type == RecordType::children || type == RecordType::input)
    return parse_user_place(keys);
  if constexpr (type == RecordType::variables) return parse_variables(keys);
  if constexpr (type == RecordType::framework)
    return Framework{keys.text("name"), keys.text("file"), keys.is_true("deterministic")};
  if constexpr (type == RecordType::coverage)
    return Coverage{keys.text("lib"), keys.texts("files"), keys.number("hooks").value_or(0),
                    keys.texts("missing")};
  if constexpr (type == RecordType::modules)
    return Modules{keys.texts("files"), keys.texts("builds"), keys.digits("set").value_or("")};
  if constexpr (type == RecordType::rights) return Rights{keys.text("fn")};
  if constexpr (type == RecordType::lost)
    return Lost{keys.small_number("pid"), keys.text("path"), keys.text("program"), keys.text("why")};
  if constexpr (type == RecordType::killed) return Killed{keys.small_number("pid")};
  if constexpr (type == RecordType::exec) {
    Exec exec{keys.text("thread"), keys.text("program"), keys.number("error").has_value(),
              keys.decimal("time"), keys.digits("modules").value_or("")};
    exec.is_awaited = keys.is_true("awaited");
    return exec;
  }
  if constexpr (type == RecordType::end) return parse_end(keys);
  if constexpr (type == RecordType::file) return OtherRecord{}; // in a list of its own
  if constexpr (type == RecordType::rank || type == RecordType::launcher) return parse_mark(keys);
}

/// Each type of the schema has a way to be parsed above, or this does not compile.
template <std::size_t... types>
std::optional<Record> parse_record(std::string_view name, const object& in, std::index_sequence<types...>) {
  std::optional<Record> record = OtherRecord{};
  (void)((name == record_schema[types].name &&
          (record = parse_as<static_cast<RecordType>(types)>(in), true)) ||
         ...);
  return record;
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
  const std::optional<std::string> type = optional_text(find(in, "t"));
  if (!type) return std::nullopt;
  std::optional<Record> record =
      parse_record(*type, in, std::make_index_sequence<std::size(record_schema)>());
  if (!record) return std::nullopt;
  return Line{std::move(*record), get<std::uint64_t>(find(in, "proc")).value_or(0)};
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
