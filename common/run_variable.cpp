#include "common/run_variable.h"

#include "common/sys.h"

extern "C" char** environ;

// DETSHIM_RUN=4:<length of the folder>:<folder>:<root pid>:<writer pid>:<drew>:<rank + 1>:<world>:<array>:
// <branch>:<stale ranks>:<launcher>:<of job>:<mode>:<policy>:<seed: - none, g given, d
// drawn>:<seed>:<key>:<hidden>: <takeovers>:<device replaced>:<trapped>:<log: d default, g given>:<world's
// name, or ->:<path>:<run>, numbers in hexadecimal. The folder comes first because it alone never changes in
// a process.

namespace detshim {
namespace {

constexpr uint64_t format_version = 4;

/// Reads fields from left to right; `good` turns false at the first one that is not what it should be.
struct Fields {
  const char* at;
  bool good = true;

  uint64_t number(uint64_t highest = ~uint64_t{0}) {
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
    close();
    return result;
  }

  char letter() {
    const char c = *at;
    if (c != 0) ++at;
    close();
    return c;
  }

  /// A text of known length, which may hold anything.
  const char* text_of(size_t length) {
    const char* const start = at;
    for (size_t i = 0; i < length && *at != 0; ++i) ++at;
    good &= static_cast<size_t>(at - start) == length;
    close();
    return start;
  }

  template <size_t Size>
  void text(char (&to)[Size], char end) {
    size_t i = 0;
    for (; *at != 0 && *at != end && i + 1 < Size; ++at) to[i++] = *at;
    to[i] = 0;
    good &= i > 0 && *at == end;
    if (*at != 0) ++at;
  }

private:
  void close() {
    good &= *at == ':';
    if (*at != 0) ++at;
  }
};

} // namespace

void write_run_entry(RunEntry& entry, const RunVariable& content) {
  TextWriter text(entry, sizeof entry);
  const auto number = [&text](uint64_t value) { text.add_hex(value).add(':'); };
  text.add(run_variable_name).add('=');
  number(format_version);
  number(content.log_folder_length);
  text.add(content.log_folder, content.log_folder_length).add(':');
  number(static_cast<uint64_t>(content.root_pid));
  number(static_cast<uint64_t>(content.writer_pid));
  number(content.writer_drew ? 1 : 0);
  number(content.rank_plus_1);
  number(content.world.key);
  number(content.array);
  number(content.branch);
  number(content.stale_ranks);
  number(content.launcher);
  number(content.is_of_job ? 1 : 0);
  number(static_cast<uint64_t>(content.mode));
  number(static_cast<uint64_t>(content.policy));
  text.add(!content.has_seed ? '-' : content.seed_drawn ? 'd' : 'g').add(':');
  number(content.seed);
  number(content.key);
  text.add_hex(content.hidden, 16).add(':'); // of one width: other threads' children may be reading it
  number(content.takeovers);
  number(content.device_replaced ? 1 : 0);
  number(content.is_trapped ? 1 : 0);
  text.add(content.log_is_default ? 'd' : 'g').add(':');
  text.add(*content.world.text == 0 ? "-" : content.world.text).add(':');
  text.add(content.path).add(':').add(content.run);
  text.c_str();
}

const char* folder_in_entry(const RunEntry& entry) {
  const char* at = entry;
  for (int colons = 0; colons < 2; ++at) colons += *at == ':' ? 1 : 0;
  return at;
}

bool parse_run_variable(const char* value, RunVariable& content) {
  Fields fields{value};
  fields.good &= fields.number(format_version) == format_version;
  content.log_folder_length = fields.number(3600);
  content.log_folder = fields.text_of(content.log_folder_length);
  content.root_pid = static_cast<int>(fields.number(0x7fffffff));
  content.writer_pid = static_cast<int>(fields.number(0x7fffffff));
  content.writer_drew = fields.number(1) != 0;
  content.rank_plus_1 = fields.number();
  content.world.key = fields.number();
  content.array = fields.number();
  content.branch = fields.number();
  content.stale_ranks = fields.number();
  content.launcher = fields.number();
  content.is_of_job = fields.number(1) != 0;
  content.mode = static_cast<Mode>(fields.number(static_cast<uint64_t>(Mode::off)));
  content.policy = static_cast<SeedPolicy>(fields.number(static_cast<uint64_t>(SeedPolicy::order)));
  const char seed_kind = fields.letter();
  content.has_seed = seed_kind != '-';
  content.seed_drawn = seed_kind == 'd';
  content.seed = fields.number();
  content.key = fields.number();
  content.hidden = fields.number();
  content.takeovers = fields.number();
  content.device_replaced = fields.number(1) != 0;
  content.is_trapped = fields.number(1) != 0;
  content.log_is_default = fields.letter() == 'd';
  fields.text(content.world.text, ':');
  if (same_text(content.world.text, "-")) content.world.text[0] = 0;
  fields.text(content.path, ':');
  fields.text(content.run, 0);
  return fields.good;
}

bool read_run_variable(RunVariable& content) {
  const char* value = environment_value(run_variable_name);
  if (value == nullptr) return false;
  if (parse_run_variable(value, content)) return true;
  constexpr const char* line =
      "detshim: DETSHIM_RUN is not accepted: it is how detshim's own processes tell their "
      "children about the run; unset it\n";
  sys::write(2, line, text_length(line));
  sys::exit_group(2);
}

const char* environment_value(const char* name) {
  const size_t length = text_length(name);
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
    if (starts_with(*entry, name) && (*entry)[length] == '=') return *entry + length + 1;
  return nullptr;
}

} // namespace detshim
