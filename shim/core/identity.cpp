#include "core/identity.h"

#include "core/children.h"
#include "core/command_names.h"
#include "core/environment.h"
#include "core/lock.h"
#include "core/log_file.h"
#include "core/modules.h"
#include "core/names.h"
#include "core/options.h"
#include "core/placement.h"
#include "core/shared_page.h"
#include "core/sys.h"
#include "core/text.h"
#include "core/thread_memory.h"

#include <cstdlib>
#include <initializer_list>
#include <pthread.h>
#include <sys/auxv.h>
#include <time.h>

extern "C" {
extern char** environ;
extern char __start_detshim_thread[] __attribute__((visibility("hidden")));
extern char __stop_detshim_thread[] __attribute__((visibility("hidden")));
}

namespace detshim {
namespace detail {

thread_local constinit Thread thread;
constinit AtThreadEnd* call_at_thread_end = nullptr;

constinit GenerationPage generation_page = {};

} // namespace detail

DETSHIM_STARTUP_DATA constinit SharedPage* shared_page = nullptr;

namespace {

DETSHIM_STARTUP_DATA constinit Process self;
DETSHIM_STARTUP_DATA constinit uint32_t children = 0;  // of this process, made so far
DETSHIM_STARTUP_DATA constinit uint64_t hidden = 0;    // the child that libc is making, see HiddenChild
DETSHIM_STARTUP_DATA constinit uint64_t takeovers = 0; // wrappers that handed this name on, see ProcessName
DETSHIM_STARTUP_DATA constinit bool drawn = false;
DETSHIM_STARTUP_DATA constinit bool device_replaced = false;
DETSHIM_STARTUP_DATA constinit bool made_threads = false; // then which thread's child comes first is a race
DETSHIM_STARTUP_DATA constinit uint64_t children_lock = 0;
DETSHIM_STARTUP_DATA constinit uint32_t last_generation = 0;
DETSHIM_STARTUP_DATA constinit uint32_t last_epoch = 0;
DETSHIM_STARTUP_DATA constinit bool has_robust_list = false; // this process, see is_own_memory
DETSHIM_STARTUP_DATA constinit uint32_t unnamed_threads = 0; // that no hook saw being made
void copy_path(PathText& to, const PathText& from) { __builtin_memcpy(to, from, sizeof(PathText)); }

// ------------------------------------------------------------------ the internal variable

// In the environment itself, so that whatever libc executes by itself takes along what holds at that moment.
// Also where the log folder's name is kept.
constinit RunEntry published = {}; // a page of its own size
DETSHIM_STARTUP_DATA constinit bool is_published = false;

RunVariable own_variable() {
  RunVariable variable;
  variable.root_pid = self.root_pid;
  variable.writer_pid = hidden == 0 ? self.pid : 0;
  variable.writer_drew = drawn || children != 0;
  variable.rank_plus_1 = self.rank_given ? static_cast<uint64_t>(self.rank) + 1 : 0;
  variable.mode = options().mode;
  variable.policy = options().policy;
  variable.has_seed = self.has_seed;
  variable.seed_drawn = self.seed_drawn;
  variable.seed = self.seed;
  variable.key = self.key;
  variable.hidden = hidden;
  variable.takeovers = takeovers;
  variable.device_replaced = device_replaced;
  variable.is_trapped = self.is_trapped;
  copy_path(variable.path, self.path);
  __builtin_memcpy(variable.run, self.run, sizeof variable.run);
  variable.log_is_default = self.log_is_default;
  variable.log_folder = self.log_folder;
  variable.log_folder_length = self.log_folder_length;
  return variable;
}

void write_variable() { write_run_entry(published, own_variable()); }

/// Moves the log folder's name to where it is kept.
void keep_log_folder(const char* folder, size_t length) {
  self.log_folder = folder;
  self.log_folder_length = length;
  write_variable();
  self.log_folder = folder_in_entry(published);
}

/// An entry for one process alone: it takes the name as it stands. `pid` is that process's, or 0 where it is
/// not known.
void write_entry_for(RunEntry& entry, const ProcessName& name, int pid) {
  RunVariable variable = own_variable();
  variable.writer_pid = pid;
  variable.writer_drew = false;
  variable.hidden = 0;
  variable.takeovers = name.takeovers;
  variable.key = name.key;
  copy_path(variable.path, name.path);
  write_run_entry(entry, variable);
}

// ------------------------------------------------------------------ the first process

void read_rank() {
  for (const char* name : rank_variables) {
    uint64_t rank = 0;
    const char* value = environment_value(name);
    if (value == nullptr || !parse_seed(value, rank) || rank > highest_rank) continue;
    self.rank_given = true;
    self.rank = static_cast<int>(rank);
    return;
  }
}

/// Below 2^53, so that the number survives every tool that reads it.
uint64_t random_seed() {
  uint64_t number = 0;
  sys::call(SYS_getrandom, sys::address(&number), sizeof number, 0);
  return number >> 11;
}

void draw_seed_if_needed() {
  if (self.has_seed || !options().pins()) return;
  self.seed = random_seed();
  self.seed_drawn = self.has_seed = true;
}

/// Date and time of a moment in UTC, as 20261121T003512. Days to date: H. Hinnant, "chrono-Compatible
/// Low-Level Date Algorithms", civil_from_days.
void add_time(TextWriter& text, int64_t seconds) {
  const int64_t days = seconds / 86400 + 719468;
  const auto rest = static_cast<uint64_t>(seconds % 86400);
  const auto day_of_era = static_cast<uint64_t>(days % 146097);
  const uint64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const uint64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const uint64_t m = (5 * day_of_year + 2) / 153;
  const uint64_t month = m < 10 ? m + 3 : m - 9;
  const auto two = [&text](uint64_t number) {
    text.add(static_cast<char>('0' + number / 10)).add(number % 10);
  };
  text.add(year_of_era + static_cast<uint64_t>(days / 146097) * 400 + (month <= 2 ? 1 : 0));
  two(month);
  two(day_of_year - (153 * m + 2) / 5 + 1);
  text.add('T');
  two(rest / 3600), two(rest / 60 % 60), two(rest % 60);
}

/// The folder of the log as an absolute path: what a child in another working directory must see too.
void choose_log_folder() {
  Text<3600> folder; // in the constructor, or in the first thread's first draw before it
  const char* asked = options().log;
  self.log_is_default = *asked == 0;
  if (*asked != '/') {
    char here[3000];
    if (sys::failed(sys::call(SYS_getcwd, sys::address(here), sizeof here))) here[0] = '.', here[1] = 0;
    folder.add(here).add('/');
  }
  if (self.log_is_default)
    folder.add("detshim-log/").add(self.run);
  else
    folder.add(asked);
  keep_log_folder(folder.c_str(), folder.length());
}

void begin_run() {
  self.root_pid = self.pid;
  // By system call: a sanitizer's clock_gettime is not ready while its runtime starts.
  timespec now = {};
  sys::call(SYS_clock_gettime, CLOCK_REALTIME, sys::address(&now));
  uint16_t random = 0; // containers start at the same process id each time
  sys::call(SYS_getrandom, sys::address(&random), sizeof random, 0);
  Text<32> run;
  add_time(run, now.tv_sec);
  run.add('-').add(static_cast<uint64_t>(self.pid)).add('-').add_hex(random, 4);
  __builtin_memcpy(self.run, run.c_str(), run.length() + 1);
  choose_log_folder();
  draw_seed_if_needed();
}

/// The path starts here: the first process of the run, or of a rank. A launcher without a rank and its rank 0
/// have streams of their own; both begin with the seed's native sequences.
void begin_path() {
  self.is_first = self.rank == 0;
  self.key = derive(self.seed, label_rank + (self.rank_given ? static_cast<uint64_t>(self.rank) + 1 : 0));
  self.path[0] = '0';
  self.path[1] = 0;
  takeovers = 0;
}

/// Takes over what the parent decided. False without a parent.
bool join_run() {
  RunVariable run;
  if (!read_run_variable(run)) return false;
  self.root_pid = run.root_pid;
  self.key = run.key;
  takeovers = run.takeovers;
  device_replaced = run.device_replaced;
  self.is_trapped = run.is_trapped;
  copy_path(self.path, run.path);
  __builtin_memcpy(self.run, run.run, sizeof self.run);
  self.log_is_default = run.log_is_default;
  keep_log_folder(run.log_folder, run.log_folder_length);
  draw_seed_if_needed(); // for a child that was given another mode

  if (const char* folder = options().log;
      *folder == '/' && !(text_length(folder) == run.log_folder_length &&
                          __builtin_memcmp(folder, run.log_folder, run.log_folder_length) == 0)) {
    self.root_pid = self.pid; // a log of its own: it closes that itself
    choose_log_folder();
  }
  if (self.has_seed && (!run.has_seed || self.seed != run.seed)) {
    begin_path(); // a seed of its own: what ./train draws under that seed
  } else if (self.rank_given && run.rank_plus_1 != static_cast<uint64_t>(self.rank) + 1) {
    begin_path(); // a launcher started this rank: it is itself again, whoever launched it and how often
  } else if (run.hidden != 0) { // a child that libc makes and executes by itself: popen
    takeovers = 0;
    self.key = derive(derive(self.key, label_hidden), run.hidden);
    extend_path(self.path, "u", run.hidden, self.key);
  } else if (run.writer_pid == 0 || (run.writer_pid == self.pid && !run.writer_drew)) {
    self.is_first = self.rank == 0 && same_text(self.path, "0");
  } else if (run.writer_pid == self.pid) { // this process turned into another program behind our back
    takeovers = 0;
    self.key = derive(self.key, label_exec);
    extend_path(self.path, "e", 0, self.key);
  } else { // started behind every hook, as by a program that the library is not in
    takeovers = 0;
    self.key = derive(self.key, label_hidden);
    extend_path(self.path, "u", 0, self.key);
  }
  return true;
}

/// True if the calling task has a list of robust mutexes. libc gives one to each of its threads and to the
/// child of each fork; a vfork child has none.
bool is_robust() {
  const void* head = nullptr;
  size_t size = 0;
  return !sys::failed(sys::call(SYS_get_robust_list, 0, sys::address(&head), sys::address(&size))) &&
         head != nullptr;
}

/// Gives this process a new generation, so that every thread's state is made again.
void new_generation() {
  forget_places();
  __atomic_store_n(&detail::generation_page.generation, ++last_generation, __ATOMIC_RELEASE);
}

void establish_process() {
  self.pid = sys::getpid();
  has_robust_list = is_robust();
  self.seed = options().seed;
  self.has_seed = options().has_seed;
  self.seed_drawn = options().seed_drawn;
  read_rank();
  if (!join_run()) {
    begin_run();
    begin_path();
  }

  constexpr long madv_wipe_on_fork = 18;
  sys::call(SYS_madvise, sys::address(&detail::generation_page), sizeof detail::generation_page,
            madv_wipe_on_fork);
}

// ------------------------------------------------------------------ children

/// Names a child of the process that `key` and `path` name by what it executes.
void name_by_command(ProcessName& name, uint64_t key, const PathText& path, CommandCounts* counts,
                     char* const argv[]) {
  const uint64_t hash = command_hash(argv);
  const uint64_t before = counts != nullptr ? count_command(counts, hash) : 0;
  name.is_first = false;
  name.takeovers = 0;
  name.key = derive(derive(derive(key, label_command), hash), before);
  copy_path(name.path, path);
  Text<16> step;
  step.add(".x").add_hex(hash >> 32, 8);
  extend_path(name.path, step.c_str(), 0, name.key);
  if (before != 0) extend_path(name.path, "-", before + 1, name.key);
}

/// Names the child process with that ordinal of a thread's. The ordinals are the thread's own: threads that
/// make children at once do not race for them.
void name_by_order(ProcessName& name, const Thread& thread, uint64_t ordinal) {
  name.is_first = false;
  name.takeovers = 0;
  name.key = derive(derive(self.key, thread.label), label_child + ordinal);
  copy_path(name.path, self.path);
  if (thread.label != 0)
    extend_path(name.path, ".t", 0, name.key), extend_path(name.path, thread.path, 0, name.key);
  extend_path(name.path, ".", ordinal, name.key);
}

/// Counts a child process that is about to be made, and has it take over this process's name (into `name`) if
/// it may; true if it does. What a wrapper does after its first child is its own. Once a process has
/// children, its key stays what it is.
bool count_child(ProcessName& name) {
  Lock guard(children_lock);
  const bool takes_over = !drawn && children == 0 && !made_threads && !first_child_is_a_race();
  const bool is_first = children++ == 0; // from now on the published state is that of a process with children
  if (takes_over) {
    name.is_first = self.is_first;
    name.takeovers = takeovers + 1;
    name.key = self.key;
    copy_path(name.path, self.path);
    self.is_first = false;
    self.key = derive(self.key, label_wrapper + takeovers);
    extend_path(self.path, "w", takeovers, self.key);
    takeovers = 0;
    new_generation();
  }
  if (is_first) write_variable(); // a page that every fork would have to copy again
  return takes_over;
}

/// Counts a child process that is about to execute the program with that command line, and names it.
void take_child_name(ProcessName& name, char* const argv[]) {
  Thread& thread = this_thread();
  const uint64_t ordinal = ++thread.forks;
  if (count_child(name)) return;
  if (names_by_command())
    name_by_command(name, self.key, self.path, command_counts(), argv);
  else
    name_by_order(name, thread, ordinal);
}

// What the first child of a process takes over. There is one such child at most.
constinit ProcessName handed_on = {};

// In a forked child whose parent names its children by their commands: that parent, until the child executes
// something.
DETSHIM_STARTUP_DATA constinit struct {
  CommandCounts* counts; // nullptr: no such parent
  uint64_t key;
  PathText path;
} spawner = {};

// Threads may fork at the same time: since 2.36, glibc holds no lock around the handlers. So the decision is
// the forking thread's, whose memory goes into the child with it.
void before_fork() {
  share_page();
  log_file::offer_to_children(); // while this process still has the name that its files say
  Thread& thread = this_thread();
  ++thread.forks;
  thread.fork = count_child(handed_on) ? PendingFork::takes_over : PendingFork::child;
  if (names_by_command()) command_counts(); // what is made now is shared
}

void after_fork_in_parent() { detail::thread.fork = PendingFork::none; }

/// Names this process, which no handler announced: clone(2), a system call. Where it has no number in common
/// with its parent's other children, its process id keeps it apart.
void name_unannounced() {
  const uint64_t ordinal = shared_page != nullptr ? __atomic_add_fetch(&shared_page->unannounced, 1, __ATOMIC_RELAXED)
                                                  : uint64_t{1} << 31 | static_cast<uint32_t>(sys::getpid());
  self.key = derive(self.key, label_unannounced + ordinal);
  extend_path(self.path, ".u", ordinal, self.key);
  self.is_first = false;
  takeovers = 0;
}

void become_child() {
  Thread& thread = detail::thread; // if fork made this process: the one that called it
  distrust_loader_lock();
  made_threads = false;
  spawner.counts = nullptr;
  if (thread.fork == PendingFork::takes_over) {
    self.is_first = handed_on.is_first;
    self.key = handed_on.key;
    takeovers = handed_on.takeovers;
    copy_path(self.path, handed_on.path);
  } else if (thread.fork == PendingFork::child) {
    if (names_by_command()) {
      spawner.counts = command_counts();
      spawner.key = self.key;
      copy_path(spawner.path, self.path);
    }
    ProcessName name;
    name_by_order(name, thread, thread.forks);
    self.is_first = false;
    self.key = name.key;
    takeovers = 0;
    copy_path(self.path, name.path);
  } else {
    name_unannounced();
  }
  thread.fork = PendingFork::none;
  self.pid = sys::getpid();
  has_robust_list = is_robust();
  drawn = false;
  children = 0;
  hidden = 0;
  unnamed_threads = 0;
  forget_command_counts();
  write_variable();
}

void after_fork_in_child() {
  // The page is wiped already. Written before it is read, it costs one fault and not two.
  __atomic_store_n(&detail::generation_page.generation, 0, __ATOMIC_RELAXED);
  process();
}

DETSHIM_STARTUP_DATA constinit int establishing = 0; // the thread that is at it

} // namespace

const Process& process() {
  if (__builtin_expect(generation() != 0, 1)) return self;
  // First call, or a child that no handler announced. Constructors run in one thread; a second thread that
  // comes at the same moment waits.
  const sys::SignalsBlocked no_signals;
  const int me = sys::gettid();
  for (int owner = 0;
       !__atomic_compare_exchange_n(&establishing, &owner, me, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
       owner = 0) {
    if (owner == me || generation() != 0) return self;
    sys::call(SYS_sched_yield);
  }
  if (generation() == 0) {
    if (last_generation == 0)
      establish_process();
    else
      become_child();
    new_generation();
  }
  __atomic_store_n(&establishing, 0, __ATOMIC_RELEASE);
  return self;
}

void forget_places() {
  __atomic_store_n(&detail::generation_page.draw_epoch, __atomic_add_fetch(&last_epoch, 1, __ATOMIC_RELAXED),
                   __ATOMIC_RELEASE);
}

void mark_drawn() {
  if (__atomic_exchange_n(&drawn, true, __ATOMIC_RELAXED)) return;
  share_page();
  Lock guard(children_lock);
  write_variable();
}

uint64_t bearers_before() { return process(), takeovers; }

bool is_alone() {
  const Process& me = process();
  return !me.rank_given && !made_threads && children == 0 && same_text(me.path, "0");
}

void share_page() {
  process();
  if (shared_page != nullptr) return;
  Lock guard(children_lock);
  if (shared_page == nullptr) shared_page = static_cast<SharedPage*>(sys::map_shared(sizeof(SharedPage)));
}

bool is_own_memory() {
  if (sys::getpid() != process().pid) return false;
  // In a PID namespace of its own, a vfork child has its parent's number where that is 1 too.
  return !has_robust_list || sys::gettid() != self.pid || is_robust();
}

uint64_t stream_key(const Thread& thread, Kind kind, uint64_t k) {
  return derive(derive(thread.key, static_cast<uint64_t>(kind)), k);
}

namespace detail {

void establish_thread(Thread& me) {
  const sys::SignalsBlocked no_signals;
  const Process& owner = process();
  if (me.generation != 0) { // what it holds was made for another process, or under another name
    me.places.clear();
    me.count_block_left = 0;
  }
  const bool forked = me.pid != 0 && me.pid != owner.pid;
  if (forked) me.children = me.forks = me.events = 0;
  if (forked || me.path[0] == 0) {
    // The thread that forked is the child's main thread. Those that no hook saw being made are told apart by
    // the order in which they come, which record() does not call pinned. (A vfork child asks as the thread
    // whose memory it borrows, which is established already.)
    const bool is_main = forked || sys::gettid() == owner.pid;
    me.path[0] = is_main ? '0' : '?';
    me.path[1] = 0;
    me.label = 0;
    if (!is_main) {
      made_threads = true;
      const uint32_t ordinal = __atomic_add_fetch(&unnamed_threads, 1, __ATOMIC_RELAXED);
      me.label = label_unannounced + ordinal;
      extend_path(me.path, "", ordinal, me.label);
    }
  }
  me.pid = owner.pid;
  me.is_first = owner.is_first && me.label == 0;
  me.key = derive(owner.key, me.label);
  me.records = 0;
  me.generation = generation();
}

} // namespace detail

ThreadName name_new_thread() {
  Thread& creator = this_thread();
  made_threads = true;
  ThreadName name;
  const uint32_t ordinal = ++creator.children;
  name.label = derive(creator.label, ordinal);
  __builtin_memcpy(name.path, creator.path, sizeof name.path);
  extend_path(name.path, ".", ordinal, name.label);
  return name;
}

ThreadName name_new_event() {
  Thread& creator = this_thread();
  made_threads = true;
  ThreadName name;
  const uint32_t ordinal = ++creator.events;
  name.label = derive(creator.label, label_event + ordinal);
  __builtin_memcpy(name.path, creator.path, sizeof name.path);
  extend_path(name.path, ".e", ordinal, name.label);
  return name;
}

ThreadName name_of_event(const ThreadName& event, uint64_t n) {
  ThreadName name = event;
  name.label = derive(event.label, n);
  extend_path(name.path, ".", n, name.label);
  return name;
}

void enter_thread(const ThreadName& name) {
  Thread& thread = detail::thread;
  thread.label = name.label;
  __builtin_memcpy(thread.path, name.path, sizeof thread.path);
}

namespace {

/// The name of the vfork child that Thread::sharing_child is: it may try several paths.
DETSHIM_THREAD_MEMORY ProcessName sharing_child_name_of_thread = {};

size_t thread_memory_size() { return static_cast<size_t>(__stop_detshim_thread - __start_detshim_thread); }

} // namespace

ptrdiff_t detail::make_thread_memory(Thread& me) {
  const sys::SignalsBlocked no_signals;
  if (me.memory != 0) return me.memory; // a handler was here
  auto* const memory = static_cast<char*>(sys::map(thread_memory_size()));
  if (memory == nullptr) return 0;
  if (me.lives != 0 && call_at_thread_end != nullptr) call_at_thread_end();
  return me.memory = memory - __start_detshim_thread;
}

void leave_thread() {
  const sys::SignalsBlocked no_signals;
  Thread& thread = detail::thread;
  thread.places.clear();
  if (thread.memory == 0) return;
  sys::unmap(__start_detshim_thread + thread.memory, thread_memory_size());
  thread.memory = 0;
  // Streams that have lost their places begin anew; not where they began before.
  thread.label = derive(thread.label, label_rest + ++thread.lives);
  thread.key = derive(process().key, thread.label);
}

namespace {

/// A number of this task's that no other one has at the time: the process id in the namespace of /proc, for
/// a vfork child in a namespace of its own is 1 like the one before it. Without /proc, the process id.
uint64_t number_of_task() {
  char text[16];
  uint64_t number = 0;
  if (sys::failed(sys::readlink("/proc/self", text, sizeof text)))
    number = static_cast<uint32_t>(sys::getpid());
  else
    for (const char* c = text; *c >= '0' && *c <= '9'; ++c)
      number = number * 10 + static_cast<uint64_t>(*c - '0');
  return number;
}

} // namespace

void write_exec_entry(RunEntry& entry, char* const argv[]) {
  if (!is_own_memory()) { // a vfork child, in its parent's memory
    Thread& thread = this_thread();
    ProcessName& name = of_this_thread(sharing_child_name_of_thread);
    if (const uint64_t task = number_of_task(); thread.sharing_child != task) {
      take_child_name(name, argv);
      thread.sharing_child = task;
    }
    return write_entry_for(entry, name, sys::getpid());
  }
  ProcessName name = {self.is_first, takeovers, self.key, {}};
  copy_path(name.path, self.path);
  if (spawner.counts != nullptr && !drawn && children == 0) {
    name_by_command(name, spawner.key, spawner.path, spawner.counts, argv);
    self.key = name.key; // for good: this attempt may fail and another follow
    copy_path(self.path, name.path);
    spawner.counts = nullptr;
    new_generation();
  } else if (drawn || children != 0) {
    name.takeovers = 0;
    name.key = derive(self.key, label_exec);
    extend_path(name.path, "e", 0, name.key);
  }
  write_entry_for(entry, name, self.pid);
}

void write_spawn_entry(RunEntry& entry, char* const argv[]) {
  ProcessName name;
  take_child_name(name, argv);
  write_entry_for(entry, name, 0);
}

void mark_device_replaced() {
  if (__atomic_exchange_n(&device_replaced, true, __ATOMIC_RELAXED)) return;
  Lock guard(children_lock);
  write_variable();
}

bool device_was_replaced() { return __atomic_load_n(&device_replaced, __ATOMIC_RELAXED); }

// Its lock keeps no signals away: the child would have them blocked. What leaves popen by longjmp leaves
// libc's own lock of popen behind as well.
namespace {
constinit uint64_t hidden_lock = 0;
}

HiddenChild::HiddenChild() : turn_(hidden_lock) {
  Thread& thread = this_thread();
  const uint64_t ordinal = ++thread.forks;
  Lock guard(children_lock);
  ++children;
  hidden = thread.label == 0 ? ordinal : derive(thread.label, label_hidden + ordinal) | uint64_t{1} << 63;
  write_variable();
}

HiddenChild::~HiddenChild() {
  Lock guard(children_lock);
  hidden = 0;
  write_variable();
}

UnseenFork::UnseenFork() { before_fork(); }
UnseenFork::~UnseenFork() { after_fork_in_parent(); }

void publish_identity() {
  this_thread();
  is_published = true;
  write_variable();
  put_in_environment(published);
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

} // namespace detshim
