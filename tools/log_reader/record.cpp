// Decides whether a line is a record: JSON that has a type, in a start record a format, and in a
// call a function, and an action that is known. All else counts as damaged. A type that is not
// known does not: a later version may have written it. A key whose value has the wrong type counts
// as missing.
//
// It cannot know whether a line that can be read is true. A log may be a stranger's, so numbers and
// frames have limits.
#include "log_reader/record.h"

#include "support/reason_texts.h"
#include "support/wording.h"

#include <simdjson.h>

#include <iterator>
#include <limits>

namespace detshim {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

/// Nothing where there is no such key; the last where there are several, as most readers of JSON
/// have it.
std::optional<element> find(const object& in, std::string_view key) {
  std::optional<element> value;
  for (const auto field : in)
    if (field.key == key)
      value = field.value;
  return value;
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
      if (std::optional<std::string> text = optional_text(entry))
        result.push_back(std::move(*text));
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
    return number > std::numeric_limits<std::int32_t>::max() ? 0
                                                             : static_cast<std::int64_t>(number);
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
        if (const std::optional<object> entry_object = get<object>(entry))
          visit(*entry_object);
  }
};

Action action_named(std::string_view name) {
  for (std::size_t i = 1; i < action_count; ++i)
    if (name == action_names[i])
      return static_cast<Action>(i);
  return Action::none;
}

template <RecordType type>
std::vector<EnvironmentChange> changes_in(const Keys<type>& keys) {
  std::vector<EnvironmentChange> result;
  keys.each_object("env", [&result](const object& change) {
    result.push_back({text(find(change, "name")), optional_text(find(change, "was")),
                      text(find(change, "now"))});
  });
  return result;
}

