// Programs that are executed. One learns its name from the internal variable, which goes into a
// private copy of its environment here: the caller's own array may be a snapshot from long ago
// (Python's subprocess), and the caller may be a vfork child in its parent's memory.
#include "common/environment_room.h"
#include "common/run_agreements.h"
#include "common/sys.h"
#include "common/text.h"
#include "core/base/user_memory.h"
#include "core/fingerprint/output_digests.h"
#include "core/fingerprint/pending_transfers.h"
#include "core/identity/children.h"
#include "core/identity/command_names.h"
#include "core/log/closing.h"
#include "core/log/log_file.h"
#include "core/policy/settings_table.h"
#include "hooks/libc/inherited_descriptors.h"
#include "hooks/libc/process.h"
#include "hooks/libc/raw_calls.h"
#include "hooks/libc/shell.h"
#include "hooks/libc/uncovered_execs.h"
#include "hooks/runtimes/unseen_runtimes.h"
#include "hooks/support/user_call_sites.h"
#include "loader/coverage.h"
#include "loader/hook.h"

#include <alloca.h>
#include <cstdarg>
#include <cstdio>
#include <spawn.h>

extern "C" char** __environ;

namespace detshim {
namespace hooks {
DETSHIM_DECLARE_HOOK(execve);
DETSHIM_DECLARE_HOOK(execvpe);
} // namespace hooks

namespace {

/// The buffer's memory follows.
struct Buffer {
  size_t size;
};
struct ExecMemory {
  Buffer* kept; ///< for the thread's next program, see ExecBuffer
};
thread_local constinit ExecMemory exec_memory = {};

/// Memory for what a program that is executed gets, not on the stack: a thread's may be 16 KiB, a
/// context's less. It is kept for the thread's next one, because what a vfork child maps stays its
/// parent's.
class ExecBuffer {
public:
  explicit ExecBuffer(size_t size) : is_shared_(!is_own_memory()) {
    // Taken away meanwhile: a signal handler may execute something as well.
    buffer_ = __atomic_exchange_n(&exec_memory.kept, nullptr, __ATOMIC_RELAXED);
    if (buffer_ == nullptr || buffer_->size < size) {
      free();
      buffer_ = static_cast<Buffer*>(sys::map(size + sizeof(Buffer)));
      if (buffer_ != nullptr)
        buffer_->size = size;
    }
    if (is_shared_)
      keep(); // a vfork child does not come back
  }
  ~ExecBuffer() {
    if (!is_shared_)
      keep();
  }
  ExecBuffer(const ExecBuffer&) = delete;
  ExecBuffer& operator=(const ExecBuffer&) = delete;

  void* data() const { return buffer_ != nullptr ? buffer_ + 1 : nullptr; }

private:
  void free() {
    if (buffer_ != nullptr)
      sys::unmap(buffer_, buffer_->size + sizeof(Buffer));
    buffer_ = nullptr;
  }
  void keep() {
    Buffer* const other = __atomic_exchange_n(&exec_memory.kept, buffer_, __ATOMIC_RELAXED);
    buffer_ = is_shared_ ? buffer_ : other;
    if (!is_shared_)
      free();
  }

  const bool is_shared_;
  Buffer* buffer_;
};

size_t count(char* const* texts) {
  size_t number = 0;
  while (texts != nullptr && texts[number] != nullptr)
    ++number;
  return number;
}

bool is_users(const char* entry) {
  return !is_made_by_detshim(entry) && !is_entry_of_setting(entry);
}

/// What is handed on of what is not the user's.
bool is_kept(const char* entry) {
  return !is_users(entry) && !is_room(entry) && !starts_with(entry, "DETSHIM_RUN=");
}

uint64_t number_in(const char* text) {
  uint64_t number = 0;
  for (; *text >= '0' && *text <= '9'; ++text)
    number = number * 10 + static_cast<uint64_t>(*text - '0');
  return number;
}

/// How many processors the calling thread may run on, and with it what it starts; 0 where that is
/// not said.
uint64_t processors_to_run_on() {
  uint64_t set[128] = {}; // of 8,192: the kernel takes no smaller one than it was built for
  const long size = sys::call(SYS_sched_getaffinity, 0, sizeof set, sys::address(set));
  uint64_t count = 0;
  if (!sys::failed(size))
    for (const uint64_t bits : set)
      count += static_cast<uint64_t>(__builtin_popcountll(bits));
  return count;
}

/// The number of threads that `detshim run` chose, for a program that gets fewer processors than
/// there were then: a runtime would make as many as there are now.
class FewerThreads {
public:
  explicit FewerThreads(char* const* environment) {
    const char* const threads = environment_value("OMP_NUM_THREADS", environment);
    const char* const chosen = environment_value(own_threads_name, environment);
    const char* const before = environment_value(own_processors_name, environment);
    if (threads == nullptr || chosen == nullptr || before == nullptr || !same_text(threads, chosen))
      return;
    const uint64_t now = processors_to_run_on();
    if (now == 0 || now >= number_in(before))
      return;
    const uint64_t least = now < number_in(chosen) ? now : number_in(chosen);
    threads_.add("OMP_NUM_THREADS=").add(least);
    chosen_.add(own_threads_name).add('=').add(least);
    processors_.add(own_processors_name).add('=').add(now);
  }

