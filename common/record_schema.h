// What the records of a log hold: which keys, of which type. The library writes by it, the reader
// looks keys up by it, and docs/schemas/log-record.schema.json and the tables of docs/LOG_FORMAT.md
// are held to it. What the keys mean stands in docs/LOG_FORMAT.md.
#pragma once

#include "common/text.h"

#include <cstddef>
#include <cstdint>

// All records: what stands in `t`, and each key as `name:type`, with `?` behind the name where it
// may be missing. The types: value_type_names.
// clang-format off
#define DETSHIM_RECORDS(X) \
  X(start, "v:number detshim?:text run?:text begun?:number pid:number time?:decimal rank?:number path:text "    \
           "job?:text node?:text program?:text cwd?:text args?:texts args_cut?:flag args_hash?:hash "           \
           "mode?:mode policy?:policy seed?:decimal seed_from?:text disabled?:text layout?:text cpu?:text "     \
           "outputs?:hash env?:changes")                                                                        \
  X(env, "env?:changes noted?:variables read?:readers")                                                         \
  X(library, "lib:text file:text version?:text")                                                                \
  X(build, "file:text id:text")                                                                                 \
  X(call, "n:number thread:text lib:text fn:text do:action why:text rule?:text at:text frames?:texts "          \
          "py?:texts user?:number pool?:text pool_at?:text c?:number", true)                                    \
  X(digest, "n:number thread:text lib:text fn:text to:text shape?:text in?:hash first:decimal digests:decimal " \
            "bytes:decimal digest?:hash unread?:decimal why?:text launches:decimal draws:decimal drawn:hash "   \
            "at:text frames?:texts py?:texts user?:number")                                                     \
  X(coverage, "lib:text files:texts files_left_out?:number missing:texts hooks:number")                         \
  X(bound, "lib:text by:text how:text functions:texts")                                                         \
  X(runtime, "file:text why:text")                                                                              \
  X(variables, "hashes:map")                                                                                    \
  X(clock, "at:text frames?:texts py?:texts user?:number")                                                      \
  X(threads, "at:text frames?:texts py?:texts user?:number")                                                    \
  X(forks, "at:text frames?:texts")                                                                             \
  X(children, "at:text frames?:texts py?:texts user?:number")                                                   \
  X(input, "what:text at:text frames?:texts py?:texts user?:number")                                            \
  X(framework, "name:text file:text deterministic:flag by:text")                                                \
  X(modules, "files:texts builds:texts set?:hash")                                                              \
  X(end, "counts:counts time?:decimal modules?:hash failed?:number")                                            \
  X(exec, "thread:text program?:text error?:number time?:decimal modules?:hash awaited?:flag")                  \
  X(killed, "pid:number signal:number")                                                                         \
  X(rights, "fn:text")                                                                                          \
  X(rank, "v:number run:text job:text job_key:hash launcher:hash rank:number of:number pid:number node:text")   \
  X(launcher, "v:number run:text job:text job_key:hash launcher:hash program:text pid:number node:text")        \
  X(lost, "path:text pid:number program:text why:text error?:number")                                           \
  X(file, "how:text id?:text path:text")
// clang-format on

