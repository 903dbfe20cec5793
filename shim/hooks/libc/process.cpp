// New threads and new programs get their place in the tree from whoever makes them.
//
// Taken at its first draw, a thread's number would be a race; taken by the creator it is the same in every
// run. A forked child is named by a fork handler (core/identity/children.cpp). A program that is executed
// learns its name from the internal variable, which goes into a private copy of its environment here: the
// caller's own array may be a snapshot from long ago (Python's subprocess), and the caller may be a vfork
// child in its parent's memory.
#include "hooks/libc/process.h"

#include "common/sys.h"
#include "common/text.h"
#include "core/base/thread_memory.h"
#include "core/fingerprint/pending_transfers.h"
#include "core/identity/children.h"
#include "core/identity/shared_page.h"
#include "core/log/closing.h"
#include "core/log/log_file.h"
#include "core/seeds/clock_samples.h"
#include "core/tuning/tuning.h"
#include "hooks/libc/inherited_descriptors.h"
#include "hooks/libc/rand_r_cache.h"
#include "hooks/libc/shell.h"
#include "hooks/libc/uncovered_execs.h"
#include "hooks/libc/user_places.h"
#include "hooks/runtimes/python_threads.h"
#include "hooks/runtimes/unseen_runtimes.h"
#include "loader/coverage.h"
#include "loader/hook.h"

#include <alloca.h>
#include <cstdarg>
#include <cstdio>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <threads.h>

extern "C" char** environ;

namespace detshim {
namespace hooks {
DETSHIM_DECLARE_HOOK(syscall);
} // namespace hooks

namespace {

/// The room itself follows.
struct Room {
  size_t size;
};
thread_local constinit Room* exec_room = nullptr; // kept for programs that are executed, see ExecRoom

void leave_exec_room() {
  Room* const room = __atomic_exchange_n(&exec_room, nullptr, __ATOMIC_RELAXED);
  if (room != nullptr) sys::unmap(room, room->size + sizeof(Room));
}

} // namespace
} // namespace detshim

void detshim::call_at_thread_end() {
  static constinit pthread_key_t key = 0;
  static constinit int state = 0; // 0 none yet, 1 being made, 2 made
  int none = 0;
  if (__atomic_compare_exchange_n(&state, &none, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
    const bool made = pthread_key_create(&key, [](void*) {
                        leave_exec_room();
                        leave_left_states();
                        leave_readings();
                        end_python_thread(false);
                        leave_prints();
                        leave_records();
                        leave_thread();
                      }) == 0;
    detail::call_at_thread_end = call_at_thread_end;
    __atomic_store_n(&state, made ? 2 : 0, __ATOMIC_RELEASE);
  }
  if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == 2) pthread_setspecific(key, &key);
}

