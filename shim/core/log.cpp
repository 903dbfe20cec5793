#include "core/log.h"

#include "core/arguments.h"
#include "core/identity.h"
#include "core/lock.h"
#include "core/log_file.h"
#include "core/log_folder.h"
#include "core/modules.h"
#include "core/options.h"
#include "core/placement.h"
#include "core/python_frames.h"
#include "core/settings.h"
#include "core/shared_page.h"
#include "core/sys.h"
#include "core/text.h"
#include "core/tuning.h"
#include "core/version.h"

namespace detshim {
namespace {

using log_file::line_room;
using log_file::path_room;
using log_file::text_room;
using Line = TextWriter;

constexpr int value_limit_of_a_place = 200; // then its further calls share one record
constexpr unsigned python_frame_limit = 4;

void add_text(Line& line, const char* key, const char* text, size_t limit = 512) {
  line.add(",\"").add(key).add("\":\"").add_json(text, limit).add('"');
}

/// Adds the variables that were set, from number `first`, as far as the line has room; the number of the
/// first that had none.
int add_changes(Line& line, int first) {
  constexpr size_t line_is_full = 3400;
  int count = 0;
  const SettingChange* changes = setting_changes(count);
  int i = first;
  line.add(",\"env\":[");
  for (; i < count && line.length() < line_is_full; ++i) {
    line.add(i == first ? "{\"name\":\"" : ",{\"name\":\"").add(changes[i].name).add("\",\"was\":");
    if (changes[i].was != nullptr)
      line.add('"').add_json(changes[i].was, 200).add('"');
    else
      line.add("null");
    line.add(",\"now\":\"").add_json(changes[i].now, 300).add("\"}");
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
    line.add("{\"t\":\"env\"");
    first = add_changes(line, first);
    line.add('}');
    log_file::write(line);
  }
}

/// The variables that are left alone and matter, where they are set.
void write_noted() {
  Line line(line_room, sizeof line_room);
  each_noted_setting(
      [](const char* name, const char* value, void* data) {
        Line& to = *static_cast<Line*>(data);
        to.add(to.length() == 0 ? "{\"t\":\"env\",\"noted\":[" : ",").add("{\"name\":\"").add(name);
        to.add("\",\"value\":\"").add_json(value, 100).add("\"}");
      },
      &line);
  if (line.length() == 0) return;
  line.add("]}");
  log_file::write(line);
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
  const int fd = sys::openat(AT_FDCWD, "/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  const long size = fd < 0 ? 0 : sys::read(fd, text_room, 1600);
  if (fd >= 0) sys::close(fd);
  add_arguments(line, text_room, size > 0 ? static_cast<size_t>(size) : 0);
  add_text(line, "mode", mode_name(options().mode));
  add_text(line, "policy", policy_name(options().policy));
  if (me.has_seed)
    line.add(",\"seed\":\"")
        .add(me.seed)
        .add("\",\"seed_from\":\"")
        .add(me.seed_drawn ? "drawn" : "DETSHIM_SEED")
        .add('"');
  else
    line.add(",\"seed\":null,\"seed_from\":null");
  if (*options().disable != 0) add_text(line, "disabled", options().disable);
  constexpr long ask = 0xffffffff;
  constexpr long no_randomize = 0x0040000; // ADDR_NO_RANDOMIZE, personality(2)
  add_text(line, "layout", (sys::call(SYS_personality, ask) & no_randomize) != 0 ? "fixed" : "random");
  static constinit bool are_written = false; // by the process that this one was forked from
  if (are_written) {
    line.add('}');
    log_file::write(line);
    return;
  }
  are_written = true;
  const int written = add_changes(line, 0);
  line.add('}');
  log_file::write(line);
  write_more_changes(written);
  write_noted();
}

/// The start of a process that writes in another's file: what it does not say is as in the start before it.
void write_start_in_shared_file() {
  Line line(line_room, sizeof line_room);
  line.add("{\"t\":\"start\",\"v\":2,\"pid\":").add(static_cast<uint64_t>(process().pid));
  add_text(line, "path", process().path);
  line.add('}');
  log_file::write(line, true);
}

/// Opens the log of this process; true if records can be written, of which one must be.
bool open_log() {
  const log_file::Opened opened = log_file::open();
  if (opened == log_file::Opened::now) write_start();
  if (opened == log_file::Opened::joined) write_start_in_shared_file();
  return opened != log_file::Opened::no;
}

/// Adds the object's build id in hexadecimal; nothing where it has none.
void add_build_id(Line& line, const Module& module) {
  size_t length = 0;
  const unsigned char* id = build_id(module, length);
  for (size_t i = 0; id != nullptr && i < length; ++i) line.add_hex(id[i], 2);
}

constinit uintptr_t told_builds[64] = {}; // by the base of the object
constinit unsigned told_build_count = 0;

/// Before the first call from an object: which build of it this is. A place in it means nothing in another. A
/// forked child says no more of what its parent has said; what finds no room here is named at the end.
void write_build(const void* caller) {
  Module module;
  if (!find_module(caller, module)) return;
  for (unsigned i = 0; i < told_build_count; ++i)
    if (told_builds[i] == module.base) return;
  if (told_build_count == sizeof told_builds / sizeof *told_builds) return;
  told_builds[told_build_count++] = module.base;
  Line line(line_room, sizeof line_room);
  line.add("{\"t\":\"build\",\"file\":\"");
  module_path(module, path_room, 600);
  line.add_json(path_room).add("\",\"id\":\"");
  const size_t before = line.length();
  add_build_id(line, module);
  if (line.length() == before) return;
  line.add("\"}");
  log_file::write(line, true);
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

DETSHIM_STARTUP_DATA constinit Counter unwritten = {}; // records of Action::observe before there is a log

} // namespace

Counter* record(const Subject& subject, Action action, const void* caller, const char* why,
                std::initializer_list<Value> values) {
  Thread& thread = this_thread();
  // What was drawn, given or let go ahead here is this process's own; what was only seen leaves its name
  // alone.
  if (action != Action::observe && action != Action::uncovered) mark_drawn();
  if (action == Action::pin && thread.path[0] == '?') {
    action = Action::unfixed;
    why = "pinned, but no hook saw the thread being made: which of such threads has which stream is a race";
  }
  const uint64_t place =
      hash(hash(reinterpret_cast<uintptr_t>(caller), reinterpret_cast<uintptr_t>(subject.symbol)),
           static_cast<uint64_t>(action) | uint64_t{draw_epoch()} << 8);
  uint64_t key = place;
  for (const Value& value : values) key = hash(key, value);
  if (const uint64_t* known = thread.places.find(key)) {
    auto* counter = reinterpret_cast<Counter*>(*known);
    count(*counter);
    return counter;
  }
  // Who asks for counts of kernels wants to read them, whatever else happens.
  if (action == Action::observe && !log_file::has_begun() && !options().kernels) {
    ++unwritten.number;
    return &unwritten;
  }

  Lock guard(log_file::lock);
  const uint64_t place_key = hash(place, 0x706C616365);
  const bool full = thread.places.insert(place_key)++ >= value_limit_of_a_place;
  if (full) {
    key = hash(place, 0x66756C6C);
    why = "further calls from this place, values not written";
    if (const uint64_t* known = thread.places.find(key)) {
      auto* counter = reinterpret_cast<Counter*>(*known);
      count(*counter);
      return counter;
    }
  }

  const bool writable = guard.held() && open_log();
  int64_t index = -1;
  Counter* counter = new_counter(action, index);
  thread.places.insert(key) = reinterpret_cast<uintptr_t>(counter);
  if (writable) {
    write_build(caller);
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
    log_file::write(line);
  }
  count(*counter);
  return counter;
}

void record_library(const char* name, const char* library_file, const char* library_version) {
  Lock guard(log_file::lock);
  if (!guard.held() || !open_log()) return;
  Line line(line_room, sizeof line_room);
  line.add("{\"t\":\"library\"");
  add_text(line, "lib", name);
  add_text(line, "file", library_file);
  if (library_version != nullptr) add_text(line, "version", library_version);
  line.add('}');
  log_file::write(line);
}

void begin_log(const char* what) {
  if (options().off()) return;
  Lock guard(log_file::lock);
  if (!guard.held() || !open_log()) return;
  Line line(line_room, sizeof line_room);
  line.add("{\"t\":\"rights\"");
  add_text(line, "fn", what);
  line.add('}');
  log_file::write(line);
}

void prepare_log_for(char* const argv[], bool spawns) {
  if (options().off()) return;
  if (!spawns) write_counts();
  Lock guard(log_file::lock);
  if (!guard.held() || log_file::is_within_reach()) return;
  static constinit int said_by = 0; // once: it may try several paths
  if (const int me = sys::getpid(); !spawns && said_by == me)
    return;
  else
    said_by = me;
  log_file::write_lost(argv != nullptr && argv[0] != nullptr ? argv[0] : "?",
                       "executed there as a user, or under a root, that cannot write in the log's folder");
}

bool has_log() {
  Lock guard(log_file::lock);
  return guard.held() && log_file::is_open();
}

void record_line(const char* text, size_t length) {
  Lock guard(log_file::lock);
  if (!guard.held() || !log_file::is_open()) return;
  Line line(line_room, sizeof line_room);
  line.add(text, length);
  log_file::write(line);
}

namespace {

DETSHIM_STARTUP_DATA constinit uint64_t told_modules = 0; // the set that this process refers to, see record_modules()

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
  line.add('}');
  if (log_file::process_number() != 0 && told_modules != 0) line.add(",\"modules\":\"").add_hex(told_modules, 16).add('"');
  line.add('}');
  log_file::write(line);
}

/// The loaded objects: of each its path and its build id, each closed by a zero, in pages of the kernel.
class ModulePaths {
public:
  ModulePaths() : text_(static_cast<char*>(sys::map(size))) {}
  ~ModulePaths() {
    if (text_ != nullptr) sys::unmap(text_, size);
  }
  ModulePaths(const ModulePaths&) = delete;
  ModulePaths& operator=(const ModulePaths&) = delete;

  /// Adds one; false if there is no room left.
  bool add(const Module& module) {
    constexpr size_t longest = 4096;
    constexpr size_t id_room = 128;
    if (text_ == nullptr || size - length_ < longest + id_room) return false;
    module_path(module, text_ + length_, longest);
    length_ += text_length(text_ + length_) + 1;
    TextWriter id(text_ + length_, id_room);
    add_build_id(id, module);
    length_ += text_length(id.c_str()) + 1;
    return true;
  }
  const char* begin() const { return text_; }
  const char* end() const { return text_ + length_; }

private:
  static constexpr size_t size = 1 << 20; // pages that are not written cost nothing
  char* text_;
  size_t length_ = 0;
};

/// The program, and what was loaded from a file; not the kernel's own object, nor ours. Until visit(module) is true.
template <typename Visit>
void each_module_file(Visit visit) {
  bool is_first = true;
  each_module([&](const Module& module) {
    const bool is_file =
        is_first ? module.path[0] == 0 || contains(module.path, "/") : contains(module.path, "/");
    is_first = false;
    return is_file && !is_own(module) && visit(module);
  });
}

/// A number that tells the loaded objects of a process from others of processes that were forked from the same one.
uint64_t set_of_modules() {
  uint64_t set = 0x6D6F64756C6573;
  each_module_file([&set](const Module& module) {
    set = hash(set, module.base);
    for (const char* c = module.path; *c != 0; ++c) set = hash(set, static_cast<unsigned char>(*c));
    return false;
  });
  return set | 1; // never 0
}

const char* after(const char* text) { return text + text_length(text) + 1; }

/// `set`: what others may refer to; 0 for none.
void write_modules(const ModulePaths& paths, uint64_t set) {
  constexpr size_t line_is_long = 3000; // then the next path begins another line
  constexpr size_t longest_path = 3900;
  for (const char* path = paths.begin(); path != paths.end();) {
    Line line(line_room, sizeof line_room);
    line.add("{\"t\":\"modules\",\"files\":[");
    const char* const first = path;
    size_t ids = 0; // their length: they come behind the paths
    for (const char* before = "\""; path != paths.end(); before = ",\"") {
      const char* const id = after(path);
      if (*before == ',' && line.length() + text_length(path) + ids > line_is_long) break;
      line.add(before).add_json(path, longest_path).add('"');
      ids += text_length(id) + 3;
      path = after(id);
    }
    line.add("],\"builds\":[");
    for (const char* of = first; of != path; of = after(after(of)))
      line.add(of == first ? "\"" : ",\"").add(after(of)).add('"');
    line.add(']');
    if (set != 0) line.add(",\"set\":\"").add_hex(set, 16).add('"');
    line.add('}');
    log_file::write(line);
  }
}

/// What was loaded, so that a reader can look into it for what no hook sees. The loader's lock and the log's
/// are not held at the same time: another thread may take them in the other order.
void record_modules() {
  if (!has_log()) return;
  const sys::SignalsBlocked no_signals; // a handler that left by longjmp would leave the loader locked
  // Of many children all have the same loaded: one of them says what.
  const uint64_t set = log_file::process_number() != 0 ? set_of_modules() : 0;
  if (set != 0 && __atomic_load_n(&shared_page->told_modules, __ATOMIC_ACQUIRE) == set) {
    told_modules = set;
    return;
  }
  ModulePaths paths;
  each_module_file([&paths](const Module& module) { return !paths.add(module); });
  Lock guard(log_file::lock);
  if (!guard.held()) return;
  write_modules(paths, set);
  if (set != 0) __atomic_store_n(&shared_page->told_modules, set, __ATOMIC_RELEASE);
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
      const int fd = sys::openat(folder, entry->name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
      if (fd < 0) continue;
      if (is_own_file(fd) && sum_file_counts(fd, sums, &processes)) ++processes;
      sys::close(fd);
    }
  }
}

void write_closing_line() {
  Lock guard(log_file::lock);
  if (!guard.held()) return;
  { // most processes leave here
    TextWriter path(path_room, sizeof path_room);
    path.add(process().log_folder, process().log_folder_length);
    if (sys::failed(sys::call(SYS_faccessat, AT_FDCWD, sys::address(path.c_str()), 0))) return;
  }
  bool made = false;
  const int folder = log_file::open_folder(false, made);
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
  } words[] = {{Action::unfixed, " unfixed"},
               {Action::uncovered, " uncovered"},
               {Action::refuse, " refused"},
               {Action::replace, " replaced"},
               {Action::pin, " pinned"}};
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
  log_file::say(line);
}

DETSHIM_STARTUP_DATA constinit uint32_t closed =
    0; // the generation that was: _exit may follow the destructor

} // namespace

void close_log(void (*last_records)()) {
  if (options().off()) return;
  flush_tuning();
  if (closed == generation()) return;
  closed = generation();
  last_records();
  record_silent_undoings();
  record_modules();
  {
    Lock guard(log_file::lock);
    if (guard.held() && log_file::is_open()) write_end();
  }
  write_counts();
  if (!options().quiet && process().root_pid == process().pid) write_closing_line();
}

} // namespace detshim