namespace detshim {

/// The format of a log, in `v`. It changes where a reader would take a record for something else; a
/// further record or key changes nothing.
inline constexpr uint64_t log_format = 1;

/// `any` represents what several have in common, a key that one of them has.
enum class RecordType : uint8_t {
#define DETSHIM_RECORD_MEMBER(type, ...) type,
  DETSHIM_RECORDS(DETSHIM_RECORD_MEMBER)
#undef DETSHIM_RECORD_MEMBER
      any
};

struct RecordSchema {
  const char* name; ///< in `t`, which every record has; `proc` may be in any
  const char* keys;
  bool has_own_fields = false; ///< further keys are a hook's own, all texts
};

inline constexpr RecordSchema record_schema[] = {
#define DETSHIM_RECORD_ROW(type, ...) {#type, __VA_ARGS__},
    DETSHIM_RECORDS(DETSHIM_RECORD_ROW)
#undef DETSHIM_RECORD_ROW
};

/// What a key's value is in JSON.
enum class ValueType : uint8_t {
  text,
  number,    ///< natural, below 2^53
  flag,      ///< true or false
  decimal,   ///< a text of digits: a number that may be larger
  hash,      ///< a text of 16 hexadecimal digits
  action,    ///< a text: action_names
  mode,      ///< a text: mode_names
  policy,    ///< a text: policy_names
  texts,     ///< an array
  map,       ///< an object of texts
  counts,    ///< an object of numbers, by actions
  changes,   ///< an array of {"name", "was"?, "now"}
  variables, ///< an array of {"name", "value"}
  readers,   ///< an array of {"name", "by": texts}
  none,
};
inline constexpr const char* value_type_names[] = {
    "text",   "number", "flag", "decimal", "hash",    "action",    "mode",
    "policy", "texts",  "map",  "counts",  "changes", "variables", "readers"};
static_assert(sizeof value_type_names / sizeof *value_type_names ==
              static_cast<size_t>(ValueType::none));

/// One key of a record.
struct SchemaKey {
  const char* name; ///< not closed with a zero
  size_t length;
  ValueType type;
  bool is_optional;
};

/// Takes the first key from the text of a record's keys, which it moves on.
constexpr SchemaKey take_key(const char*& text) {
  SchemaKey key = {text, 0, ValueType::none, false};
  while (*text != ':' && *text != '?' && *text != 0)
    ++key.length, ++text;
  if (*text == '?')
    key.is_optional = true, ++text;
  if (*text == ':')
    ++text;
  const char* const type = text;
  while (*text != 0 && *text != ' ')
    ++text;
  for (size_t i = 0; i < static_cast<size_t>(ValueType::none); ++i)
    if (starts_with(type, value_type_names[i]) && type + text_length(value_type_names[i]) == text)
      key.type = static_cast<ValueType>(i);
  while (*text == ' ')
    ++text;
  return key;
}

/// The type of a record's key; `none` where it has no such key.
constexpr ValueType type_of_key(RecordType record, const char* name) {
  const auto first = record == RecordType::any ? 0 : static_cast<size_t>(record);
  const auto last = record == RecordType::any ? static_cast<size_t>(RecordType::any) : first + 1;
  for (size_t i = first; i < last; ++i)
    for (const char* keys = record_schema[i].keys; *keys != 0;)
      if (const SchemaKey key = take_key(keys);
          key.length == text_length(name) && starts_with(key.name, name))
        return key.type;
  return same_text(name, "proc") ? ValueType::number : ValueType::none;
}

/// A key of that record, by its name. One that the schema does not have, or not with one of these
/// types (none named: any), does not compile.
template <RecordType record, ValueType... types>
struct KeyOf {
  consteval KeyOf(const char* key) : name(key) {
    const ValueType type = type_of_key(record, key);
    if (type == ValueType::none || (sizeof...(types) != 0 && ((type != types) && ...)))
      is_not_in_the_schema();
  }
  const char* name;

private:
  static void is_not_in_the_schema() {} // not constexpr: a call ends the compilation
};
template <RecordType record>
using TextKey =
    KeyOf<record, ValueType::text, ValueType::action, ValueType::mode, ValueType::policy>;

/// Begins a value of a key that several records may have.
inline TextWriter& add_key(TextWriter& line, KeyOf<RecordType::any> key) {
  return line.add(",\"").add(key.name).add("\":");
}

/// Writes one record: its keys are those of the schema.
template <RecordType record>
class RecordWriter {
public:
  explicit RecordWriter(TextWriter& line) : line_(line) {
    constexpr const char* name = record_schema[static_cast<size_t>(record)].name;
    line_.add("{\"t\":\"").add(name).add('"');
  }

  /// Begins a value that the caller writes, with its brackets or quotes.
  TextWriter& begin(KeyOf<record> key) { return line_.add(",\"").add(key.name).add("\":"); }

  RecordWriter& text(TextKey<record> key, const char* text, size_t limit = 512) {
    return line_.add(",\"").add(key.name).add("\":\"").add_json(text, limit).add('"'), *this;
  }
  RecordWriter& number(KeyOf<record, ValueType::number> key, uint64_t number) {
    return line_.add(",\"").add(key.name).add("\":").add(number), *this;
  }
  RecordWriter& flag(KeyOf<record, ValueType::flag> key, bool is_set) {
    return line_.add(",\"").add(key.name).add("\":").add(is_set ? "true" : "false"), *this;
  }
  RecordWriter& decimal(KeyOf<record, ValueType::decimal> key, uint64_t number) {
    return line_.add(",\"").add(key.name).add("\":\"").add(number).add('"'), *this;
  }
  RecordWriter& hash(KeyOf<record, ValueType::hash> key, uint64_t number) {
    return line_.add(",\"").add(key.name).add("\":\"").add_hex(number, 16).add('"'), *this;
  }

  /// Closes the record.
  TextWriter& end() { return line_.add('}'); }

private:
  TextWriter& line_;
};

} // namespace detshim