namespace detshim {
namespace {

/// DETSHIM_WORKERS=reversed: a thread or a child waits before it begins, the earlier it was started the
/// longer, so that of those that are started at once the last comes first.
int turns_to_wait() {
  constexpr int at_once = 16;
  static constinit int started = 0;
  if (options().workers != WorkerOrder::reversed) return 0;
  return at_once - __atomic_fetch_add(&started, 1, __ATOMIC_RELAXED) % at_once;
}

/// In the new thread or child.
void wait_turns(int turns) {
  constexpr long nanoseconds_a_turn = 3'000'000; // more than it takes to start one
  if (turns > 0) sys::sleep(turns * nanoseconds_a_turn);
}

/// What a creator leaves for the new thread. Result is void* for pthread_create, int for thrd_create.
template <typename Result>
struct Start {
  Result (*run)(void*);
  void* argument;
  ThreadName name;
  bool is_users_python; // see python_threads.h
  int turns;            ///< see turns_to_wait()
  bool from_pool;
  bool used;
};

// The new thread frees its slot at once, so these are threads being made, not threads that live.
template <typename Result>
constinit Start<Result> pool[64] = {};

template <typename Result>
Start<Result>* take_start() {
  for (Start<Result>& start : pool<Result>) {
    if (__atomic_exchange_n(&start.used, true, __ATOMIC_ACQUIRE)) continue;
    start.from_pool = true;
    return &start;
  }
  return static_cast<Start<Result>*>(sys::map(sizeof(Start<Result>)));
}

template <typename Result>
void free_start(Start<Result>* start) {
  if (start->from_pool)
    __atomic_store_n(&start->used, false, __ATOMIC_RELEASE);
  else
    sys::unmap(start, sizeof *start);
}

template <typename Result>
Result run_thread(void* data) {
  auto* start = static_cast<Start<Result>*>(data);
  const auto run = start->run;
  void* const argument = start->argument;
  enter_thread(start->name);
  const int turns = start->turns;
  if (start->is_users_python) enter_python_thread();
  free_start(start);
  call_at_thread_end();
  wait_turns(turns);
  return run(argument);
}

/// Makes a thread that enters through run_thread; `create` is the real function with its other arguments
/// bound.
template <typename Result, typename Create>
int create_thread(Result (*run)(void*), void* argument, bool is_users_python, Create create) {
  Start<Result>* start = take_start<Result>();
  if (start == nullptr) return create(run, argument);
  start->run = run;
  start->argument = argument;
  start->is_users_python = is_users_python;
  start->name = name_new_thread();
  start->turns = turns_to_wait();
  const int status = create(run_thread<Result>, start);
  if (status != 0) free_start(start);
  return status;
}

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_HOOK(
    libc, int, pthread_create,
    (pthread_t * thread, const pthread_attr_t* attributes, void* (*run)(void*), void* argument),
    .action = Action::observe, .fields = {"threads"},
    .summary = "Gives the new thread its place in the tree of threads, and with it its streams. Recorded "
               "where a line of Python starts one beside another, makes a pool of several workers, or fills "
               "a queue of processes.") {
  DETSHIM_ENTER(pthread_create);
  if (call.passes()) return call.real(thread, attributes, run, argument);
  note_user_place(UserPlace::threads, call.caller());
  note_thread_of_runtime(call.caller());
  PythonThread python(call.caller());
  const int status = create_thread(run, argument, python.is_users, [&](void* (*entry)(void*), void* data) {
    return call.real(thread, attributes, entry, data);
  });
  if (status != 0 && python.is_users) end_python_thread(true);
  if (status == 0 && python.why != Reason::none)
    call.record(Action::observe, python.why, {python.made_by.c_str()});
  return status;
}

DETSHIM_HOOK(libc, int, thrd_create, (thrd_t * thread, int (*run)(void*), void* argument),
             .action = Action::observe,
             .summary = "Gives the new thread its place in the tree of threads, and with it its streams.") {
  DETSHIM_ENTER(thrd_create);
  if (call.passes()) return call.real(thread, run, argument);
  note_user_place(UserPlace::threads, call.caller());
  return create_thread(run, argument, false,
                       [&](int (*entry)(void*), void* data) { return call.real(thread, entry, data); });
}

// ------------------------------------------------------------------ programs

namespace detshim {
namespace {

size_t count(char* const* texts) {
  size_t number = 0;
  while (texts != nullptr && texts[number] != nullptr) ++number;
  return number;
}

/// Fills `copy` (room for two more than the original has) with the environment and our entry in it.
void copy_environment(char* const* environment, char** copy, char* entry) {
  for (; *environment != nullptr; ++environment)
    if (!starts_with(*environment, "DETSHIM_RUN=")) *copy++ = *environment;
  *copy++ = entry;
  *copy = nullptr;
}

/// Memory for what a program that is executed gets, not on the stack: a thread's may be 16 KiB, a context's
/// less. It is kept for the thread's next one, because what a vfork child maps stays its parent's.
class ExecRoom {
public:
  explicit ExecRoom(size_t size) : is_shared_(!is_own_memory()) {
    // Taken away meanwhile: a signal handler may execute something as well.
    room_ = __atomic_exchange_n(&exec_room, nullptr, __ATOMIC_RELAXED);
    if (room_ == nullptr || room_->size < size) {
      free();
      room_ = static_cast<Room*>(sys::map(size + sizeof(Room)));
      if (room_ != nullptr) room_->size = size;
    }
    if (is_shared_) keep(); // a vfork child does not come back
  }
  ~ExecRoom() {
    if (!is_shared_) keep();
  }
  ExecRoom(const ExecRoom&) = delete;
  ExecRoom& operator=(const ExecRoom&) = delete;

