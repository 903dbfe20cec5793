#include "core/log.h"

#include "core/identity.h"
#include "core/lock.h"
#include "core/modules.h"
#include "core/options.h"
#include "core/python_frames.h"
#include "core/settings.h"
#include "core/sys.h"
#include "core/text.h"
#include "core/version.h"

namespace detshim {
namespace {

using Line = TextWriter; // of at most sizeof line_room bytes, docs/LOG_FORMAT.md

constexpr int value_limit_of_a_place = 200; // then its further calls share one record
constexpr unsigned python_frame_limit = 4;

/// The file of this process. `generation` tells whether a forked child still looks at its parent's.
struct File {
  uint32_t generation = 0;
  int fd = -1;
  uint64_t device = 0;
  uint64_t inode = 0;
  bool failed = false; // said once, not tried again
  bool torn = false;   // the last line was cut by a full disk
  bool lost = false;   // a line could not be written at all: said once
};
constinit File file;
constinit uint64_t lock = 0;
constinit char counts_path[4096] = {};

// What stderr was when the process began.
enum class Stderr : uint8_t { unknown, closed, open };
constinit Stderr stderr_state = Stderr::unknown;
constinit uint64_t stderr_device = 0;
constinit uint64_t stderr_inode = 0;

// Room for one line and the texts that go into it, used under the lock: a thread's stack may be 16 KiB in all.
constinit char line_room[4096] = {};
constinit char text_room[4096] = {};
constinit char path_room[3700] = {};

// ------------------------------------------------------------------ stderr

void say(const char* text, size_t length) {
  if (stderr_state == Stderr::unknown) remember_stderr();
  struct stat state;
  if (stderr_state == Stderr::closed || sys::fstat(2, state) != 0) return;
  if (state.st_dev != stderr_device || state.st_ino != stderr_inode) return;
  sys::write(2, text, length);
}

void say(TextWriter& text) { say(text.c_str(), text.length()); }

// ------------------------------------------------------------------ files

constinit unsigned stem_ordinal = 0; // where an earlier run in the folder had the same process id

void add_file_stem(TextWriter& text) {
  const Process& me = process();
  text.add(static_cast<uint64_t>(me.rank)).add('-').add(me.path).add('-').add(static_cast<uint64_t>(me.pid));
  if (stem_ordinal != 0) text.add('-').add(uint64_t{stem_ordinal});
}

/// Names the counts file, and with it the stem that no other run has taken.
void choose_counts_path() {
  for (stem_ordinal = 0; stem_ordinal < 100; ++stem_ordinal) {
    TextWriter path(counts_path, sizeof counts_path);
    path.add(process().log_folder, process().log_folder_length).add('/');
    add_file_stem(path);
    path.add(".counts").c_str();
    if (!is_of_another_run(counts_path)) return;
  }
}

/// Where the last `unfollowed` components of `path` begin; makes the folders before them if `make`.
char* split(char* path, int unfollowed, bool make) {
  char* rest = path + text_length(path);
  for (; unfollowed > 0 && rest > path; --unfollowed)
    do --rest;
    while (rest > path && *rest != '/');
  for (char* at = path + 1; make && at <= rest; ++at) {
    if (*at != '/') continue;
    *at = 0;
    sys::mkdirat(AT_FDCWD, path, 0700);
    *at = '/';
  }
  return rest;
}

/// The log folder, made where it is missing; neither it nor the default's `detshim-log` may be a link.
/// A descriptor, or a negated errno. `made` tells whether this call made it.
int open_folder(bool make, bool& made) {
  TextWriter copy(path_room, sizeof path_room);
  copy.add(process().log_folder, process().log_folder_length);
  char* path = const_cast<char*>(copy.c_str());
  size_t length = copy.length(); // "name/" and "name/." would follow a link that "name" is
  while (length > 1 && (path[length - 1] == '/' || (path[length - 1] == '.' && path[length - 2] == '/'))) --length;
  path[length] = 0;
  char* rest = split(path, process().log_is_default ? 2 : 1, make);
  constexpr int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
  int folder = AT_FDCWD;
  if (rest > path) {
    *rest = 0;
    folder = sys::openat(AT_FDCWD, path, flags);
    if (folder < 0) return folder;
    ++rest;
  } else if (*rest == '/') {
    folder = sys::openat(AT_FDCWD, "/", flags);
    ++rest;
  }
  while (*rest != 0) {
    char* end = rest;
    while (*end != 0 && *end != '/') ++end;
    const bool last = *end == 0;
    *end = 0;
    const int status = make ? sys::mkdirat(folder, rest, 0700) : 0;
    made = make && status == 0;
    const int next = sys::openat(folder, rest, flags | O_NOFOLLOW);
    if (folder >= 0) sys::close(folder);
    if (next < 0) return status < 0 && status != -17 /* EEXIST */ ? status : next;
    folder = next;
    rest = last ? end : end + 1;
  }
  return folder;
}

/// Points `detshim-log/latest` at this run, for the process that made its folder.
void link_latest(int folder) {
  Text<64> temporary;
  temporary.add("../.latest-").add(static_cast<uint64_t>(process().pid));
  sys::call(SYS_unlinkat, folder, sys::address(temporary.c_str()), 0);
  if (sys::failed(sys::call(SYS_symlinkat, sys::address(process().run), folder, sys::address(temporary.c_str()))))
    return;
  sys::call(SYS_renameat2, folder, sys::address(temporary.c_str()), folder, sys::address("../latest"), 0);
}

void say_seed() {
  if (options().quiet) return;
  Text<64> line;
  line.add("Using seed: ").add(process().seed).add('\n');
  say(line);
}

/// Prints a drawn seed, once for the whole run: the process that can make the run's seed file does it.
void announce_seed(int folder) {
  Text<64> name;
  name.add(process().run).add(".seed");
  const int fd = sys::openat(folder, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return;
  Text<32> number;
  number.add(process().seed).add('\n');
  sys::write(fd, number.c_str(), number.length());
  sys::close(fd);
  say_seed();
}

/// Away from the low numbers that programs count on, yet below 64 where that is free: the kernel has room for
/// 64 from the start, and growing the table of a process with threads waits for a grace period (8 to 16 ms).
int move_up(int fd) {
  for (const long lowest : {48L, 20L, 8L}) {
    const int moved = sys::fcntl(fd, F_DUPFD_CLOEXEC, lowest);
    if (moved < 0) continue;
    sys::close(fd);
    return moved;
  }
  return fd;
}

void complain(int error) {
  file.failed = true;
  if (options().quiet) return;
  Line line(text_room, sizeof text_room);
  line.add("detshim: cannot write the log in ").add(process().log_folder, process().log_folder_length).add(" (error ");
  line.add(static_cast<uint64_t>(-error)).add("); nothing is recorded\n");
  say(line);
  if (process().seed_drawn) say_seed();
}

bool is_still_ours() {
  struct stat state;
  return file.fd >= 0 && sys::fstat(file.fd, state) == 0 && state.st_dev == file.device &&
         state.st_ino == file.inode;
}

/// A record could not be written. Once is enough: the disk stays full.
void say_lost() {
  if (file.lost || options().quiet) return;
  file.lost = true;
  constexpr const char* text = "detshim: the log cannot be written any more (is the disk full?); records are missing\n";
  say(text, text_length(text));
}

void write_line(Line& line) {
  if (!is_still_ours()) return;
  line.add('\n');
  if (file.torn) { // close the line that the full disk cut
    if (sys::write(file.fd, "\n", 1) != 1) return;
    file.torn = false;
  }
  struct stat state;
  if (sys::fstat(file.fd, state) != 0 || !sys::may_grow_to(static_cast<uint64_t>(state.st_size) + line.length()))
    return say_lost();
  long written;
  do written = sys::write(file.fd, line.c_str(), line.length());
  while (written == -4 /* EINTR */);
  if (written == static_cast<long>(line.length())) return;
  file.torn |= written > 0;
  say_lost();
}

void write_start();

/// Opens the log of this process; true if records can be written.
bool open_log() {
  if (file.generation == generation() && (file.failed || is_still_ours())) return !file.failed;
  const bool fresh = file.generation != generation();
  if (fresh) file = {};
  file.generation = generation();
  if (fresh) use_counts_file(nullptr); // a parent's counters are the parent's

  // Nothing is made on disk when the program has closed the descriptor: it may be in another root by now.
  bool made = false;
  const int folder = open_folder(fresh, made);
  if (folder < 0) return complain(folder), false;
  if (fresh) choose_counts_path();
  Text<160> name;
  add_file_stem(name);
  name.add(".jsonl");
  const int fd = sys::openat(folder, name.c_str(),
                             O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (fresh ? O_CREAT : 0), 0600);
  struct stat state;
  if (fd < 0 || sys::fstat(fd, state) != 0 || !S_ISREG(state.st_mode)) {
    if (fd >= 0) sys::close(fd);
    sys::close(folder);
    return complain(fd), false;
  }
  file.fd = move_up(fd);
  file.device = state.st_dev;
  file.inode = state.st_ino;
  if (made && process().log_is_default) link_latest(folder);
  if (process().seed_drawn) announce_seed(folder);
  sys::close(folder);
  if (fresh) {
    use_counts_file(counts_path);
    write_start();
  }
  return true;
}

// ------------------------------------------------------------------ parts of records

void add_text(Line& line, const char* key, const char* text, size_t limit = 512) {
  line.add(",\"").add(key).add("\":\"").add_json(text, limit).add('"');
}

/// True if a word that announces a secret is in the text, in small or capital letters.
bool is_secret(const char* text) {
  for (const char* word : {"token", "secret", "pass", "pwd", "api_key", "api-key", "apikey", "credential", "auth",
                           "bearer", "private", "login"})
    for (const char* at = text; *at != 0; ++at) {
      size_t same = 0;
      while (word[same] != 0 && (at[same] >= 'A' && at[same] <= 'Z' ? at[same] | 0x20 : at[same]) == word[same]) ++same;
      if (word[same] == 0) return true;
    }
  return false;
}

/// `--wandb-key`, `ACCESS_KEY=…`
bool names_a_key(const char* text) {
  size_t length = 0;
  while (text[length] != 0 && text[length] != '=') ++length;
  if (length < 3 || (text[0] != '-' && text[length] != '=')) return false;
  const char* end = text + length - 3;
  return (end[0] | 0x20) == 'k' && (end[1] | 0x20) == 'e' && (end[2] | 0x20) == 'y';
}

/// The program's arguments. One that speaks of a secret is shown up to its first `=`, `:` or space; an option that does
/// hides the argument after it too.
void add_arguments(Line& line) {
  const int fd = sys::openat(AT_FDCWD, "/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  long size = fd < 0 ? 0 : sys::read(fd, text_room, 1600);
  if (fd >= 0) sys::close(fd);
  if (size < 0) size = 0;
  text_room[size] = 0;
  line.add(",\"args\":[");
  bool hide_next = false;
  for (char* at = text_room; at < text_room + size;) {
    const size_t length = text_length(at);
    if (at != text_room) line.add(',');
    const bool has_login = contains(at, "://") && contains(at, "@");
    const bool secret = is_secret(at) || names_a_key(at);
    bool cut = false;
    if (secret && !hide_next && !has_login)
      for (size_t i = 0; i < length && !cut; ++i)
        if (at[i] == '=' || at[i] == ':' || at[i] == ' ') at[i + 1] = 0, cut = true;
    line.add('"');
    if (hide_next || has_login)
      line.add("<hidden>");
    else
      line.add_json(at, 400).add(cut ? "<hidden>" : "");
    line.add('"');
    hide_next = secret && at[0] == '-' && !cut;
    at += length + 1;
    if (line.length() > 2600) break;
  }
  line.add(']');
}

void write_start() {
  const Process& me = process();
  char* const program = path_room;
  if (sys::failed(sys::readlink("/proc/self/exe", program, 600))) program[0] = 0;
  Line line(line_room, sizeof line_room);
  line.add("{\"t\":\"start\",\"v\":1");
  add_text(line, "detshim", version);
  add_text(line, "run", me.run);
  line.add(",\"pid\":").add(static_cast<uint64_t>(me.pid));
  line.add(",\"rank\":").add(static_cast<uint64_t>(me.rank));
  add_text(line, "path", me.path);
  add_text(line, "program", program);
  add_arguments(line);
  add_text(line, "mode", mode_name(options().mode));
  add_text(line, "policy", policy_name(options().policy));
  if (me.has_seed)
    line.add(",\"seed\":\"").add(me.seed).add("\",\"seed_from\":\"").add(me.seed_drawn ? "drawn" : "DETSHIM_SEED").add('"');
  else
    line.add(",\"seed\":null,\"seed_from\":null");
  if (*options().disable != 0) add_text(line, "disabled", options().disable);
  constexpr long ask = 0xffffffff;
  constexpr long no_randomize = 0x0040000; // ADDR_NO_RANDOMIZE, personality(2)
  add_text(line, "layout", (sys::call(SYS_personality, ask) & no_randomize) != 0 ? "fixed" : "random");
  line.add(",\"env\":[");
  int count = 0;
  const SettingChange* changes = setting_changes(count);
  for (int i = 0; i < count; ++i) {
    line.add(i == 0 ? "{\"name\":\"" : ",{\"name\":\"").add(changes[i].setting->name).add("\",\"was\":");
    if (changes[i].was_set)
      line.add('"').add_json(changes[i].was, 80).add('"');
    else
      line.add("null");
    line.add(",\"now\":\"").add(changes[i].setting->value).add("\"}");
  }
  line.add("]}");
  write_line(line);
}

/// Where a call came from: module and offset, which address-space randomisation does not change.
void add_place(Line& line, const void* caller) {
  Module module;
  if (!find_module(caller, module)) {
    line.add(",\"at\":\"?\"");
    return;
  }
  char* const path = path_room;
  module_path(module, path, 600);
  line.add(",\"at\":\"").add_json(path).add("+0x");
  line.add_hex(reinterpret_cast<uintptr_t>(caller) - module.base).add('"');
}

void add_python(Line& line) {
  struct Context {
    Line& line;
    bool first;
  } context{line, true};
  each_python_frame(
      python_frame_limit,
      [](const PythonFrame& frame, void* data) {
        auto* c = static_cast<Context*>(data);
        c->line.add(c->first ? ",\"py\":[\"" : ",\"").add_json(frame.file, 160).add(':');
        c->line.add(static_cast<uint64_t>(frame.line > 0 ? frame.line : 0)).add(' ');
        c->line.add_json(frame.function, 60).add('"');
        c->first = false;
      },
      &context);
  if (!context.first) line.add(']');
}

void add_values(Line& line, const Subject& subject, std::initializer_list<Value> values) {
  int i = 0;
  for (const Value& value : values) {
    line.add(",\"").add(subject.fields[i++]).add("\":\"");
    if (value.text != nullptr)
      line.add_json(value.text, 200);
    else
      line.add(value.negative ? "-" : "").add(value.number);
    line.add('"');
  }
}

uint64_t hash(uint64_t state, uint64_t word) {
  return (state ^ word) * 0x9E3779B97F4A7C15 ^ (state ^ word) >> 29;
}

uint64_t hash(uint64_t state, const Value& value) {
  if (value.text == nullptr) return hash(hash(state, value.number), value.negative ? 2 : 1);
  for (const char* c = value.text; *c != 0; ++c) state = hash(state, static_cast<unsigned char>(*c));
  return state;
}

constinit Counter unwritten = {}; // records of Action::observe before there is a log

} // namespace

Counter* record(const Subject& subject, Action action, const void* caller, const char* why,
                std::initializer_list<Value> values) {
  Thread& thread = this_thread();
  if (action != Action::observe) mark_drawn();
  const uint64_t place = hash(hash(reinterpret_cast<uintptr_t>(caller), reinterpret_cast<uintptr_t>(subject.symbol)),
                              static_cast<uint64_t>(action) | uint64_t{draw_epoch()} << 8);
  uint64_t key = place;
  for (const Value& value : values) key = hash(key, value);
  if (const uint64_t* known = thread.places.find(key)) {
    auto* counter = reinterpret_cast<Counter*>(*known);
    ++counter->number;
    return counter;
  }
  if (action == Action::observe && file.generation != generation()) {
    ++unwritten.number;
    return &unwritten;
  }

  Lock guard(lock);
  const uint64_t place_key = hash(place, 0x706C616365);
  const bool full = thread.places.insert(place_key)++ >= value_limit_of_a_place;
  if (full) {
    key = hash(place, 0x66756C6C);
    why = "further calls from this place, values not written";
    if (const uint64_t* known = thread.places.find(key)) {
      auto* counter = reinterpret_cast<Counter*>(*known);
      ++counter->number;
      return counter;
    }
  }

  const bool writable = guard.held() && open_log();
  int64_t index = -1;
  Counter* counter = new_counter(action, index);
  thread.places.insert(key) = reinterpret_cast<uintptr_t>(counter);
  if (writable) {
    Line line(line_room, sizeof line_room);
    line.add("{\"t\":\"call\",\"n\":").add(uint64_t{++thread.records});
    add_text(line, "thread", thread.path);
    add_text(line, "lib", subject.library);
    add_text(line, "fn", subject.symbol);
    add_text(line, "do", action_names[static_cast<int>(action)]);
    if (!full) add_values(line, subject, values);
    add_text(line, "why", why, 200);
    add_place(line, caller);
    add_python(line);
    if (index >= 0) line.add(",\"c\":").add(static_cast<uint64_t>(index));
    line.add('}');
    write_line(line);
  }
  ++counter->number;
  return counter;
}

void record_library(const char* name, const char* library_file, const char* library_version) {
  Lock guard(lock);
  if (!guard.held() || !open_log()) return;
  Line line(line_room, sizeof line_room);
  line.add("{\"t\":\"library\"");
  add_text(line, "lib", name);
  add_text(line, "file", library_file);
  if (library_version != nullptr) add_text(line, "version", library_version);
  line.add('}');
  write_line(line);
}

namespace {

void write_end() {
  uint64_t sums[action_count] = {};
  sum_own_counts(sums);
  Line line(line_room, sizeof line_room);
  line.add("{\"t\":\"end\",\"counts\":{");
  bool first = true;
  for (int i = 1; i < action_count; ++i) {
    if (sums[i] == 0) continue;
    line.add(first ? "\"" : ",\"").add(action_names[i]).add("\":").add(sums[i]);
    first = false;
  }
  line.add("}}");
  write_line(line);
}

bool ends_with(const char* text, const char* end) {
  const size_t a = text_length(text);
  const size_t b = text_length(end);
  return a >= b && same_text(text + a - b, end);
}

/// Adds up the counts files of all processes of the run; their number.
unsigned sum_run(int folder, uint64_t (&sums)[action_count]) {
  struct Entry { // linux_dirent64, getdents(2)
    uint64_t inode;
    int64_t offset;
    uint16_t length;
    uint8_t type;
    char name[1];
  };
  unsigned processes = 0;
  alignas(8) char block[4096];
  for (;;) {
    const long size = sys::call(SYS_getdents64, folder, sys::address(block), sizeof block);
    if (size <= 0) return processes;
    for (long at = 0; at < size;) {
      const auto* entry = reinterpret_cast<const Entry*>(block + at);
      at += entry->length;
      if (!ends_with(entry->name, ".counts")) continue;
      const int fd = sys::openat(folder, entry->name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
      if (fd < 0) continue;
      if (sum_file_counts(fd, sums)) ++processes;
      sys::close(fd);
    }
  }
}

void write_closing_line() {
  Lock guard(lock);
  if (!guard.held()) return;
  { // most processes leave here
    TextWriter path(path_room, sizeof path_room);
    path.add(process().log_folder, process().log_folder_length);
    if (sys::failed(sys::call(SYS_faccessat, AT_FDCWD, sys::address(path.c_str()), 0))) return;
  }
  bool made = false;
  const int folder = open_folder(false, made);
  if (folder < 0) return;
  uint64_t sums[action_count] = {};
  const unsigned processes = sum_run(folder, sums);
  sys::close(folder);
  if (processes == 0) return;
  Line line(line_room, sizeof line_room);
  line.add("detshim: ");
  if (process().has_seed) line.add("seed ").add(process().seed).add(", ");
  line.add("mode ").add(mode_name(options().mode)).add(": ");
  const struct {
    Action action;
    const char* word;
  } words[] = {{Action::unfixed, " unfixed"},   {Action::uncovered, " uncovered"}, {Action::refuse, " refused"},
               {Action::replace, " replaced"}, {Action::pin, " pinned"}};
  bool first = true;
  for (const auto& word : words) {
    const uint64_t sum = sums[static_cast<int>(word.action)];
    if (sum == 0) continue;
    line.add(first ? "" : ", ").add(sum).add(word.word);
    first = false;
  }
  if (first) return;
  line.add(" in ").add(uint64_t{processes}).add(processes == 1 ? " process" : " processes");
  line.add("; see: detshim log ").add(process().log_folder, process().log_folder_length).add('\n');
  say(line);
}

} // namespace

void close_log() {
  if (options().off()) return;
  {
    Lock guard(lock);
    if (guard.held() && file.generation == generation() && !file.failed && is_still_ours()) write_end();
  }
  if (!options().quiet && process().root_pid == process().pid) write_closing_line();
}

void remember_stderr() {
  struct stat state;
  stderr_state = sys::fstat(2, state) == 0 ? Stderr::open : Stderr::closed;
  if (stderr_state == Stderr::closed) return;
  stderr_device = state.st_dev;
  stderr_inode = state.st_ino;
}

} // namespace detshim