  /// What the program gets instead of that entry; the entry itself, mostly.
  char* instead_of(char* entry) {
    for (Text<48>* const own : {&threads_, &chosen_, &processors_})
      if (own->length() != 0 && same_name(own->c_str(), entry))
        return const_cast<char*>(own->c_str());
    return entry;
  }

private:
  Text<48> threads_, chosen_, processors_;
};

/// The environment that a program gets: the user's variables, then what detshim makes, then the
/// room.
struct ProgramEnvironment {
  RunEntry entry; ///< to be written first
  char texts[largest_room.bytes];
  char* entries[]; ///< of those that size() counts

  /// In bytes, for a copy of `original`.
  static size_t size(char* const* original) {
    return sizeof(ProgramEnvironment) +
           (count(original) + 2 + largest_room.variables) * sizeof(char*);
  }

  void fill(char* const* original, FewerThreads& threads) {
    char** to = entries;
    for (char* const* from = original; *from != nullptr; ++from)
      if (is_users(*from))
        *to++ = *from;
    for (char* const* from = original; *from != nullptr; ++from)
      if (is_kept(*from))
        *to++ = threads.instead_of(*from);
    *to++ = entry;
    *to = nullptr;
    const auto all = [](const char*) {
      return true;
    };
    const EnvironmentSize room =
        room_for(size_of_entries(original, is_users), size_of_entries(entries, all));
    write_room(room, texts, to);
    to[room.variables] = nullptr;
  }

