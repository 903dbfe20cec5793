// Decides what a log says of how its process began. Variables are named with hashes of their
// values, and without one where a value may be a secret. Arguments that do not fit are hashed, but
// not where one of them may be a secret: who guesses at it could try. A forked child's log leaves
// out what its parent's has.
//
// It cannot know a secret that has neither the name nor the form of one.
#include "core/log/start.h"
#include "core/base/hash.h"
#include "core/base/processor.h"

#include "common/secrets.h"
#include "common/sys.h"
#include "common/version.h"
#include "core/identity/process.h"
#include "core/log/line.h"
#include "core/log/log_file.h"
#include "core/policy/options.h"
#include "core/policy/settings.h"
#include "core/policy/settings_watch.h"

#include <initializer_list>
#include <sys/stat.h>
#include <unistd.h>

namespace detshim {
namespace {

using log_file::line_room;
using log_file::path_room;
using log_file::text_room;

constexpr size_t line_is_full = 3400;

/// Not the program's: ours, and what shells and `detshim run` change from one command to the next.
bool is_passed_over(const char* entry) {
  if (starts_with(entry, "DETSHIM_") || starts_with(entry, "_DETSHIM_"))
    return true;
  for (const char* name : {"_=", "LD_PRELOAD=", "SHLVL=", "OLDPWD="})
    if (starts_with(entry, name))
      return true;
  return false;
}

/// What is kept of the environment, so that two runs can be compared: names, and hashes of values.
void write_variables() {
  constexpr size_t longest_name = 128;
  Line line(line_room, sizeof line_room);
  const auto finish = [&] {
    if (line.length() == 0)
      return;
    line.add("}}");
    log_file::write(line);
    line.shorten(0);
  };
  for (char* const* entry = __environ; entry != nullptr && *entry != nullptr; ++entry) {
    const char* value = *entry;
    while (*value != 0 && *value != '=')
      ++value;
    const auto length = static_cast<size_t>(value - *entry);
    if (*value == 0 || length == 0 || length > longest_name || is_passed_over(*entry))
      continue;
    char name[longest_name + 1];
    for (size_t i = 0; i < length; ++i)
      name[i] = (*entry)[i];
    name[length] = 0;
    if (line.length() == 0)
      RecordWriter<RecordType::variables>(line).begin("hashes").add("{\"");
    else
      line.add(",\"");
    line.add_json(name).add("\":\"");
    if (!is_secret_variable(name, length, value + 1))
      line.add_hex(fnv1a_text(value + 1) & 0xFFFFFFFF, 8);
    line.add('"');
    if (line.length() > line_is_full)
      finish();
  }
  finish();
}

/// Adds the variables that were set, from number `first`, as far as the line has room; the number
/// of the first that had none.
template <RecordType type>
int add_changes(RecordWriter<type>& record, Line& line, int first) {
  int count = 0;
  const SettingChange* changes = setting_changes(count);
  int i = first;
  record.begin("env").add('[');
  for (; i < count && line.length() < line_is_full; ++i) {
    line.add(i == first ? "" : ",");
    add_change(line, changes[i].name, changes[i].was, changes[i].now);
  }
  line.add(']');
  return i;
}

/// What the start record had no room for, from number `first`.
void write_more_changes(int first) {
  int count = 0;
  setting_changes(count);
  while (first < count) {
    Line line(line_room, sizeof line_room);
    RecordWriter<RecordType::env> record(line);
    first = add_changes(record, line, first);
    record.end();
    log_file::write(line);
  }
}

/// Begins a list in an `env` record, or goes on with it.
void begin_entry(Line& line, KeyOf<RecordType::env> list) {
  if (line.length() == 0)
    RecordWriter<RecordType::env>(line).begin(list).add('[');
  else
    line.add(',');
}

void finish_list(Line& line) {
  if (line.length() != 0)
    log_file::write(line.add("]}"));
}

/// In the first program of a run that writes a log: what was there already as it had to be. A
/// program before it (nice, timeout, env), which drew nothing and has no log, may have had it set.
void write_kept() {
  if (!process().is_first || !same_text(process().path, "0"))
    return;
  Line line(line_room, sizeof line_room);
  each_kept_setting(
      [](const char* name, const char* value, void* data) {
        Line& to = *static_cast<Line*>(data);
        if (to.length() > line_is_full)
          return;
        begin_entry(to, "env");
        add_change(to, name, value, value);
      },
      &line);
  finish_list(line);
}

/// The variables that are left alone and matter, where they are set.
void write_noted() {
  Line line(line_room, sizeof line_room);
  each_noted_setting(
      [](const char* name, const char* value, void* data) {
        Line& to = *static_cast<Line*>(data);
        begin_entry(to, "noted");
        to.add("{\"name\":\"").add(name).add("\",\"value\":\"").add_json(value, 100).add("\"}");
      },
      &line);
  finish_list(line);
}

constinit char working_directory[301] = {};

/// Adds the working directory, below which the arguments name files. Nothing where it has no path,
/// or one that is too long for the line.
void add_working_directory(RecordWriter<RecordType::start>& record) {
  note_working_directory();
  if (*working_directory == '/')
    record.text("cwd", working_directory, 2 * sizeof working_directory);
}

constexpr long most_read = 1600; // of the arguments at once

/// Where the last word ends that was read whole; of one that is longer than the room, where its
/// piece does.
long end_of_words(const char* text, long size) {
  long end = size;
  while (end > 0 && text[end - 1] != 0)
    --end;
  return end == 0 || size < most_read ? size : end;
}

/// Reads the words behind those that are shown: goes on with `hash` and with `command`. Pieces of a
/// word that is longer than the room overlap, so that no token is cut in two. True if there are
/// any.
bool read_further_words(int fd, long offset, CommandLine& command, uint64_t& hash,
                        Unshown& unshown) {
  constexpr long overlap = 200;
  bool are_any = false;
  for (;;) {
    const long size = sys::pread(fd, text_room, most_read, offset);
    if (size <= 0)
      return are_any;
    are_any = true;
    const long end = end_of_words(text_room, size);
    const bool is_piece = size == most_read && text_room[end - 1] != 0;
    text_room[end] = 0;
    for (long at = 0; at < end;) {
      const TextPart word = text_part(text_room + at);
      HiddenParts hidden;
      command.read(word, hidden);
      unshown.is_hidden |= hidden.count() != 0;
      at += static_cast<long>(word.size()) + 1;
    }
    const long used = is_piece ? end - overlap : end;
    hash = fnv1a(text_room, static_cast<size_t>(used), hash);
    offset += used;
  }
}

/// Adds the arguments, and of what is cut off them a hash. A hash of what may hold a secret would
/// answer who guesses at it.
void add_command_line(RecordWriter<RecordType::start>& record, Line& line) {
  const int fd = sys::openat(AT_FDCWD, "/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  const long read = fd < 0 ? 0 : sys::read(fd, text_room, most_read);
  const long end = read > 0 ? end_of_words(text_room, read) : 0;
  const auto size = static_cast<size_t>(end);
  text_room[size] = 0;
  const size_t program = text_length(text_room); // by which path it was named counts nowhere
  uint64_t hash = fnv1a(text_room + program, size - program);
  CommandLine command;
  Unshown unshown = add_arguments(line, text_room, size, DrawnParts::hidden, command);
  if (read == most_read)
    unshown.is_cut |= read_further_words(fd, end, command, hash, unshown);
  if (fd >= 0)
    sys::close(fd);
  if (!unshown.is_cut)
    return;
  record.flag("args_cut", true);
  if (!unshown.is_hidden)
    record.hash("args_hash", hash);
}

/// Of standard output and standard error. What a device shows, no program of the run reads.
uint64_t name_of_outputs() {
  uint64_t name = 0;
  for (const int output : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat state;
    const bool is_there = !sys::failed(sys::fstat(output, state));
    const bool may_be_read = is_there && !S_ISCHR(state.st_mode);
    name = mix(name, may_be_read ? mix(state.st_dev, state.st_ino) : 0);
  }
  return name;
}

void write_start() {
  const Process& me = process();
  char* const program = path_room;
  if (sys::failed(sys::readlink("/proc/self/exe", program, 600)))
    program[0] = 0;
  Line line(line_room, sizeof line_room);
  RecordWriter<RecordType::start> record(line);
  record.number("v", log_format).text("detshim", detshim_version);
  record.text("run", me.run).number("begun", me.begun);
  record.number("pid", static_cast<uint64_t>(me.pid)).decimal("time", record_time());
  record.number("rank", static_cast<uint64_t>(me.rank)).text("path", me.path);
  if (*me.job.text != 0)
    record.text("job", me.job.text);
  if (me.rank_given) {
    char node[65];
    log_file::name_of_node(node);
    record.text("node", node);
  }
  record.text("program", program);
  add_working_directory(record);
  add_command_line(record, line);
  record.text("mode", mode_name(options().mode)).text("policy", policy_name(options().policy));
  if (me.has_seed)
    record.decimal("seed", me.seed).text("seed_from", me.seed_drawn ? "drawn" : "DETSHIM_SEED");
  if (*options().disable != 0)
    record.text("disabled", options().disable);
  record.text("layout", sys::has_fixed_layout() ? "fixed" : "random");
  record.hash("outputs", name_of_outputs());
  if (options().portable != PortableLevel::off) {
    record.begin("cpu").add('"');
    add_processor(line);
    line.add('"');
  }
  static constinit bool are_written = false; // by the process that this one was forked from
  if (are_written) {
    record.end();
    log_file::write(line);
    return;
  }
  are_written = true;
  const int written = add_changes(record, line, 0);
  record.end();
  log_file::write(line);
  write_more_changes(written);
  write_kept();
  write_noted();
  write_variables();
}

/// The start of a process that writes in another's file: what it does not say is as in the start
/// before it.
void write_start_in_shared_file() {
  Line line(line_room, sizeof line_room);
  RecordWriter<RecordType::start>(line)
      .number("v", log_format)
      .number("pid", static_cast<uint64_t>(process().pid))
      .text("path", process().path)
      .decimal("time", record_time())
      .end();
  log_file::write(line, true);
}

} // namespace

bool open_log() {
  const log_file::Opened opened = log_file::open();
  if (opened == log_file::Opened::now) {
    write_start();
    log_file::offer_to_siblings(); // whose starts say what differs from the first one in the file
  }
  if (opened == log_file::Opened::joined)
    write_start_in_shared_file();
  return opened != log_file::Opened::no;
}

void begin_log() {
  log_file::with_lock([] {
    open_log();
  });
}

// By a call that a start makes anyway, for filters of system calls.
void note_working_directory() {
  constexpr auto size = static_cast<long>(sizeof working_directory);
  if (*working_directory != 0)
    return;
  const long length = sys::readlink("/proc/self/cwd", working_directory, sizeof working_directory);
  if (sys::failed(length) || length + 1 >= size)
    *working_directory = '?';
}

} // namespace detshim
