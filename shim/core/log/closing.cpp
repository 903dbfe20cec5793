// Decides whether a process that drew nothing leaves a log all the same: the first one of `detshim
// run`, a program that the one before it has announced, the first one of a run whose children left
// a log, and a shell that expands something in its `-c`. What is loaded is said once for each set
// of files: a forked child refers to what another has said.
//
// It cannot know what was loaded and unloaded before the end. A process that is killed has no
// closing record, and says nothing of its files; a parent that kills it does (child_modules.h).
#include "core/log/closing.h"

#include "common/log_folder.h"
#include "common/sys.h"
#include "core/base/folder_entries.h"
#include "core/base/generations.h"
#include "core/base/placement.h"
#include "core/base/signal_safe_lock.h"
#include "core/identity/command_names.h"
#include "core/identity/process.h"
#include "core/identity/shared_page.h"
#include "core/identity/thread.h"
#include "core/log/counts.h"
#include "core/log/file_uses.h"
#include "core/log/line.h"
#include "core/log/log_file.h"
#include "core/log/module_records.h"
#include "core/log/records.h"
#include "core/log/repeated_names.h"
#include "core/log/setting_records.h"
#include "core/log/start.h"
#include "core/policy/options.h"

namespace detshim {
namespace {

using log_file::line_room;
using log_file::path_room;
using log_file::text_room;

/// The files that this process has said to be loaded, see record_modules().
struct NamedModules {
  uint64_t set = 0;
  uint32_t generation = 0;
  bool by_other = false; ///< another process's record says it
};
DETSHIM_STARTUP_DATA constinit NamedModules named_modules;

template <RecordType type>
void add_named_modules(RecordWriter<type>& record) {
  if (named_modules.by_other && named_modules.generation == generation())
    record.hash("modules", named_modules.set);
}

void write_end(uint64_t failed) {
  uint64_t sums[action_count] = {};
  sum_own_counts(sums);
  Line line(line_room, sizeof line_room);
  RecordWriter<RecordType::end> record(line);
  record.begin("counts").add('{');
  bool first = true;
  for (int i = 1; i < action_count; ++i) {
    if (sums[i] == 0)
      continue;
    line.add(first ? "\"" : ",\"").add(action_names[i]).add("\":").add(sums[i]);
    first = false;
  }
  line.add('}');
  record.decimal("time", record_time());
  add_named_modules(record);
  if (failed != 0)
    record.number("failed", failed);
  record.end();
  log_file::write(line);
}

/// The loaded objects: of each its path and its build id, each closed by a zero, in pages of the
/// kernel.
class ModulePaths {
public:
  ModulePaths() : text_(static_cast<char*>(sys::map(size))) {}
  ~ModulePaths() {
    if (text_ != nullptr)
      sys::unmap(text_, size);
  }
  ModulePaths(const ModulePaths&) = delete;
  ModulePaths& operator=(const ModulePaths&) = delete;

