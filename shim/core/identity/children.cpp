#include "core/identity/children.h"

#include "common/cryptography.h"
#include "common/names.h"
#include "common/philox.h"
#include "common/sys.h"
#include "common/text.h"
#include "core/base/environment.h"
#include "core/base/generations.h"
#include "core/base/own_stack.h"
#include "core/base/thread_memory.h"
#include "core/identity/command_names.h"
#include "core/identity/thread.h"
#include "core/identity/unused_names.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/wait.h>

namespace detshim {

using namespace identity;

namespace {

/// Names a child of the process that `key` and `path` name by what it executes.
void name_by_command(ProcessName& name, uint64_t key, const PathText& path, CommandCounts* counts,
                     char* const argv[]) {
  const uint64_t hash = command_hash(argv);
  const uint64_t before = counts != nullptr ? count_command(counts, hash) : 0;
  const uint64_t command_key = derive(derive(derive(key, label_command), hash), before);
  name = {false, self.branch, 0, own.turns, command_key, {}};
  copy_path(name.path, path);
  Text<16> step;
  step.add(".x").add_hex(hash >> 32, 8);
  extend_path(name.path, step.c_str(), 0, name.key);
  if (before != 0)
    extend_path(name.path, "-", before + 1, name.key);
}

/// The ids of a process's children, those of its main thread, as /proc lists them
/// (proc_pid_children(5)).
class ChildList {
public:
  explicit ChildList(uint64_t parent) {
    Text<64> path;
    path.add("/proc/").add(parent).add("/task/").add(parent).add("/children");
    const int file = sys::openat(AT_FDCWD, path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0)
      return;
    length_ = sys::read(file, ids_, sizeof ids_);
    sys::close(file);
  }

  /// False also if there are too many to be read at once.
  bool is_known() const { return length_ >= 0 && length_ < static_cast<long>(sizeof ids_); }