  void* data() const { return room_ != nullptr ? room_ + 1 : nullptr; }

private:
  void free() {
    if (room_ != nullptr) sys::unmap(room_, room_->size + sizeof(Room));
    room_ = nullptr;
  }
  void keep() {
    Room* const other = __atomic_exchange_n(&exec_room, room_, __ATOMIC_RELAXED);
    room_ = is_shared_ ? room_ : other;
    if (!is_shared_) free();
  }

  const bool is_shared_;
  Room* room_;
};

void record_before_exec() {
  record_runtimes();
  end_copies();
  record_coverage();
}

/// True for a path of nothing: who looks for a program tries several.
bool is_missing(const char* program) {
  return contains(program, "/") &&
         sys::failed(sys::call(SYS_faccessat, AT_FDCWD, sys::address(program), F_OK));
}

/// Says in the log that the process turns into a program, and takes it back where that fails. What draws
/// nothing has no log that could show how the process went on.
class Execution {
public:
  Execution(const char* program, bool spawns)
      : is_said_(!spawns && program != nullptr && has_log() && is_own_memory() && !is_missing(program)) {
    if (is_said_) write_exec(program, record_before_exec);
  }
  ~Execution() {
    if (is_said_) write_failed_exec(errno);
  }
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

private:
  const bool is_said_;
};

/// Calls execute(environment) with the internal variable in a copy of `original`, for the program whose
/// command line `argv` is.
template <typename Execute>
auto with_name(const char* program, char* const* original, char* const* argv, bool spawns, Execute execute) {
  if (!spawns)
    flush_tuning(), write_prints(); // what this program chose and printed; the next one begins anew
  prepare_log_for(argv, spawns);
  const Execution execution(program, spawns);
  if (options().off()) return execute(original);
  if (!preloads_us(original)) {
    const InheritedDescriptors heirs(Reach::uncovered);
    return execute(original);
  }
  const ExecRoom room(sizeof(RunEntry) + (count(original) + 2) * sizeof(char*));
  if (room.data() == nullptr) return execute(original);
  auto& entry = *static_cast<RunEntry*>(room.data());
  if (spawns)
    write_spawn_entry(entry, argv);
  else
    write_exec_entry(entry, argv);
  auto** copy = reinterpret_cast<char**>(&entry + 1);
  copy_environment(original, copy, entry);
  return execute(static_cast<char* const*>(copy));
}

/// The path of an open file; empty for a negative number, and where it has none.
class FileName {
public:
  explicit FileName(int fd) {
    Text<32> link;
    if (fd >= 0 &&
        sys::failed(sys::readlink(link.add("/proc/self/fd/").add(static_cast<uint64_t>(fd)).c_str(), path_,
                                  sizeof path_)))
      path_[0] = 0;
  }
  const char* path() const { return path_; }

private:
  char path_[513] = {};
};

constexpr Description names_program = {
    .action = Action::uncovered,
    .fields = {"program", "rank"},
    .summary =
        "Tells the program its place in the tree of processes; one that no preload reaches is recorded.",
};
constexpr Description names_unseen_child = {
    .action = Action::observe,
    .summary = "Names the child, which no fork handler hears of.",
};

} // namespace
} // namespace detshim

DETSHIM_HOOK(libc, int, execve, (const char* path, char* const argv[], char* const envp[]), names_program) {
  DETSHIM_ENTER(execve);
  const InheritedDescriptors heirs(record_escape(call.hook(), path, false, envp, call.caller()));
  return with_name(path, envp, argv, false,
                   [&](char* const* environment) { return call.real(path, argv, environment); });
}

DETSHIM_HOOK(libc, int, execvpe, (const char* file, char* const argv[], char* const envp[]), names_program) {
  DETSHIM_ENTER(execvpe);
  const InheritedDescriptors heirs(record_escape(call.hook(), file, true, envp, call.caller()));
  return with_name(file, envp, argv, false,
                   [&](char* const* environment) { return call.real(file, argv, environment); });
}

DETSHIM_HOOK(libc, int, fexecve, (int fd, char* const argv[], char* const envp[]), names_program) {
  DETSHIM_ENTER(fexecve);
  const InheritedDescriptors heirs(record_escape(call.hook(), fd, envp, call.caller()));
  return with_name(FileName(fd).path(), envp, argv, false,
                   [&](char* const* environment) { return call.real(fd, argv, environment); });
}

namespace detshim {
namespace {

template <typename Real>
int execute_at(const Hook& hook, const void* caller, int folder, const char* path, char* const argv[],
               char* const envp[], int flags, Real real) {
  const InheritedDescriptors heirs(record_escape(hook, folder, path, envp, flags, caller));
  const bool is_open_file = path != nullptr && *path == 0;
  const FileName file(is_open_file ? folder : -1);
  return with_name(is_open_file ? file.path() : path, envp, argv, false, real);
}

} // namespace
} // namespace detshim

DETSHIM_HOOK(libc, int, execveat,
             (int folder, const char* path, char* const argv[], char* const envp[], int flags),
             names_program) {
  DETSHIM_ENTER(execveat);
  return execute_at(
      call.hook(), call.caller(), folder, path, argv, envp, flags,
      [&](char* const* environment) { return call.real(folder, path, argv, environment, flags); });
}

// Where the stub of `syscall` sends SYS_execve and SYS_execveat, with all registers as they were.
extern "C" long detshim_syscall_execute(long number, long a, long b, long c, long d, long e) {
  if (hooks::syscall.real == nullptr) find_real(hooks::syscall);
  auto* const real = reinterpret_cast<long (*)(long, ...)>(const_cast<void*>(hooks::syscall.real));
  const void* const caller = __builtin_return_address(0);
  const auto text = [](long address) { return reinterpret_cast<const char*>(address); };
  const auto texts = [](long address) { return reinterpret_cast<char* const*>(address); };
  if (number == SYS_execveat)
    return execute_at(
        hooks::syscall, caller, static_cast<int>(a), text(b), texts(c), texts(d), static_cast<int>(e),
        [&](char* const* environment) { return static_cast<int>(real(number, a, b, c, environment, e)); });
  const InheritedDescriptors heirs(record_escape(hooks::syscall, text(a), false, texts(c), caller));
  return with_name(text(a), texts(c), texts(b), false,
                   [&](char* const* environment) { return real(number, a, b, environment); });
}

// libc's other forms use the process's own environment without a call that could be seen, so each is sent
// through the form that takes one.

DETSHIM_HOOK(libc, int, execv, (const char* path, char* const argv[]), names_program) {
  DETSHIM_ENTER(execv);
  const InheritedDescriptors heirs(record_escape(call.hook(), path, false, environ, call.caller()));
  if (call.passes()) return call.real(path, argv);
  auto* real_execve = call.beside<hooks::execve_signature>("execve");
  return with_name(path, environ, argv, false,
                   [&](char* const* environment) { return real_execve(path, argv, environment); });
}

DETSHIM_HOOK(libc, int, execvp, (const char* file, char* const argv[]), names_program) {
  DETSHIM_ENTER(execvp);
  const InheritedDescriptors heirs(record_escape(call.hook(), file, true, environ, call.caller()));
  if (call.passes()) return call.real(file, argv);
  auto* real_execvpe = call.beside<hooks::execvpe_signature>("execvpe");
  return with_name(file, environ, argv, false,
                   [&](char* const* environment) { return real_execvpe(file, argv, environment); });
}

namespace {

/// Calls execute(argv, environment) with the arguments of a variadic form. `counting` and `arguments` are the
/// same list, started twice.
template <typename Execute>
int with_arguments(const char* first, va_list counting, va_list arguments, bool has_environment,
                   Execute execute) {
  size_t number = 0;
  for (const char* argument = first; argument != nullptr; argument = va_arg(counting, char*)) ++number;
  auto** argv = static_cast<char**>(alloca((number + 1) * sizeof(char*)));
  argv[0] = const_cast<char*>(first);
  for (size_t i = 1; i <= number; ++i) argv[i] = va_arg(arguments, char*); // the terminating null too
  return execute(argv, has_environment ? va_arg(arguments, char* const*) : environ);
}

/// The body of the variadic forms. `beside` is the form that takes arrays: it goes in their place.
template <typename Call>
int execute_list(const Call& call, const char* beside, const char* path, bool searches, bool has_environment,
                 const char* first, va_list counting, va_list arguments) {
  auto* const real = call.template beside<hooks::execve_signature>(beside);
  return with_arguments(first, counting, arguments, has_environment,
                        [&](char* const* argv, char* const* environment) {
                          const InheritedDescriptors heirs(
                              record_escape(call.hook(), path, searches, environment, call.caller()));
                          return with_name(path, environment, argv, false,
                                           [&](char* const* named) { return real(path, argv, named); });
                        });
}

} // namespace

DETSHIM_HOOK(libc, int, execl, (const char* path, const char* first, ...), names_program) {
  DETSHIM_ENTER(execl);
  va_list counting, arguments;
  va_start(counting, first);
  va_start(arguments, first);
  const int status = execute_list(call, "execve", path, false, false, first, counting, arguments);
  va_end(arguments);
  va_end(counting);
  return status;
}

DETSHIM_HOOK(libc, int, execlp, (const char* path, const char* first, ...), names_program) {
  DETSHIM_ENTER(execlp);
  va_list counting, arguments;
  va_start(counting, first);
  va_start(arguments, first);
  const int status = execute_list(call, "execvpe", path, true, false, first, counting, arguments);
  va_end(arguments);
  va_end(counting);
  return status;
}

DETSHIM_HOOK(libc, int, execle, (const char* path, const char* first, ...), names_program) {
  DETSHIM_ENTER(execle);
  va_list counting, arguments;
  va_start(counting, first);
  va_start(arguments, first);
  const int status = execute_list(call, "execve", path, false, true, first, counting, arguments);
  va_end(arguments);
  va_end(counting);
  return status;
}

DETSHIM_HOOK(libc, int, posix_spawn,
             (pid_t * pid, const char* path, const posix_spawn_file_actions_t* actions,
              const posix_spawnattr_t* attributes, char* const argv[], char* const envp[]),
             names_program) {
  DETSHIM_ENTER(posix_spawn);
  const InheritedDescriptors heirs(record_escape(call.hook(), path, false, envp, call.caller()));
  return with_name(nullptr, envp, argv, true, [&](char* const* environment) {
    return call.real(pid, path, actions, attributes, argv, environment);
  });
}

DETSHIM_HOOK(libc, int, posix_spawnp,
             (pid_t * pid, const char* file, const posix_spawn_file_actions_t* actions,
              const posix_spawnattr_t* attributes, char* const argv[], char* const envp[]),
             names_program) {
  DETSHIM_ENTER(posix_spawnp);
  const InheritedDescriptors heirs(record_escape(call.hook(), file, true, envp, call.caller()));
  return with_name(nullptr, envp, argv, true, [&](char* const* environment) {
    return call.real(pid, file, actions, attributes, argv, environment);
  });
}

namespace {

/// Whether libc's own shell will have us in it. Where it will, which is nearly always, it is not looked for.
template <typename Call>
Reach shells_reach(const Call& call, const char* command) {
  if (command == nullptr || call.passes() || preloads_us(environ)) return Reach::covered;
  return record_escape(call.hook(), "/bin/sh", false, environ, call.caller());
}

} // namespace

// libc's own `system` gives its shell the process's environment as it is then, which several threads share.
DETSHIM_HOOK(libc, int, system, (const char* command), names_program) {
  DETSHIM_ENTER(system);
  auto* real_spawn = call.passes() ? nullptr : call.beside<hooks::posix_spawn_signature>("posix_spawn");
  const InheritedDescriptors heirs(shells_reach(call, command));
  if (command == nullptr || real_spawn == nullptr || options().off() || !preloads_us(environ))
    return call.real(command);
  return run_shell(command, [&](pid_t* child, const posix_spawnattr_t* attributes, char* const argv[]) {
    return with_name(nullptr, environ, argv, true, [&](char* const* environment) {
      return real_spawn(child, "/bin/sh", nullptr, attributes, argv, environment);
    });
  });
}

DETSHIM_HOOK(libc, FILE*, popen, (const char* command, const char* mode), names_program) {
  DETSHIM_ENTER(popen);
  if (call.passes()) return call.real(command, mode);
  const InheritedDescriptors heirs(shells_reach(call, command));
  const HiddenChild child;
  return call.real(command, mode);
}

namespace detshim {
namespace {

/// About to fork, before this process may hand on its name: the log's files say the old one.
void share_log() {
  share_page();
  log_file::offer_to_children();
}

} // namespace
} // namespace detshim

DETSHIM_HOOK(
    libc, pid_t, fork, (), .action = Action::observe,
    .summary = "Where the user's code forks is written at the end; the child is named by a fork handler.") {
  DETSHIM_ENTER(fork);
  if (call.passes()) return call.real();
  note_user_place(UserPlace::forks, call.caller());
  const int turns = turns_to_wait();
  const pid_t child = call.real();
  if (child == 0) wait_turns(turns);
  return child;
}

DETSHIM_HOOK(libc, pid_t, _Fork, (), names_unseen_child) {
  DETSHIM_ENTER(_Fork);
  if (call.passes()) return call.real();
  share_log();
  const UnseenFork child;
  return call.real();
}

DETSHIM_HOOK(libc, int, clone, (int (*run)(void*), void* stack, int flags, void* argument, ...),
             names_unseen_child) {
  DETSHIM_ENTER(clone);
  va_list more; // which of them there are is told by the flags; what is not there is not looked at
  va_start(more, argument);
  void* const parent_tid = va_arg(more, void*);
  void* const tls = va_arg(more, void*);
  void* const child_tid = va_arg(more, void*);
  va_end(more);
  const auto make = [&] { return call.real(run, stack, flags, argument, parent_tid, tls, child_tid); };
  if (call.passes() || (flags & CLONE_VM) != 0) return make();
  share_log();
  const UnseenFork child;
  return make();
}

// ------------------------------------------------------------------ the end

void detshim::record_at_end() {
  end_copies();
  write_prints();
  record_user_places();
  record_coverage();
}

/// Dash and Python's workers leave without the destructor. Not in a vfork child, whose memory is its
/// parent's. Without a system call where there is nothing to close: the process may be in a sandbox.
void detshim::close_log_of_this_process() {
  if (options().off() || !is_own_memory()) return;
  record_runtimes();
  const bool may_have_to = log_file::has_begun() || process().pid == process().root_pid;
  if (!may_have_to) return;
  flush_tuning();
  close_log(record_at_end);
}

DETSHIM_HOOK(libc, void, _exit, (int status), .action = Action::observe,
             .summary = "Closes the log of a process that ends without its exit handlers.") {
  DETSHIM_ENTER(_exit);
  if (!call.passes()) close_log_of_this_process();
  call.real(status);
}

DETSHIM_HOOK(libc, void, _Exit, (int status), .action = Action::observe,
             .summary = "Closes the log of a process that ends without its exit handlers.") {
  DETSHIM_ENTER(_Exit);
  if (!call.passes()) close_log_of_this_process();
  call.real(status);
}

void detshim::prepare_for_children() {
  note_own_preload();
  pthread_atfork(
      [] {
        share_log();
        for (Hook* hook : {&hooks::_exit, &hooks::execve})
          if (hook->state == Hook::State::unknown) find_real(*hook);
      },
      nullptr, nullptr);
}
