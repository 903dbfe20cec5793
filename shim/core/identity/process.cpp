// Decides who this process is: from DETSHIM_RUN what its parent has handed on, from a launcher's
// variables its rank, and after a fork the name that the fork handler has left. A process without a
// parent's run begins one, or agrees on one with the ranks of its job. A launcher begins a job of
// its own, unless one launcher on each node starts the same.
//
// A child that no handler announced is numbered among its siblings in the shared page. It cannot
// know such a number where there is no page: then the process id is part of the name, and differs
// in each run.
#include "core/identity/process.h"

#include "common/launch.h"
#include "common/names.h"
#include "common/philox.h"
#include "common/sys.h"
#include "common/text.h"
#include "core/base/environment.h"
#include "core/base/generations.h"
#include "core/base/modules.h"
#include "core/base/own_stack.h"
#include "core/base/placement.h"
#include "core/base/signal_safe_lock.h"
#include "core/identity/command_names.h"
#include "core/identity/shared_page.h"
#include "core/identity/thread_state.h"
#include "core/policy/options.h"

namespace detshim {
namespace identity {

DETSHIM_STARTUP_DATA constinit Process self;
DETSHIM_STARTUP_DATA constinit ProcessState own = {};
DETSHIM_STARTUP_ROOM constinit RunEntry published = {};
constinit ProcessName handed_on = {};

namespace {

// ------------------------------------------------------------------ the internal variable

/// What holds at this moment for a program that this process turns into.
RunVariable own_variable() {
  RunVariable variable = self;
  variable.writer_pid = self.hidden == 0 ? self.pid : 0;
  variable.writer_drew = own.drawn || own.children != 0;
  variable.rank_plus_1 =
      self.rank_given && !own.hides_rank ? static_cast<uint64_t>(self.rank) + 1 : 0;
  variable.mode = options().mode;
  variable.policy = options().policy;
  return variable;
}

} // namespace

void write_variable() { write_run_entry(published, own_variable()); }

ProcessName own_name() {
  ProcessName name = {self.is_first, self.branch, self.handoffs, self.turn, self.key, {}};
  copy_path(name.path, self.path);
  return name;
}

void take_own_name_away() {
  own.to_hand_on = own_name();
  ++own.to_hand_on.handoffs;
  self.is_first = false;
  self.key = derive(self.key, label_wrapper + self.handoffs);
  extend_path(self.path, "w", self.handoffs, self.key);
  self.handoffs = 0;
}

void write_entry_for(RunEntry& entry, const ProcessName& name, int pid, bool is_log_awaited) {
  RunVariable variable = own_variable();
  variable.writer_pid = pid;
  variable.writer_drew = false;
  variable.is_log_awaited = is_log_awaited;
  variable.hidden = 0;
  variable.branch = name.branch;
  const bool is_other_process = pid != self.pid;
  variable.is_beside_drawer = self.is_beside_drawer || name.branch != 0 ||
                              (is_other_process && own.drawn && !own.is_wrapper);
  variable.handoffs = name.handoffs;
  variable.turn = name.turn;
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

constexpr EnvironmentReader own_environment = {[](const char* name, const void*) -> const char* {
  return environment_value(name);
}};

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
  char* const* const words = given_arguments();
  const bool has_words = words[0] != nullptr && words[1] != nullptr;
  return launcher_of(program_name(), has_words ? words[1] : nullptr,
                     has_words ? words[2] : nullptr);
}

/// Below 2^53, so that the number survives every tool that reads it. All ranks of a job have the
/// same.
uint64_t random_seed() {
  if (own.job_name.key != 0)
    return drawn_seed(own.job_name, self.run);
  uint64_t number = 0;
  sys::call(SYS_getrandom, sys::address(&number), sizeof number, 0);
  return number >> 11;
}

void draw_seed_if_needed() {
  if (self.has_seed || !options().pins())
    return;
  self.seed = random_seed();
  self.seed_drawn = self.has_seed = true;
}

/// Date and time of a moment in UTC, as 20261121T003512. Days to date: H. Hinnant,
/// "chrono-Compatible Low-Level Date Algorithms", civil_from_days.
void add_time(TextWriter& text, int64_t seconds) {
  const int64_t days = seconds / 86400 + 719468;
  const auto rest = static_cast<uint64_t>(seconds % 86400);
  const auto day_of_era = static_cast<uint64_t>(days % 146097);
  const uint64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const uint64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
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

/// The folder of the log as an absolute path: what a child in another working directory must see
/// too.
void choose_log_folder() {
  char room[3600]; // in the constructor, or in the first thread's first draw before it
  size_t before = 0;
  const char* requested = options().log;
  self.log_is_default = *requested == 0;
  if (*requested != '/') {
    const long size =
        sys::call(SYS_getcwd, sys::address(room), size_t{3000}); // with the closing zero
    before = sys::failed(size) ? 2 : static_cast<size_t>(size);
    if (sys::failed(size))
      room[0] = '.';
    room[before - 1] = '/';
  }
  TextWriter folder(room + before, sizeof room - before);
  folder.add(self.log_is_default ? "detshim-log" : requested);
  if (self.is_of_job) {
    folder.c_str();
    agree_on_run(own.job_name, room, static_cast<uint64_t>(self.rank), self.run, self.begun);
  }
  if (self.log_is_default)
    folder.add('/').add(self.run);
  keep_log_folder(room, before + folder.length());
}

void begin_run(const Launch& launch) {
  if (options().pins())
    own.job_name = job_name_of(launch);
  self.is_of_job = own.job_name.has_other_ranks;
  self.root_pid = self.is_of_job && (self.rank != 0 || launch.spawn != 0) ? 0 : self.pid;
  // By system call: a sanitizer's clock_gettime is not ready while its runtime starts.
  self.begun = sys::now();
  uint16_t random = 0; // containers start at the same process id each time
  sys::call(SYS_getrandom, sys::address(&random), sizeof random, 0);
  Text<32> run;
  add_time(run, static_cast<int64_t>(self.begun / 1'000'000));
  run.add('-').add(static_cast<uint64_t>(self.pid)).add('-').add_hex(random, 4);
  __builtin_memcpy(self.run, run.c_str(), run.length() + 1);
  choose_log_folder();
  draw_seed_if_needed();
}

/// Has the ranks that this process will start be new ones, in the job of this launcher. One that
/// runs beside another starts a job of its own, and so does one in each rank of a job.
void begin_launcher(const Launcher& launcher, const Launch& launch) {
  self.is_launcher = true;
  self.launcher_name = launcher.name;
  const bool has_other_rank = launch.has_rank && (launch.variable & launcher.variables) == 0;
  own.hides_rank = has_other_rank;
  self.stale_ranks = (self.stale_ranks | launch.variables) & ~launcher.variables;
  self.begins_rank = false;
  if (has_other_rank && self.key == first_key(self.seed, launch.rank + 1, self.job)) {
    self.key = derive(self.key,
                      label_launcher); // what it draws is not what its own rank of that number does
    extend_path(self.path, "l", 0, self.key);
    self.is_first = false;
  }
  constexpr uint64_t one_of_several = 1; // torchrun on each node: all start one job
  self.launcher = launcher.starts_own_job ? self.key : one_of_several;
  if (!launcher.starts_own_job)
    return;
  // In the only task of a step it is what its own user started, unless something else ran there
  // before.
  const bool is_first_of_task = self.path[0] == '0' && (self.path[1] == 0 || self.path[1] == 'l');
  if (has_other_rank && (launch.size != 1 || !is_first_of_task))
    self.job.add("of rank", static_cast<uint64_t>(self.rank));
  if (launcher.numbers_its_jobs && !is_first_of_task)
    self.branch = self.key;
  if (self.branch != 0)
    self.job.add("job", self.path, self.branch);
  self.branch = 0;
}

/// The seed of this process: its environment's, or its parent's.
void take_seed() {
  self.seed = options().seed;
  self.has_seed = options().has_seed;
  self.seed_drawn = options().seed_drawn;
}

/// Takes over what the parent decided.
void join_run(const RunVariable& run, const Launch& launch) {
  static_cast<RunVariable&>(self) = run;
  self.is_log_awaited = run.is_log_awaited && run.writer_pid == self.pid;
  self.hidden = 0;
  take_seed();
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
  self.hidden = run.hidden;
  const Arrival arrival = arrive(self, launch, self.pid, has_own_seed);
  self.hidden = 0;
  self.begins_rank = arrival == Arrival::begins && self.rank_given;
  self.is_first =
      self.rank == 0 && self.job.key == 0 &&
      (arrival == Arrival::begins || (arrival == Arrival::named && same_text(self.path, "0")));
}

/// True if the calling task has a list of robust mutexes. libc gives one to each of its threads and
/// to the child of each fork; a vfork child has none.
bool is_robust() {
  const void* head = nullptr;
  size_t size = 0;
  return !sys::failed(
             sys::call(SYS_get_robust_list, 0, sys::address(&head), sys::address(&size))) &&
         head != nullptr;
}

void establish_process() {
  self.pid = sys::getpid();
  own.has_robust_list = is_robust();
  RunVariable run;
  const bool joins = read_run_variable(run);
  const Launch launch = read_rank(run.stale_ranks);
  if (joins) {
    join_run(run, launch);
  } else {
    take_seed();
    begin_run(launch);
    enter_job(self, launch);
    begin_path(self, launch.has_rank ? launch.rank + 1 : 0);
    self.is_first = self.rank == 0 && self.job.key == 0;
    self.begins_rank = self.rank_given;
  }
  self.is_of_secret_script = is_secret_script();
  if (const Launcher launcher = own_launcher())
    begin_launcher(launcher, launch);
  look_at_script();
  own.is_wrapper = is_wrapper();
  if (own.is_wrapper)
    take_own_name_away();
  wipe_generation_in_children();
}

} // namespace

// ------------------------------------------------------------------ children

void name_by_order(ProcessName& name, const Thread& thread, uint64_t ordinal) {
  const uint64_t key = derive(derive(self.key, thread.label), label_child + ordinal);
  name = {false, self.branch, 0, own.turns, key, {}};
  copy_path(name.path, self.path);
  if (thread.label != 0)
    extend_path(name.path, ".t", 0, name.key), extend_path(name.path, thread.path, 0, name.key);
  extend_path(name.path, ".", ordinal, name.key);
}

namespace {

/// Names this process, which no handler announced: clone(2), a system call. Where it has no number
/// in common with its parent's other children, its process id keeps it apart.
void name_unannounced() {
  const uint64_t ordinal = shared_page != nullptr
                               ? __atomic_add_fetch(&shared_page->unannounced, 1, __ATOMIC_RELAXED)
                               : uint64_t{1} << 31 | static_cast<uint32_t>(sys::getpid());
  self.key = derive(self.key, label_unannounced + ordinal);
  extend_path(self.path, ".u", ordinal, self.key);
  self.is_first = false;
  self.handoffs = 0;
}

void become_child() {
  Thread& thread = detail::thread; // if fork made this process: the one that called it
  assume_loader_lock_is_stuck();
  own.made_threads = false;
  own.naming_parent.counts = nullptr;
  if (thread.fork == PendingFork::none) {
    name_unannounced();
  } else {
    ProcessName name = handed_on;
    if (thread.fork == PendingFork::child) {
      if (names_by_command()) {
        own.naming_parent.counts = command_counts();
        own.naming_parent.key = self.key;
        copy_path(own.naming_parent.path, self.path);
      }
      name_by_order(name, thread, thread.forks);
      if (thread.forks_beside)
        self.branch = name.key;
    }
    self.is_first = name.is_first;
    self.key = name.key;
    self.handoffs = name.handoffs;
    self.turn = name.turn;
    copy_path(self.path, name.path);
  }
  thread.fork = PendingFork::none;
  self.pid = sys::getpid();
  own.has_robust_list = is_robust();
  own.drawn = false;
  own.was_forked = true;
  own.is_wrapper = false;
  own.children = own.turns = 0;
  self.hidden = 0;
  self.is_log_awaited = false;
  own.unnamed_threads = 0;
  forget_own_command();
  write_variable();
}

} // namespace
} // namespace identity

using namespace identity;

DETSHIM_STARTUP_DATA constinit SharedPage* shared_page = nullptr;

namespace {

/// First call, or a child that no handler announced. Constructors run in one thread; a second
/// thread that comes at the same moment waits.
void begin_process() {
  const SignalSafeLock guard(own.establishing);
  if (!guard.held() || generation() != 0)
    return;
  if (generations_begun() == 0)
    establish_process();
  else
    become_child();
  begin_generation();
}

void publish_variable() {
  SignalSafeLock guard(own.children_lock);
  write_variable();
}

} // namespace

const Process& process() {
  if (__builtin_expect(generation() == 0, 0))
    on_own_stack(begin_process);
  return self;
}

void mark_drawn() {
  if (__atomic_exchange_n(&own.drawn, true, __ATOMIC_RELAXED))
    return;
  share_page();
  on_own_stack(publish_variable);
}

uint64_t programs_before() { return process(), self.handoffs + (self.turn << 32); }

bool is_whole_run() { return process().root_pid == process().pid && own.children == 0; }

bool is_alone() {
  const Process& me = process();
  return !me.rank_given && !me.is_beside_drawer && !own.was_forked && !identity::has_child();
}

void share_page() {
  process();
  if (shared_page != nullptr)
    return;
  SignalSafeLock guard(own.children_lock);
  if (shared_page != nullptr)
    return;
  shared_page = static_cast<SharedPage*>(sys::map(sizeof(SharedPage), MAP_SHARED));
  own.page_owner = self.pid;
}

bool has_inherited_page() { return shared_page != nullptr && own.page_owner != process().pid; }

bool has_other_rank(char* const* environment, uint64_t& rank) {
  process();
  const auto value = [](const char* name, const void* entries) {
    return environment_value(name, static_cast<char* const*>(entries));
  };
  const Launch launch = read_launch({value, environment}, self.stale_ranks);
  rank = launch.rank;
  return launch.has_rank && !(self.rank_given && launch.rank == static_cast<uint64_t>(self.rank));
}

bool is_own_memory() {
  if (sys::getpid() != process().pid)
    return false;
  // In a PID namespace of its own, a vfork child has its parent's number where that is 1 too.
  return !own.has_robust_list || sys::gettid() != self.pid || is_robust();
}

void mark_device_replaced() {
  if (!__atomic_exchange_n(&self.device_replaced, true, __ATOMIC_RELAXED))
    on_own_stack(publish_variable);
}

bool device_was_replaced() { return __atomic_load_n(&self.device_replaced, __ATOMIC_RELAXED); }

} // namespace detshim