std::optional<Record> parse_keys(const Keys<RecordType::env>& keys) {
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

std::optional<Record> parse_keys(const Keys<RecordType::start>& keys) {
  const std::optional<std::uint64_t> format = keys.number("v");
  if (!format)
    return std::nullopt;
  Start start;
  start.format = *format;
  if (start.format != log_format)
    return start;
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
  start.outputs = keys.digits("outputs");
  start.time = keys.decimal("time");
  start.environment = changes_in(keys);
  return start;
}

constexpr std::size_t most_frames = 64; // of a log that somebody else wrote

/// A frame without a path is in the file of the frame before; the first in that of `at`.
void complete_paths(Call& call) {
  if (call.frames.size() > most_frames)
    call.frames.resize(most_frames);
  std::string_view path = std::string_view(call.at).substr(0, call.at.rfind("+0x"));
  for (std::string& frame : call.frames) {
    const bool has_path = !frame.starts_with('+');
    if (!has_path)
      frame.insert(0, path);
    path = std::string_view(frame).substr(0, frame.rfind("+0x"));
  }
}

/// A key that each call record may have, and what becomes of its value.
struct CallKey {
  KeyOf<RecordType::call> key;
  void (*take)(const element& value, Call& call);
};

constexpr CallKey call_keys[] = {
    {"n",
     [](const element& value, Call& call) {
       call.number = get<std::uint64_t>(value).value_or(0);
     }},
    {"thread",
     [](const element& value, Call& call) {
       call.thread = text(value);
     }},
    {"lib",
     [](const element& value, Call& call) {
       call.library = text(value);
     }},
    {"fn",
     [](const element& value, Call& call) {
       call.function = text(value);
     }},
    {"do",
     [](const element& value, Call& call) {
       call.action = action_named(text(value));
     }},
    {"why",
     [](const element& value, Call& call) {
       call.why = text(value);
       call.reason = reason_of(call.why);
     }},
    {"rule",
     [](const element& value, Call& call) {
       call.rule = text(value);
     }},
    {"at",
     [](const element& value, Call& call) {
       call.at = text(value);
     }},
    {"frames",
     [](const element& value, Call& call) {
       call.frames = texts(value);
     }},
    {"py",
     [](const element& value, Call& call) {
       call.python.frames = texts(value);
     }},
    {"user",
     [](const element& value, Call& call) {
       call.python.user = get<std::uint64_t>(value);
     }},
    {"c",
     [](const element& value, Call& call) {
       call.counter = get<std::uint64_t>(value);
     }},
};

/// What has no row above is a field of the symbol's own, if it is a text.
void take_key_of_call(std::string_view key, const element& value, Call& call) {
  for (const CallKey& known : call_keys)
    if (key == known.key.name)
      return known.take(value, call);
  if (std::optional<std::string> own = optional_text(value))
    call.fields.push_back({std::string(key), std::move(*own)});
}

/// By far the most records are calls: each key is looked at once.
std::optional<Record> parse_call(const object& in, Call call) {
  for (const auto field : in)
    if (field.key != "t")
      take_key_of_call(field.key, field.value, call);
  complete_paths(call);
  if (call.python.user && *call.python.user >= call.python.frames.size())
    call.python.user.reset();
  if (call.function.empty() || call.action == Action::none)
    return std::nullopt;
  return call;
}

std::optional<Record> parse_keys(const Keys<RecordType::end>& keys) {
  End end{{},
          keys.decimal("time"),
          keys.digits("modules").value_or(""),
          keys.number("failed").value_or(0)};
  if (const std::optional<object> counts = keys.map("counts"))
    for (std::size_t i = 1; i < action_count; ++i)
      end.counts[i] = get<std::uint64_t>(find(*counts, action_names[i])).value_or(0);
  return end;
}

template <RecordType type>
std::optional<Record> parse_user_place(const Keys<type>& keys) {
  UserPlace place{type, "", keys.text("at"), keys.texts("frames"), {}};
  if constexpr (type == RecordType::input)
    place.what = keys.text("what");
  if constexpr (type == RecordType::clock || type == RecordType::threads ||
                type == RecordType::children || type == RecordType::input)
    place.python = {keys.texts("py"), keys.number("user")};
  if (place.frames.size() > most_frames)
    place.frames.resize(most_frames);
  if (place.python.frames.size() > most_frames)
    place.python.frames.resize(most_frames);
  if (place.python.user && *place.python.user >= place.python.frames.size())
    return std::nullopt;
  return place;
}

std::optional<Record> parse_keys(const Keys<RecordType::variables>& keys) {
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
  if constexpr (type == RecordType::launcher)
    mark.program = keys.text("program");
  if constexpr (type == RecordType::rank)
    mark.rank = keys.small_number("rank"), mark.size = keys.small_number("of");
  return mark;
}

// One function for each type of the schema, by overloading: a type without one does not compile.

std::optional<Record> parse_keys(const Keys<RecordType::call>& keys) {
  return parse_call(keys.in, {});
}

std::optional<Record> parse_keys(const Keys<RecordType::digest>& keys) {
  Call digest;
  digest.is_digest = true;
  digest.action = Action::observe;
  return parse_call(keys.in, std::move(digest));
}

std::optional<Record> parse_keys(const Keys<RecordType::library>& keys) {
  return Library{keys.text("lib"), keys.text("file"), keys.optional_text("version")};
}

std::optional<Record> parse_keys(const Keys<RecordType::build>& keys) {
  return Build{keys.text("file"), keys.text("id")};
}

std::optional<Record> parse_keys(const Keys<RecordType::bound>& keys) {
  return Bound{keys.text("lib"), keys.text("by"), keys.text("how") == "lookup",
               keys.texts("functions")};
}

std::optional<Record> parse_keys(const Keys<RecordType::runtime>& keys) {
  return Runtime{keys.text("file"), keys.text("why")};
}

std::optional<Record> parse_keys(const Keys<RecordType::clock>& keys) {
  return parse_user_place(keys);
}

std::optional<Record> parse_keys(const Keys<RecordType::threads>& keys) {
  return parse_user_place(keys);
}

std::optional<Record> parse_keys(const Keys<RecordType::forks>& keys) {
  return parse_user_place(keys);
}

std::optional<Record> parse_keys(const Keys<RecordType::children>& keys) {
  return parse_user_place(keys);
}

std::optional<Record> parse_keys(const Keys<RecordType::input>& keys) {
  return parse_user_place(keys);
}

std::optional<Record> parse_keys(const Keys<RecordType::framework>& keys) {
  return Framework{keys.text("name"), keys.text("file"), keys.is_true("deterministic")};
}

std::optional<Record> parse_keys(const Keys<RecordType::coverage>& keys) {
  return Coverage{keys.text("lib"), keys.texts("files"), keys.number("hooks").value_or(0),
                  keys.texts("missing")};
}

std::optional<Record> parse_keys(const Keys<RecordType::modules>& keys) {
  return Modules{keys.texts("files"), keys.texts("builds"), keys.digits("set").value_or("")};
}

std::optional<Record> parse_keys(const Keys<RecordType::rights>& keys) {
  return Rights{keys.text("fn")};
}

std::optional<Record> parse_keys(const Keys<RecordType::lost>& keys) {
  return Lost{keys.small_number("pid"), keys.text("path"), keys.text("program"), keys.text("why")};
}

std::optional<Record> parse_keys(const Keys<RecordType::killed>& keys) {
  return Killed{keys.small_number("pid")};
}

std::optional<Record> parse_keys(const Keys<RecordType::exec>& keys) {
  Exec exec{keys.text("thread"), keys.text("program"), keys.number("error").has_value(),
            keys.decimal("time"), keys.digits("modules").value_or("")};
  exec.is_awaited = keys.is_true("awaited");
  return exec;
}

std::optional<Record> parse_keys(const Keys<RecordType::file>&) {
  return OtherRecord{}; // in a list of its own
}

std::optional<Record> parse_keys(const Keys<RecordType::rank>& keys) { return parse_mark(keys); }

std::optional<Record> parse_keys(const Keys<RecordType::launcher>& keys) {
  return parse_mark(keys);
}

template <std::size_t... types>
std::optional<Record> parse_record(std::string_view name, const object& in,
                                   std::index_sequence<types...>) {
  std::optional<Record> record = OtherRecord{};
  (void)((name == record_schema[types].name &&
          (record = parse_keys(Keys<static_cast<RecordType>(types)>{in}), true)) ||
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
  if (buffers_->parser.parse(line.data(), line.size()).get(in) != simdjson::SUCCESS)
    return std::nullopt;
  const std::optional<std::string> type = optional_text(find(in, "t"));
  if (!type)
    return std::nullopt;
  std::optional<Record> record =
      parse_record(*type, in, std::make_index_sequence<std::size(record_schema)>());
  if (!record)
    return std::nullopt;
  return Line{std::move(*record), get<std::uint64_t>(find(in, "proc")).value_or(0)};
}

const std::string* find_field(const std::vector<Field>& fields, std::string_view name) {
  for (const Field& field : fields)
    if (field.name == name)
      return &field.value;
  return nullptr;
}

std::uint64_t saturated_sum(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<std::uint64_t>::max() : sum;
}

} // namespace detshim
