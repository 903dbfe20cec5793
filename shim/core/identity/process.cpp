#include "core/identity/process.h"

#include "common/job.h"
#include "common/launch.h"
#include "common/names.h"
#include "common/philox.h"
#include "common/sys.h"
#include "common/text.h"
#include "common/trap_filter.h"
#include "core/base/generations.h"
#include "core/base/lock.h"
#include "core/base/modules.h"
#include "core/base/placement.h"
#include "core/identity/command_names.h"
#include "core/identity/shared_page.h"
#include "core/identity/thread_state.h"
#include "core/policy/options.h"

#include <errno.h>
#include <time.h>

namespace detshim {
namespace identity {

DETSHIM_STARTUP_DATA constinit Process self;
DETSHIM_STARTUP_DATA constinit uint32_t children = 0;
DETSHIM_STARTUP_DATA constinit uint64_t hidden = 0;
DETSHIM_STARTUP_DATA constinit uint64_t takeovers = 0;
DETSHIM_STARTUP_DATA constinit uint64_t branch = 0;
DETSHIM_STARTUP_DATA constinit bool drawn = false;
DETSHIM_STARTUP_DATA constinit bool made_threads = false;
DETSHIM_STARTUP_DATA constinit int page_owner = 0;
DETSHIM_STARTUP_DATA constinit uint64_t children_lock = 0;
DETSHIM_STARTUP_DATA constinit uint32_t unnamed_threads = 0;
DETSHIM_STARTUP_DATA constinit Spawner spawner = {};
DETSHIM_STARTUP_ROOM constinit RunEntry published = {};
constinit ProcessName handed_on = {};

namespace {

DETSHIM_STARTUP_DATA constinit bool device_replaced = false;
DETSHIM_STARTUP_DATA constinit bool has_robust_list = false; // this process, see is_own_memory
DETSHIM_STARTUP_DATA constinit uint64_t array_of_world = 0;
DETSHIM_STARTUP_DATA constinit uint64_t stale_ranks = 0;
DETSHIM_STARTUP_DATA constinit bool hides_rank =
    false; // this process is a launcher, and its ranks are not its own

// ------------------------------------------------------------------ the internal variable

RunVariable own_variable() {
  RunVariable variable;
  variable.root_pid = self.root_pid;
  variable.writer_pid = hidden == 0 ? self.pid : 0;
  variable.writer_drew = drawn || children != 0;
  variable.rank_plus_1 = self.rank_given && !hides_rank ? static_cast<uint64_t>(self.rank) + 1 : 0;
  variable.world = self.world;
  variable.array = array_of_world;
  variable.branch = branch;
  variable.stale_ranks = stale_ranks;
  variable.launcher = self.launcher;
  variable.is_of_job = self.is_of_job;
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

} // namespace

void write_variable() { write_run_entry(published, own_variable()); }

void write_entry_for(RunEntry& entry, const ProcessName& name, int pid) {
  RunVariable variable = own_variable();
  variable.writer_pid = pid;
  variable.writer_drew = false;
  variable.hidden = 0;
  variable.branch = name.branch;
  variable.takeovers = name.takeovers;
  variable.key = name.key;
  copy_path(variable.path, name.path);
  write_run_entry(entry, variable);
}

namespace {

/// Moves the log folder's name to where it is kept.
void keep_log_folder(const char* folder, size_t length) {
  self.log_folder = folder;
  self.log_folder_length = length;
  write_variable();
  self.log_folder = folder_in_entry(published);
}

// ------------------------------------------------------------------ the first process

constexpr EnvironmentReader own_environment = {
    [](const char* name, const void*) -> const char* { return environment_value(name); }};

/// What the launcher says, and in a launcher what was said before it.
Launch read_rank(uint64_t stale) {
  const Launch launch = read_launch(own_environment, stale);
  self.rank_given = launch.has_rank;
  self.rank = static_cast<int>(launch.rank);
  self.ranks = launch.size;
  return launch;
}

/// Whether this program is a launcher. Of Python's the command line says which.
Launcher own_launcher() {
  const char* const program = program_invocation_short_name;
  if (!starts_with(program, "python")) return launcher_of(program, nullptr, nullptr);
  char line[512];
  const int fd = sys::openat(AT_FDCWD, "/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  const long size = fd < 0 ? 0 : sys::read(fd, line, sizeof line - 1);
  if (fd >= 0) sys::close(fd);
  if (size <= 0) return {};
  line[size] = 0;
  const char* words[3] = {};
  const char* at = line;
  for (const char*& word : words) {
    if (at >= line + size) break;
    word = at;
    at += text_length(at) + 1;
  }
  return launcher_of(program, words[1], words[2]);
}

constinit Job own_job = {};

/// Below 2^53, so that the number survives every tool that reads it. All ranks of a job have the same.
uint64_t random_seed() {
  if (own_job.key != 0) return drawn_seed(own_job, self.run);
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
  char room[3600]; // in the constructor, or in the first thread's first draw before it
  size_t before = 0;
  const char* asked = options().log;
  self.log_is_default = *asked == 0;
  if (*asked != '/') {
    const long size = sys::call(SYS_getcwd, sys::address(room), size_t{3000}); // with the closing zero
    before = sys::failed(size) ? 2 : static_cast<size_t>(size);
    if (sys::failed(size)) room[0] = '.';
    room[before - 1] = '/';
  }
  TextWriter folder(room + before, sizeof room - before);
  folder.add(self.log_is_default ? "detshim-log" : asked);
  if (self.is_of_job) folder.c_str(), agree_on_run(own_job, room, static_cast<uint64_t>(self.rank), self.run);
  if (self.log_is_default) folder.add('/').add(self.run);
  keep_log_folder(room, before + folder.length());
}

void begin_run(const Launch& launch) {
  if (options().pins()) own_job = job_of(launch);
  self.is_of_job = own_job.has_other_ranks;
  self.root_pid = self.is_of_job && (self.rank != 0 || launch.spawn != 0) ? 0 : self.pid;
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
  self.is_first = self.rank == 0 && self.world.key == 0;
  self.key = first_key(self.seed, self.rank_given ? static_cast<uint64_t>(self.rank) + 1 : 0, self.world);
  self.path[0] = '0';
  self.path[1] = 0;
  takeovers = 0;
  branch = 0;
  self.begins_rank = self.rank_given;
}

/// The world of a rank that a launcher starts, or of the first process, as far as the environment says it.
void enter_world(const Launch& launch) {
  if (launch.array != 0 && launch.array != array_of_world) {
    self.world.add("array", launch.array - 1);
    array_of_world = launch.array;
  }
  if (launch.spawn != 0) self.world.add("spawn", launch.spawn);
  if (launch.step != 0 && self.launcher == 0) self.world.add("step", launch.step);
}

/// Has the ranks that this process will start be new ones, in the world of this launcher. One that runs
/// beside another starts a world of its own, and so does one in each rank of a job.
void begin_launcher(const Launcher& launcher, const Launch& launch) {
  self.is_launcher = true;
  self.launcher_name = launcher.name;
  const bool has_other_rank = launch.has_rank && (launch.variable & launcher.variables) == 0;
  hides_rank = has_other_rank;
  stale_ranks = (stale_ranks | launch.variables) & ~launcher.variables;
  self.begins_rank = false;
  if (has_other_rank && self.key == first_key(self.seed, launch.rank + 1, self.world)) {
    self.key = derive(self.key, label_launcher); // what it draws is not what its own rank of that number does
    extend_path(self.path, "l", 0, self.key);
    self.is_first = false;
  }
  constexpr uint64_t one_of_several = 1; // torchrun on each node: all start one job
  self.launcher = launcher.starts_own_job ? self.key : one_of_several;
  if (!launcher.starts_own_job) return;
  // In the only task of a step it is what its own user started, unless something else ran there before.
  const bool is_first_of_task = self.path[0] == '0' && (self.path[1] == 0 || self.path[1] == 'l');
  if (has_other_rank && (launch.size != 1 || !is_first_of_task))
    self.world.add("of rank", static_cast<uint64_t>(self.rank));
  if (launcher.numbers_its_jobs && !is_first_of_task) branch = self.key;
  if (branch != 0) self.world.add("job", self.path, branch);
  branch = 0;
}

/// Takes over what the parent decided. False without a parent.
void join_run(const RunVariable& run, const Launch& launch) {
  self.root_pid = run.root_pid;
  self.key = run.key;
  takeovers = run.takeovers;
  device_replaced = run.device_replaced;
  // A batch system starts tasks elsewhere, with the variable and without the filter.
  self.is_trapped = run.is_trapped && sys::fcntl(0, filter_question) == -EALREADY;
  self.world = run.world;
  array_of_world = run.array;
  branch = run.branch;
  self.launcher = run.launcher;
  self.is_of_job = run.is_of_job;
  copy_path(self.path, run.path);
  __builtin_memcpy(self.run, run.run, sizeof self.run);
  self.log_is_default = run.log_is_default;
  keep_log_folder(run.log_folder, run.log_folder_length);
  draw_seed_if_needed(); // for a child that was given another mode

  if (const char* folder = options().log;
      *folder == '/' && !(text_length(folder) == run.log_folder_length &&
                          __builtin_memcmp(folder, run.log_folder, run.log_folder_length) == 0)) {
    self.root_pid = self.pid; // a log of its own: it closes that itself
    self.is_of_job = false;
    choose_log_folder();
  }
  // A seed of its own: what ./train draws under that seed.
  const bool has_own_seed = self.has_seed && (!run.has_seed || self.seed != run.seed);
  // A launcher started this rank: it is itself again, whoever launched it and how often.
  const bool is_new_rank = self.rank_given && run.rank_plus_1 != static_cast<uint64_t>(self.rank) + 1;
  const bool is_new_task = launch.array != 0 && launch.array != run.array;
  if (has_own_seed || is_new_rank || is_new_task) {
    if (is_new_rank || is_new_task) enter_world(launch);
    begin_path();
  } else if (run.hidden != 0) { // a child that libc makes and executes by itself: popen
    takeovers = 0;
    self.key = derive(derive(self.key, label_hidden), run.hidden);
    extend_path(self.path, "u", run.hidden, self.key);
  } else if (run.writer_pid == 0 || (run.writer_pid == self.pid && !run.writer_drew)) {
    self.is_first = self.rank == 0 && self.world.key == 0 && same_text(self.path, "0");
  } else if (run.writer_pid == self.pid) { // this process turned into another program behind our back
    takeovers = 0;
    self.key = derive(self.key, label_exec);
    extend_path(self.path, "e", 0, self.key);
  } else { // started behind every hook, as by a program that the library is not in
    takeovers = 0;
    self.key = derive(self.key, label_hidden);
    extend_path(self.path, "u", 0, self.key);
  }
}

/// True if the calling task has a list of robust mutexes. libc gives one to each of its threads and to the
/// child of each fork; a vfork child has none.
bool is_robust() {
  const void* head = nullptr;
  size_t size = 0;
  return !sys::failed(sys::call(SYS_get_robust_list, 0, sys::address(&head), sys::address(&size))) &&
         head != nullptr;
}

void establish_process() {
  self.pid = sys::getpid();
  has_robust_list = is_robust();
  self.seed = options().seed;
  self.has_seed = options().has_seed;
  self.seed_drawn = options().seed_drawn;
  RunVariable run;
  const bool joins = read_run_variable(run);
  stale_ranks = joins ? run.stale_ranks : 0;
  const Launch launch = read_rank(stale_ranks);
  if (joins) {
    join_run(run, launch);
  } else {
    begin_run(launch);
    enter_world(launch);
    begin_path();
  }
  if (const Launcher launcher = own_launcher()) begin_launcher(launcher, launch);
  wipe_generation_in_children();
}

} // namespace

// ------------------------------------------------------------------ children

void name_by_order(ProcessName& name, const Thread& thread, uint64_t ordinal) {
  name.is_first = false;
  name.takeovers = 0;
  name.branch = branch;
  name.key = derive(derive(self.key, thread.label), label_child + ordinal);
  copy_path(name.path, self.path);
  if (thread.label != 0)
    extend_path(name.path, ".t", 0, name.key), extend_path(name.path, thread.path, 0, name.key);
  extend_path(name.path, ".", ordinal, name.key);
}

namespace {

/// Names this process, which no handler announced: clone(2), a system call. Where it has no number in common
/// with its parent's other children, its process id keeps it apart.
void name_unannounced() {
  const uint64_t ordinal = shared_page != nullptr
                               ? __atomic_add_fetch(&shared_page->unannounced, 1, __ATOMIC_RELAXED)
                               : uint64_t{1} << 31 | static_cast<uint32_t>(sys::getpid());
  self.key = derive(self.key, label_unannounced + ordinal);
  extend_path(self.path, ".u", ordinal, self.key);
  self.is_first = false;
  takeovers = 0;
}

void become_child() {
  Thread& thread = detail::thread; // if fork made this process: the one that called it
  assume_loader_lock_is_stuck();
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
    if (thread.forks_beside) branch = name.key;
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

DETSHIM_STARTUP_DATA constinit uint64_t establishing = 0; // a lock

} // namespace
} // namespace identity

using namespace identity;

DETSHIM_STARTUP_DATA constinit SharedPage* shared_page = nullptr;

const Process& process() {
  if (__builtin_expect(generation() != 0, 1)) return self;
  // First call, or a child that no handler announced. Constructors run in one thread; a second thread that
  // comes at the same moment waits.
  const Lock guard(establishing);
  if (guard.held() && generation() == 0) {
    if (generations_begun() == 0)
      establish_process();
    else
      become_child();
    begin_generation();
  }
  return self;
}

void mark_drawn() {
  if (__atomic_exchange_n(&drawn, true, __ATOMIC_RELAXED)) return;
  share_page();
  Lock guard(children_lock);
  write_variable();
}

uint64_t programs_before() { return process(), takeovers; }

bool is_alone() {
  const Process& me = process();
  return !me.rank_given && !made_threads && children == 0 && same_text(me.path, "0");
}

void share_page() {
  process();
  if (shared_page != nullptr) return;
  Lock guard(children_lock);
  if (shared_page != nullptr) return;
  shared_page = static_cast<SharedPage*>(sys::map_shared(sizeof(SharedPage)));
  page_owner = self.pid;
}

bool has_inherited_page() { return shared_page != nullptr && page_owner != process().pid; }

bool has_other_rank(char* const* environment, uint64_t& rank) {
  process();
  const auto value = [](const char* name, const void* data) -> const char* {
    const size_t length = text_length(name);
    for (auto* entry = static_cast<char* const*>(data); entry != nullptr && *entry != nullptr; ++entry)
      if (starts_with(*entry, name) && (*entry)[length] == '=') return *entry + length + 1;
    return nullptr;
  };
  const Launch launch = read_launch({value, environment}, stale_ranks);
  rank = launch.rank;
  return launch.has_rank && !(self.rank_given && launch.rank == static_cast<uint64_t>(self.rank));
}

bool is_own_memory() {
  if (sys::getpid() != process().pid) return false;
  // In a PID namespace of its own, a vfork child has its parent's number where that is 1 too.
  return !has_robust_list || sys::gettid() != self.pid || is_robust();
}

void mark_device_replaced() {
  if (__atomic_exchange_n(&device_replaced, true, __ATOMIC_RELAXED)) return;
  Lock guard(children_lock);
  write_variable();
}

bool device_was_replaced() { return __atomic_load_n(&device_replaced, __ATOMIC_RELAXED); }

} // namespace detshim