  /// For a command line that leaves no place for it.
  void leave_room() {
    char** at = entries;
    while (!is_room(*at))
      ++at;
    *at = nullptr;
  }
};

/// True if a call that executes or spawns a program has answered that its texts are too many.
bool is_too_large(long answer) { return answer == E2BIG || (answer == -1 && errno == E2BIG); }

void record_before_exec() {
  record_runtimes();
  end_transfers();
  record_coverage();
}

/// True for a path of nothing: who looks for a program tries several.
bool is_missing(const char* program) {
  return contains(program, "/") &&
         sys::failed(sys::call(SYS_faccessat, AT_FDCWD, sys::address(program), F_OK));
}

/// Says in the log that the process turns into a program, and takes it back where that fails. The
/// program leaves a log then too, which shows how the process went on, unless it cannot
/// (`leaves_log`).
class Execution {
public:
  Execution(const Program& program, bool leaves_log) {
    if (options().off() || !is_own_memory() || program.path == nullptr)
      return;
    if (!is_missing(program.path)) {
      record_user_call_sites(); // the next program has none of them
      if (!leaves_log || expands_in_command())
        begin_awaited_log();
    }
    if (!has_log())
      return;
    char open_file[513] = {};
    if (program.is_open()) {
      Text<32> link;
      link.add("/proc/self/fd/").add(static_cast<uint64_t>(program.folder));
      if (sys::failed(sys::readlink(link.c_str(), open_file, sizeof open_file)))
        *open_file = 0;
    }
    const char* const path = program.is_open() ? open_file : program.path;
    is_said_ = !is_missing(path);
    if (is_said_)
      write_exec(path, leaves_log, record_before_exec);
  }
  ~Execution() {
    if (is_said_)
      write_failed_exec(errno);
  }
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

private:
  bool is_said_ = false;
};

/// Calls execute(environment) with the internal variable in a copy of `original`, for the program
/// whose command line `argv` is. `caller`: of the hook. `spawns`: in a child.
template <typename Execute>
auto with_name(char* const* original, char* const* argv, const void* caller, bool spawns,
               bool is_awaited, Execute execute) {
  if (options().off() || !preloads_us(original))
    return execute(original);
  const ExecBuffer buffer(ProgramEnvironment::size(original));
  if (buffer.data() == nullptr)
    return execute(original);
  auto& environment = *static_cast<ProgramEnvironment*>(buffer.data());
  const bool makes_child = spawns || !is_own_memory();
  if (makes_child && has_log())
    share_log();
  if (spawns)
    write_spawn_entry(environment.entry, argv);
  else
    write_exec_entry(environment.entry, argv, is_awaited);
  if (makes_child && this_thread().forks_beside)
    note_parallel_child(caller);
  FewerThreads threads(original);
  environment.fill(original, threads);
  const auto answer = execute(static_cast<char* const*>(environment.entries));
  if (!is_too_large(answer))
    return answer;
  environment.leave_room();
  return execute(static_cast<char* const*>(environment.entries));
}

/// False where the kernel will refuse a program for memory that it cannot read: such a call goes to
/// it as it is. All of that is read here before, because the kernel does not come back from one
/// that it takes.
bool may_execute(const char* path, char* const* argv, char* const* environment) {
  return (path == nullptr || can_read_text(path)) && can_read_texts(argv) &&
         can_read_texts(environment);
}

/// What every call does that turns this process into a program; `real(environment)` is the call.
template <typename Real>
auto execute(const Hook& hook, const void* caller, const Program& program, char* const* argv,
             char* const* environment, Real real) {
  if (!may_execute(program.path, argv, environment))
    return real(environment);
  const bool is_reached = reaches(hook, program, environment, caller);
  prepare_descriptors_for(is_reached);
  write_digests(); // what this program printed; the next one begins anew
  prepare_log_for(argv, false);
  const bool leaves_log = is_reached && shares_log(environment);
  const Execution execution(program, leaves_log);
  return with_name(environment, argv, caller, false,
                   leaves_log && (has_log() || process().is_log_awaited), real);
}

/// The same for a child that becomes the program. All of that can be read.
template <typename Real>
auto spawn(bool is_reached, const void* caller, char* const* argv, char* const* environment,
           Real real) {
  prepare_descriptors_for(is_reached);
  prepare_log_for(argv, true);
  return with_name(environment, argv, caller, true, false, real);
}

// What the hooks do. Those that search look for a name without a slash in PATH.

template <bool searches, typename Call>
int execute_path(const Call& call, const char* path, char* const* argv, char* const* envp) {
  return execute(call.hook(), call.caller(), {path, searches}, argv, envp,
                 [&](char* const* environment) {
                   return call.real(path, argv, environment);
                 });
}

// libc's other forms use the process's own environment without a call that could be seen, or take
// arguments one by one, so each is sent through the form that takes arrays.

using ExecuteSignature = int(const char* path, char* const argv[], char* const envp[]);

template <bool searches, typename Call>
int execute_array(const Call& call, const char* path, char* const* argv, char* const* envp) {
  auto* const real =
      detshim::Call<ExecuteSignature>(searches ? hooks::execvpe : hooks::execve, call.caller())
          .real;
  return execute(call.hook(), call.caller(), {path, searches}, argv, envp,
                 [&](char* const* environment) {
                   return real(path, argv, environment);
                 });
}

template <bool searches, typename Call>
int execute_here(const Call& call, const char* path, char* const* argv) {
  return call.passes() ? call.real(path, argv)
                       : execute_array<searches>(call, path, argv, __environ);
}

enum class Form { path, searched, with_environment };

template <Form form, typename Call>
int execute_list(const Call& call, const char* path, const char* first, va_list arguments) {
  va_list counting;
  va_copy(counting, arguments);
  size_t number = 0;
  for (const char* argument = first; argument != nullptr; argument = va_arg(counting, char*))
    ++number;
  va_end(counting);
  auto** argv = static_cast<char**>(alloca((number + 1) * sizeof(char*)));
  argv[0] = const_cast<char*>(first);
  for (size_t i = 1; i <= number; ++i)
    argv[i] = va_arg(arguments, char*); // the terminating null too
  char* const* environment = __environ;
  if (form == Form::with_environment)
    environment = va_arg(arguments, char* const*);
  return execute_array<form == Form::searched>(call, path, argv, environment);
}

template <bool searches, typename Call>
int spawn_path(const Call& call, pid_t* pid, const char* path,
               const posix_spawn_file_actions_t* actions, const posix_spawnattr_t* attributes,
               char* const* argv, char* const* envp) {
  const auto real = [&](char* const* environment) {
    return call.real(pid, path, actions, attributes, argv, environment);
  };
  if (!may_execute(path, argv, envp))
    return real(envp);
  const bool is_reached = reaches(call.hook(), {path, searches}, envp, call.caller());
  return spawn(is_reached, call.caller(), argv, envp, real);
}

/// Whether libc's own shell will have us in it. Where it will, which is nearly always, it is not
/// looked for.
template <typename Call>
bool reaches_shell(const Call& call, const char* command) {
  if (command == nullptr || call.passes() || preloads_us(__environ))
    return true;
  return reaches(call.hook(), {"/bin/sh"}, __environ, call.caller());
}

constexpr Description names_program = {
    .action = Action::uncovered,
    .fields = {"program"_in, "rank"_in},
    .summary = "Tells the program its place in the tree of processes; one that no preload reaches "
               "is recorded.",
};

using Execute = Call<ExecuteSignature>;
using ExecuteHere = Call<int(const char* path, char* const argv[])>;
using ExecuteList = Call<int(const char* path, const char* first, ...)>;
using Spawn =
    Call<int(pid_t* pid, const char* path, const posix_spawn_file_actions_t* actions,
             const posix_spawnattr_t* attributes, char* const argv[], char* const envp[])>;

} // namespace

void leave_exec_buffer() {
  Buffer* const buffer = __atomic_exchange_n(&exec_memory.kept, nullptr, __ATOMIC_RELAXED);
  if (buffer != nullptr)
    sys::unmap(buffer, buffer->size + sizeof(Buffer));
}

} // namespace detshim