  /// Calls `visit` with each id until it returns true; whether it did.
  template <class Visit>
  bool each(Visit visit) const {
    int id = 0;
    for (long i = 0; i < length_; ++i) {
      const bool is_digit = ids_[i] >= '0' && ids_[i] <= '9';
      if (!is_digit && visit(id)) // a space is behind each
        return true;
      id = is_digit ? id * 10 + (ids_[i] - '0') : 0;
    }
    return false;
  }

private:
  char ids_[256];
  long length_ = -1;
};

/// The other children of this one's parent; -1 where that is not told.
int siblings_of_vfork_child() {
  const ChildList children{static_cast<uint64_t>(sys::call(SYS_getppid))};
  int count = -1; // this one
  children.each([&](int) {
    ++count;
    return false;
  });
  return count;
}

} // namespace

bool identity::has_child() {
  return !sys::failed(sys::call(SYS_waitid, P_ALL, 0, 0, WEXITED | WNOHANG | WNOWAIT, 0));
}

namespace {

/// The children that were named last, at the same time (a pipeline's), while nobody knows yet
/// whether they will use their names.
struct LastChildren {
  static constexpr int most = 8;
  bool are_there;
  bool are_all_here;  ///< of one thread, and no more than can be kept
  bool was_handoff;   ///< of the first one's name
  int ended;          ///< the highest id of those that ended, as far as the program was told
  ProcessName before; ///< this process's own name, before a handoff; not a wrapper's
  const Thread* maker;
  int count;
  struct {
    uint64_t handoffs;
    PathText path;
  } names[most];
};
constinit LastChildren last_children = {};

void remember_child(const ProcessName& name, bool is_handoff, const Thread& maker) {
  LastChildren& last = last_children;
  if (!last.are_there) {
    last.are_there = last.are_all_here = true;
    last.ended = 0;
    last.was_handoff = is_handoff;
    last.maker = &maker;
    last.count = 0;
  }
  last.are_all_here &= last.maker == &maker && last.count < LastChildren::most;
  if (!last.are_all_here)
    return;
  last.names[last.count].handoffs = name.handoffs;
  copy_path(last.names[last.count].path, name.path);
  ++last.count;
}

/// Whether a child may still be there that was made before. The caller may be one itself, in its
/// parent's memory.
bool may_have_child() { return is_own_memory() ? has_child() : siblings_of_vfork_child() != 0; }

/// Waits until that process has ended, reaped or not; false if it has not within a second.
bool await_end(int id) {
  const auto file = static_cast<int>(sys::call(SYS_pidfd_open, id, 0));
  if (file < 0)
    return file == -ESRCH;
  pollfd ending{file, POLLIN, 0};
  timespec left{1, 0}; // the system call counts it down
  long ready = 0;
  do
    ready = sys::call(SYS_ppoll, sys::address(&ending), 1, sys::address(&left), 0, 0);
  while (ready == -EINTR);
  sys::close(file);
  return ready > 0;
}

/// ksh goes on when the last program of a pipeline has ended: the others are about to, and which
/// name the next program gets must not depend on how soon. So a shell that runs nothing in the
/// background waits for those that are older than one that ended (a pipeline that is still being
/// made has its youngest child left). Only until it has waited once in vain: what an earlier
/// program of this process left behind may live on.
bool await_children_of_shell() {
  static constinit bool has_lasting_child = false;
  if (has_lasting_child || may_run_in_background() || !is_shell(program_name()))
    return false;
  const auto caller = static_cast<int>(sys::getpid());
  const long shell = is_own_memory() ? caller : sys::call(SYS_getppid);
  const ChildList children{static_cast<uint64_t>(shell)};
  const bool is_pipeline_made = children.is_known() && !children.each([&](int id) {
    return id != caller && id > last_children.ended;
  });
  if (!is_pipeline_made)
    return false;
  has_lasting_child = children.each([&](int id) {
    return id != caller && !await_end(id);
  });
  return !has_lasting_child;
}

bool are_last_names_used() {
  for (int i = 0; i < last_children.count; ++i)
    if (is_name_used(last_children.names[i].path, last_children.names[i].handoffs))
      return true;
  return false;
}

/// If the last children have ended and drew nothing, the next ones get their names: a program's
/// numbers must not depend on who starts it, or on the helpers that ran before. Not where that
/// would be a race: with threads, in a program that polls its children, or in a script that runs
/// commands in the background.
void take_back_unused_names(Thread& thread) {
  LastChildren& last = last_children;
  const bool is_race = own.drawn || own.made_threads || own.polls_children || names_by_command();
  if (!last.are_there || (is_race && !own.is_wrapper) ||
      (may_have_child() && !await_children_of_shell()))
    return;
  last.are_there = false;
  if (!last.are_all_here || last.maker != &thread || may_run_in_background() ||
      are_last_names_used())
    return;
  SignalSafeLock guard(own.children_lock);
  thread.forks -= static_cast<uint32_t>(last.count);
  own.children -= static_cast<uint32_t>(last.count);
  if (!last.was_handoff || own.is_wrapper)
    return;
  self.is_first = last.before.is_first;
  self.handoffs = last.before.handoffs;
  self.key = last.before.key;
  copy_path(self.path, last.before.path);
  begin_generation();
  write_variable();
}

/// Counts a child process that is about to be made, and has it take over this process's name (into
/// `name`) if it may; true if it does. What a wrapper does after its first child is its own. Once a
/// process has children, its key stays what it is.
bool count_child(ProcessName& name, bool& is_beside, Thread& thread) {
  SignalSafeLock guard(own.children_lock);
  is_beside = own.children != 0 && (thread.made_thread || has_child());
  thread.made_thread = false;
  const bool may_be_wrapper = !own.drawn && !own.made_threads && !first_child_is_a_race();
  const bool is_handoff = own.children == 0 && (own.is_wrapper || may_be_wrapper);
  ++own.turns;
  const bool is_first =
      own.children++ == 0; // from now on the published state is that of a process with children
  if (is_handoff) {
    last_children.before = own_name();
    if (!own.is_wrapper) {
      take_own_name_away();
      begin_generation();
    }
    name = own.to_hand_on;
    name.turn = own.turns;
    remember_child(name, true, thread);
  }
  if (is_first)
    write_variable(); // a page that every fork would have to copy again
  return is_handoff;
}

/// Counts a child process that is about to execute the program with that command line, and names
/// it.
void take_child_name(ProcessName& name, char* const argv[]) {
  Thread& thread = this_thread();
  take_back_unused_names(thread);
  const uint64_t ordinal = ++thread.forks;
  bool is_beside = false;
  const bool is_handoff = count_child(name, is_beside, thread);
  thread.forks_beside = is_beside || (!is_own_memory() && siblings_of_vfork_child() > 0);
  if (is_handoff)
    return;
  if (names_by_command())
    name_by_command(name, self.key, self.path, command_counts(), argv);
  else
    name_by_order(name, thread, ordinal);
  remember_child(name, false, thread);
  if (is_beside)
    name.branch = name.key;
}

// Threads may fork at the same time: since 2.36, glibc holds no lock around the handlers. So the
// decision is the forking thread's, whose memory goes into the child with it.
void before_fork() {
  Thread& thread = this_thread();
  on_own_stack([&] {
    take_back_unused_names(thread);
    ++thread.forks;
    const bool is_handoff = count_child(handed_on, thread.forks_beside, thread);
    thread.fork = is_handoff ? PendingFork::handoff : PendingFork::child;
    if (names_by_command())
      command_counts(); // what is made now is shared
    if (is_handoff)
      return;
    ProcessName name;
    name_by_order(name, thread, thread.forks);
    remember_child(name, false, thread);
  });
}

void after_fork_in_parent() { detail::thread.fork = PendingFork::none; }

void after_fork_in_child() {
  last_children.are_there = false;
  touch_generation();
  process();
}

/// The name of the vfork child that Thread::sharing_child is: it may try several paths.
DETSHIM_THREAD_MEMORY ProcessName sharing_child_name_of_thread = {};

/// A number of this task's that no other one has at the time: the process id in the namespace of
/// /proc, for a vfork child in a namespace of its own is 1 like the one before it. Without /proc,
/// the process id.
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

void write_exec_entry_here(RunEntry& entry, char* const argv[], bool is_log_awaited) {
  Thread& thread = this_thread();
  if (!is_own_memory()) { // a vfork child, in its parent's memory
    ProcessName& name = of_this_thread(sharing_child_name_of_thread);
    if (const uint64_t task = number_of_task(); thread.sharing_child != task) {
      take_child_name(name, argv);
      thread.sharing_child = task;
    }
    return write_entry_for(entry, name, sys::getpid());
  }
  take_back_unused_names(thread);
  ProcessName name = own_name();
  if (own.naming_parent.counts != nullptr && !own.drawn && own.children == 0) {
    name_by_command(name, own.naming_parent.key, own.naming_parent.path, own.naming_parent.counts,
                    argv);
    self.key = name.key; // for good: this attempt may fail and another follow
    copy_path(self.path, name.path);
    if (this_thread().forks_beside)
      self.branch = name.branch = name.key;
    own.naming_parent.counts = nullptr;
    begin_generation();
  } else if (own.is_wrapper && own.children == 0) {
    name = own.to_hand_on;
    name.turn = own.turns + 1;
  } else if (own.drawn || own.children != 0) {
    name.handoffs = 0;
    name.key = derive(self.key, label_exec);
    extend_path(name.path, "e", 0, name.key);
  }
  write_entry_for(entry, name, self.pid, is_log_awaited);
}

} // namespace

void write_exec_entry(RunEntry& entry, char* const argv[], bool is_log_awaited) {
  on_own_stack([&] {
    write_exec_entry_here(entry, argv, is_log_awaited);
  });
}

void write_spawn_entry(RunEntry& entry, char* const argv[]) {
  on_own_stack([&] {
    ProcessName name;
    take_child_name(name, argv);
    write_entry_for(entry, name, 0);
  });
}

// Its lock keeps no signals away: the child would have them blocked. What leaves popen by longjmp
// leaves libc's own lock of popen behind as well.
namespace {
constinit uint64_t hidden_lock = 0;
}

HiddenChild::HiddenChild() : guard_(hidden_lock) {
  Thread& thread = this_thread();
  on_own_stack([&] {
    take_back_unused_names(thread);
    const uint64_t ordinal = ++thread.forks;
    SignalSafeLock guard(own.children_lock);
    ++own.children;
    self.hidden = thread.label == 0
                      ? ordinal
                      : derive(thread.label, label_hidden + ordinal) | uint64_t{1} << 63;
    ProcessName name = {};
    copy_path(name.path, self.path);
    extend_path(name.path, "u", self.hidden, derive(derive(self.key, label_hidden), self.hidden));
    remember_child(name, false, thread);
    write_variable();
  });
}

HiddenChild::~HiddenChild() {
  on_own_stack([] {
    SignalSafeLock guard(own.children_lock);
    self.hidden = 0;
    write_variable();
  });
}

void note_ended_child(int id, bool was_polled) {
  if (id > last_children.ended)
    last_children.ended = id;
  if (was_polled && !is_shell(program_name()))
    own.polls_children = true;
}

UnseenFork::UnseenFork() { before_fork(); }
UnseenFork::~UnseenFork() { after_fork_in_parent(); }

void publish_identity() {
  this_thread();
  write_variable();
  put_in_environment(published);
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

} // namespace detshim