  /// Adds one; false if there is no room left.
  bool add(const Module& module) {
    constexpr size_t longest = 4096;
    constexpr size_t id_room = 128;
    if (text_ == nullptr || size - length_ < longest + id_room)
      return false;
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

/// The program, and what was loaded from a file; not the kernel's own object, nor ours.
void find_modules(ModulePaths& paths) {
  bool is_first = true;
  each_module([&](const Module& module) {
    const bool is_file = contains(module.path, "/") || (is_first && module.path[0] == 0);
    is_first = false;
    return is_file && !is_own(module) && !paths.add(module);
  });
}

/// A number that tells which files are loaded from other sets of them.
uint64_t set_of_modules() {
  uint64_t set = 0x6D6F64756C6573;
  any_module_path(
      [](const char* path, void* data) {
        auto& sum = *static_cast<uint64_t*>(data);
        do
          sum = (sum ^ static_cast<unsigned char>(*path)) *
                0x100000001B3; // FNV-1a, the closing zero too
        while (*path++ != 0);
        return false;
      },
      &set);
  return set | 1; // never 0
}

/// What was loaded, so that a reader can look into it for what no hook sees. The loader's lock and
/// the log's are not held at the same time: another thread may take them in the other order.
void record_modules() {
  if (!has_log())
    return;
  const sys::SignalsBlocked
      no_signals; // a handler that left by longjmp would leave the loader locked
  const uint64_t set = set_of_modules();
  // Said before an exec that failed.
  if (named_modules.generation == generation() && named_modules.set == set)
    return;
  // Of many children all have the same loaded: one of them says what.
  const bool is_further = log_file::process_number() != 0;
  const bool by_other =
      is_further && __atomic_load_n(&shared_page->named_modules, __ATOMIC_ACQUIRE) == set;
  named_modules = {set, generation(), by_other};
  if (by_other)
    return;
  ModulePaths paths;
  find_modules(paths);
  uint64_t looked_at = 0;
  for (const char* path = paths.begin(); path != paths.end(); path = after_text(after_text(path)))
    record_other_versions(path, looked_at);
  SignalSafeLock guard(log_file::lock);
  if (!guard.held())
    return;
  write_modules(paths.begin(), paths.end(), is_further ? set : 0);
  if (is_further)
    __atomic_store_n(&shared_page->named_modules, set, __ATOMIC_RELEASE);
}

/// Adds up the counts files of all processes of the run; their number.
unsigned sum_run(int folder, uint64_t (&sums)[action_count]) {
  unsigned processes = 0;
  each_entry(folder, [&](const char* name) {
    if (!ends_with(name, ".counts"))
      return false;
    const int fd = sys::openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
      return false;
    if (is_own_file(fd))
      sum_file_counts(fd, sums, &processes);
    sys::close(fd);
    return false;
  });
  return processes;
}

void write_closing_line() {
  SignalSafeLock guard(log_file::lock);
  if (!guard.held())
    return;
  { // most processes leave here
    TextWriter path(path_room, sizeof path_room);
    path.add(process().log_folder, process().log_folder_length);
    if (sys::failed(sys::call(SYS_faccessat, AT_FDCWD, sys::address(path.c_str()), F_OK)))
      return;
  }
  const int folder = log_file::open_folder();
  if (folder < 0)
    return;
  uint64_t sums[action_count] = {};
  const unsigned processes = sum_run(folder, sums);
  sys::close(folder);
  if (processes == 0)
    return;
  Line line(line_room, sizeof line_room);
  line.add("detshim: ");
  if (process().has_seed)
    line.add("seed ").add(process().seed).add(", ");
  line.add("mode ").add(mode_name(options().mode)).add(": ");
  const struct {
    Action action;
    const char* word;
  } words[] = {{Action::nondeterministic, " nondeterministic"},
               {Action::uncovered, " uncovered"},
               {Action::refuse, " refused"},
               {Action::replace, " replaced"},
               {Action::pin, " pinned"}};
  bool first = true;
  for (const auto& word : words) {
    const uint64_t sum = sums[static_cast<int>(word.action)];
    if (sum == 0)
      continue;
    line.add(first ? "" : ", ").add(sum).add(word.word);
    first = false;
  }
  if (first)
    return;
  line.add(" in ").add(uint64_t{processes}).add(processes == 1 ? " process" : " processes");
  if (process().is_of_job)
    line.add(" so far"); // the other ranks may end later
  line.add("; see: detshim log ").add(process().log_folder, process().log_folder_length).add('\n');
  log_file::say(line);
}

DETSHIM_STARTUP_DATA constinit uint32_t closed =
    0; // the generation that was: _exit may follow the destructor

bool is_root() { return process().root_pid == process().pid; }

/// True if one of those that the first process has started left a log. What it did itself, a
/// script's `$$` say, may have gone into their numbers.
bool have_children_logs() {
  if (!is_root() || is_whole_run())
    return false;
  const int folder = log_file::open_folder(false);
  if (folder < 0)
    return false;
  sys::close(folder);
  return true;
}

void record_last(void (*last_records)()) {
  last_records();
  record_undone_settings();
  record_setting_reads();
  record_modules();
}

} // namespace

void go_on_with_log() { closed = 0; }

void begin_awaited_log() {
  if (log_file::has_begun())
    return;
  const bool is_wanted = process().is_log_awaited || (is_root() && is_run_listed()) ||
                         have_children_logs() || expands_in_command();
  if (!is_wanted)
    return;
  log_file::with_lock([] {
    open_log();
  });
}

void begin_log_without_end() {
  begin_awaited_log();
  record_modules();
}

void write_exec(const char* program, bool is_awaited, void (*last_records)()) {
  record_last(last_records);
  log_file::with_lock([&] {
    if (!log_file::is_open())
      return;
    Line line(line_room, sizeof line_room);
    RecordWriter<RecordType::exec> record(line);
    record.text("thread", this_thread().path)
        .text("program", program)
        .decimal("time", record_time());
    add_named_modules(record);
    if (is_awaited)
      record.flag("awaited", true);
    record.end();
    log_file::write(line);
  });
}

void write_failed_exec(int error) {
  log_file::with_lock([&] {
    if (!log_file::is_open())
      return;
    Line line(line_room, sizeof line_room);
    RecordWriter<RecordType::exec>(line)
        .text("thread", this_thread().path)
        .number("error", static_cast<uint64_t>(error))
        .end();
    log_file::write(line);
  });
}

void close_log(void (*last_records)()) {
  if (options().off())
    return;
  if (closed == generation())
    return;
  closed = generation();
  begin_awaited_log();
  record_last(last_records);
  uint64_t failed = 0;
  log_file::with_lock([&] {
    if (!log_file::is_open())
      return;
    failed = status_after_repeated_names();
    write_end(failed);
  });
  write_counts();
  if (failed != 0 && !options().quiet && is_root())
    say_repeated_names(failed);
  if (!options().quiet && is_root())
    write_closing_line();
}

} // namespace detshim
