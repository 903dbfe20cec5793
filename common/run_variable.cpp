#include "common/run_variable.h"

#include "common/sys.h"

extern "C" char** __environ;

// DETSHIM_RUN=11:<length of the folder>:<folder>: and the fields below, numbers in hexadecimal,
// then dots. The folder comes first because it alone never changes in a process.

namespace detshim {
namespace {

constexpr uint64_t format_version = 11;

/// The entry's size, with the zero behind it, is a multiple of this: programs copy their
/// environment, and what they keep behind it would move with the digits of a process id.
constexpr size_t entry_block = 1024;

/// Behind a text that may be empty, and before what only fills the entry.
constexpr char may_be_empty = '\t';

/// The fields behind the folder, in their order, for who writes them and for who reads them.
template <typename Content, typename Fields>
void each_field(Content& content, Fields& fields) {
  fields.number(content.root_pid, 0x7fffffff);
  fields.number(content.writer_pid, 0x7fffffff);
  fields.number(content.writer_drew, 1);
  fields.number(content.rank_plus_1);
  fields.number(content.job.key);
  fields.number(content.array);
  fields.number(content.begun);
  fields.number(content.branch);
  fields.number(content.is_beside_drawer, 1);
  fields.number(content.stale_ranks);
  fields.number(content.launcher);
  fields.number(content.is_of_job, 1);
  fields.number(content.mode, static_cast<uint64_t>(Mode::off));
  fields.number(content.policy, static_cast<uint64_t>(SeedPolicy::vary));
  fields.number(content.has_seed, 1);
  fields.number(content.seed_drawn, 1);
  fields.number(content.seed);
  fields.number(content.key);
  fields.number(content.hidden, ~uint64_t{0},
                16); // of one width: other threads' children may be reading it
  fields.number(content.handoffs);
  fields.number(content.turn);
  fields.number(content.device_replaced, 1);
  fields.number(content.is_of_secret_script, 1);
  fields.number(content.is_log_awaited, 1);
  fields.number(content.log_is_default, 1);
  fields.text(content.path, ':');
  fields.text(content.run, ':');
  fields.text(content.job.text, may_be_empty);
}

struct FieldWriter {
  TextWriter& to;

  template <typename Value>
  void number(const Value& value, uint64_t = 0, int width = 1) {
    to.add_hex(static_cast<uint64_t>(value), width).add(':');
  }
  void text(const char* value, char end) { to.add(value).add(end); }
};

/// Reads fields from left to right; `good` turns false at the first one that is not what it should
/// be.
struct FieldReader {
  const char* at;
  bool good = true;

  template <typename Value>
  void number(Value& value, uint64_t highest = ~uint64_t{0}, int = 0) {
    uint64_t result = 0;
    int digits = 0;
    for (;; ++at, ++digits) {
      const char c = *at;
      if (c >= '0' && c <= '9')
        result = result << 4 | static_cast<uint64_t>(c - '0');
      else if (c >= 'a' && c <= 'f')
        result = result << 4 | static_cast<uint64_t>(c - 'a' + 10);
      else
        break;
    }
    good &= digits >= 1 && digits <= 16 && result <= highest;
    value = static_cast<Value>(result);
    close();
  }

  /// A text of known length, which may hold anything.
  const char* text_of(size_t length) {
    const char* const start = at;
    for (size_t i = 0; i < length && *at != 0; ++i)
      ++at;
    good &= static_cast<size_t>(at - start) == length;
    close();
    return start;
  }

  template <size_t Size>
  void text(char (&to)[Size], char end) {
    size_t i = 0;
    for (; *at != 0 && *at != end && i + 1 < Size; ++at)
      to[i++] = *at;
    to[i] = 0;
    good &= (i > 0 || end == may_be_empty) && *at == end;
    if (*at != 0)
      ++at;
  }

private:
  void close() {
    good &= *at == ':';
    if (*at != 0)
      ++at;
  }
};

} // namespace

void write_run_entry(RunEntry& entry, const RunVariable& content) {
  TextWriter text(entry, sizeof entry);
  FieldWriter fields{text};
  text.add(run_variable_name).add('=');
  fields.number(format_version);
  fields.number(content.log_folder_length);
  text.add(content.log_folder, content.log_folder_length).add(':');
  each_field(content, fields);
  while ((text.length() + 1) % entry_block != 0)
    text.add('.');
  text.c_str();
}

const char* folder_in_entry(const RunEntry& entry) {
  const char* at = entry;
  for (int colons = 0; colons < 2; ++at)
    colons += *at == ':' ? 1 : 0;
  return at;
}

bool parse_run_variable(const char* value, RunVariable& content) {
  FieldReader fields{value};
  uint64_t version = 0;
  fields.number(version);
  fields.good &= version == format_version;
  fields.number(content.log_folder_length, 3600);
  content.log_folder = fields.text_of(content.log_folder_length);
  each_field(content, fields);
  return fields.good;
}

bool read_run_variable(RunVariable& content) {
  const char* value = environment_value(run_variable_name);
  if (value == nullptr)
    return false;
  if (parse_run_variable(value, content))
    return true;
  constexpr const char* line =
      "detshim: DETSHIM_RUN is not accepted: it is how detshim's own processes tell their "
      "children about the run; unset it\n";
  sys::write(2, line, text_length(line));
  sys::exit_group(2);
}

const char* environment_value(const char* name) { return environment_value(name, __environ); }

const char* environment_value(const char* name, char* const* entries) {
  const size_t length = text_length(name);
  for (; entries != nullptr && *entries != nullptr; ++entries)
    if (starts_with(*entries, name) && (*entries)[length] == '=')
      return *entries + length + 1;
  return nullptr;
}

} // namespace detshim