using namespace detshim;

DETSHIM_TEMPLATE_HOOK(libc, Execute, execve, execute_path<false>, names_program);
DETSHIM_TEMPLATE_HOOK(libc, Execute, execvpe, execute_path<true>, names_program);
DETSHIM_TEMPLATE_HOOK(libc, ExecuteHere, execv, execute_here<false>, names_program);
DETSHIM_TEMPLATE_HOOK(libc, ExecuteHere, execvp, execute_here<true>, names_program);
DETSHIM_TEMPLATE_HOOK(libc, ExecuteList, execl, execute_list<Form::path>, names_program);
DETSHIM_TEMPLATE_HOOK(libc, ExecuteList, execlp, execute_list<Form::searched>, names_program);
DETSHIM_TEMPLATE_HOOK(libc, ExecuteList, execle, execute_list<Form::with_environment>,
                      names_program);
DETSHIM_TEMPLATE_HOOK(libc, Spawn, posix_spawn, spawn_path<false>, names_program);
DETSHIM_TEMPLATE_HOOK(libc, Spawn, posix_spawnp, spawn_path<true>, names_program);

DETSHIM_HOOK(libc, int, fexecve, (int fd, char* const argv[], char* const envp[]), names_program) {
  DETSHIM_ENTER(fexecve);
  return execute(call.hook(), call.caller(), {"", false, fd, AT_EMPTY_PATH}, argv, envp,
                 [&](char* const* environment) {
                   return call.real(fd, argv, environment);
                 });
}

DETSHIM_HOOK(libc, int, execveat,
             (int folder, const char* path, char* const argv[], char* const envp[], int flags),
             names_program) {
  DETSHIM_ENTER(execveat);
  return execute(call.hook(), call.caller(), {path, false, folder, flags}, argv, envp,
                 [&](char* const* environment) {
                   return call.real(folder, path, argv, environment, flags);
                 });
}

long detshim::execute_by_number(const RawCall& call, long number, long a, long b, long c, long d,
                                long e) {
  const auto text = [](long address) {
    return reinterpret_cast<const char*>(address);
  };
  const auto texts = [](long address) {
    return reinterpret_cast<char* const*>(address);
  };
  if (number == SYS_execveat)
    return execute(call.hook(), call.caller(),
                   {text(b), false, static_cast<int>(a), static_cast<int>(e)}, texts(c), texts(d),
                   [&](char* const* environment) {
                     return call.real(number, a, b, c, environment, e);
                   });
  return execute(call.hook(), call.caller(), {text(a)}, texts(b), texts(c),
                 [&](char* const* environment) {
                   return call.real(number, a, b, environment);
                 });
}

// libc's own `system` gives its shell the process's environment as it is then, which several
// threads share.
DETSHIM_HOOK(libc, int, system, (const char* command), names_program) {
  DETSHIM_ENTER(system);
  auto* real_spawn =
      call.passes() ? nullptr : call.sibling<hooks::posix_spawn_signature>("posix_spawn");
  const bool is_reached = reaches_shell(call, command);
  prepare_descriptors_for(is_reached);
  if (command == nullptr || real_spawn == nullptr || options().off() || !preloads_us(__environ))
    return call.real(command);
  return run_shell(command,
                   [&](pid_t* child, const posix_spawnattr_t* attributes, char* const argv[]) {
                     const auto spawn_shell = [&](char* const* environment) {
                       return real_spawn(child, "/bin/sh", nullptr, attributes, argv, environment);
                     };
                     if (!can_read_text(command))
                       return spawn_shell(__environ);
                     return spawn(true, call.caller(), argv, __environ, spawn_shell);
                   });
}

DETSHIM_HOOK(libc, FILE*, popen, (const char* command, const char* mode), names_program) {
  DETSHIM_ENTER(popen);
  if (call.passes())
    return call.real(command, mode);
  prepare_descriptors_for(reaches_shell(call, command));
  const HiddenChild child;
  return call.real(command, mode);
}
