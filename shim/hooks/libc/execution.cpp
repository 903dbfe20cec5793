// Programs that are executed. One learns its name from the internal variable, which goes into a private copy
// of its environment here: the caller's own array may be a snapshot from long ago (Python's subprocess), and
// the caller may be a vfork child in its parent's memory.
#include "common/sys.h"
#include "common/text.h"
#include "core/fingerprint/output_digests.h"
#include "core/fingerprint/pending_transfers.h"
#include "core/identity/children.h"
#include "core/log/closing.h"
#include "core/log/log_file.h"
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

extern "C" char** environ;

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
thread_local constinit Buffer* exec_buffer = nullptr; // kept for the next program, see ExecBuffer

/// Memory for what a program that is executed gets, not on the stack: a thread's may be 16 KiB, a context's
/// less. It is kept for the thread's next one, because what a vfork child maps stays its parent's.
class ExecBuffer {
public:
  explicit ExecBuffer(size_t size) : is_shared_(!is_own_memory()) {
    // Taken away meanwhile: a signal handler may execute something as well.
    buffer_ = __atomic_exchange_n(&exec_buffer, nullptr, __ATOMIC_RELAXED);
    if (buffer_ == nullptr || buffer_->size < size) {
      free();
      buffer_ = static_cast<Buffer*>(sys::map(size + sizeof(Buffer)));
      if (buffer_ != nullptr) buffer_->size = size;
    }
    if (is_shared_) keep(); // a vfork child does not come back
  }
  ~ExecBuffer() {
    if (!is_shared_) keep();
  }
  ExecBuffer(const ExecBuffer&) = delete;
  ExecBuffer& operator=(const ExecBuffer&) = delete;

  void* data() const { return buffer_ != nullptr ? buffer_ + 1 : nullptr; }

private:
  void free() {
    if (buffer_ != nullptr) sys::unmap(buffer_, buffer_->size + sizeof(Buffer));
    buffer_ = nullptr;
  }
  void keep() {
    Buffer* const other = __atomic_exchange_n(&exec_buffer, buffer_, __ATOMIC_RELAXED);
    buffer_ = is_shared_ ? buffer_ : other;
    if (!is_shared_) free();
  }

  const bool is_shared_;
  Buffer* buffer_;
};

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

/// Says in the log that the process turns into a program, and takes it back where that fails. The program
/// leaves a log then too, which shows how the process went on, unless it cannot (`leaves_log`).
class Execution {
public:
  Execution(const Program& program, bool leaves_log) {
    if (options().off() || !is_own_memory() || program.path == nullptr) return;
    if (!is_missing(program.path)) {
      record_user_call_sites(); // the next program has none of them
      if (!leaves_log) begin_awaited_log();
    }
    if (!has_log()) return;
    char open_file[513] = {};
    if (program.is_open()) {
      Text<32> link;
      link.add("/proc/self/fd/").add(static_cast<uint64_t>(program.folder));
      if (sys::failed(sys::readlink(link.c_str(), open_file, sizeof open_file))) *open_file = 0;
    }
    const char* const path = program.is_open() ? open_file : program.path;
    is_said_ = !is_missing(path);
    if (is_said_) write_exec(path, leaves_log, record_before_exec);
  }
  ~Execution() {
    if (is_said_) write_failed_exec(errno);
  }
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

private:
  bool is_said_ = false;
};

/// Calls execute(environment) with the internal variable in a copy of `original`, for the program whose
/// command line `argv` is. `caller`: of the hook. `spawns`: in a child.
template <typename Execute>
auto with_name(char* const* original, char* const* argv, const void* caller, bool spawns, bool is_awaited,
               Execute execute) {
  if (options().off() || !preloads_us(original)) return execute(original);
  const ExecBuffer buffer(sizeof(RunEntry) + (count(original) + 2) * sizeof(char*));
  if (buffer.data() == nullptr) return execute(original);
  auto& entry = *static_cast<RunEntry*>(buffer.data());
  if (spawns)
    write_spawn_entry(entry, argv);
  else
    write_exec_entry(entry, argv, is_awaited);
  if ((spawns || !is_own_memory()) && this_thread().forks_beside) note_parallel_child(caller);
  auto** copy = reinterpret_cast<char**>(&entry + 1);
  copy_environment(original, copy, entry);
  return execute(static_cast<char* const*>(copy));
}

/// What every call does that turns this process into a program; `real(environment)` is the call.
template <typename Real>
auto execute(const Hook& hook, const void* caller, const Program& program, char* const* argv,
             char* const* environment, Real real) {
  const bool is_reached = reaches(hook, program, environment, caller);
  prepare_descriptors_for(is_reached);
  write_digests(); // what this program printed; the next one begins anew
  prepare_log_for(argv, false);
  const bool leaves_log = is_reached && shares_log(environment);
  const Execution execution(program, leaves_log);
  return with_name(environment, argv, caller, false, leaves_log && (has_log() || process().is_log_awaited),
                   real);
}

/// The same for a child that becomes the program.
template <typename Real>
auto spawn(bool is_reached, const void* caller, char* const* argv, char* const* environment, Real real) {
  prepare_descriptors_for(is_reached);
  prepare_log_for(argv, true);
  return with_name(environment, argv, caller, true, false, real);
}

// What the hooks do. Those that search look for a name without a slash in PATH.

template <bool searches, typename Call>
int execute_path(const Call& call, const char* path, char* const* argv, char* const* envp) {
  return execute(call.hook(), call.caller(), {path, searches}, argv, envp,
                 [&](char* const* environment) { return call.real(path, argv, environment); });
}

// libc's other forms use the process's own environment without a call that could be seen, or take arguments
// one by one, so each is sent through the form that takes arrays.

using ExecuteSignature = int(const char* path, char* const argv[], char* const envp[]);

template <bool searches, typename Call>
int execute_array(const Call& call, const char* path, char* const* argv, char* const* envp) {
  auto* const real =
      detshim::Call<ExecuteSignature>(searches ? hooks::execvpe : hooks::execve, call.caller()).real;
  return execute(call.hook(), call.caller(), {path, searches}, argv, envp,
                 [&](char* const* environment) { return real(path, argv, environment); });
}

template <bool searches, typename Call>
int execute_here(const Call& call, const char* path, char* const* argv) {
  return call.passes() ? call.real(path, argv) : execute_array<searches>(call, path, argv, environ);
}

enum class Form { path, searched, with_environment };

template <Form form, typename Call>
int execute_list(const Call& call, const char* path, const char* first, va_list arguments) {
  va_list counting;
  va_copy(counting, arguments);
  size_t number = 0;
  for (const char* argument = first; argument != nullptr; argument = va_arg(counting, char*)) ++number;
  va_end(counting);
  auto** argv = static_cast<char**>(alloca((number + 1) * sizeof(char*)));
  argv[0] = const_cast<char*>(first);
  for (size_t i = 1; i <= number; ++i) argv[i] = va_arg(arguments, char*); // the terminating null too
  char* const* environment = environ;
  if (form == Form::with_environment) environment = va_arg(arguments, char* const*);
  return execute_array<form == Form::searched>(call, path, argv, environment);
}

template <bool searches, typename Call>
int spawn_path(const Call& call, pid_t* pid, const char* path, const posix_spawn_file_actions_t* actions,
               const posix_spawnattr_t* attributes, char* const* argv, char* const* envp) {
  const bool is_reached = reaches(call.hook(), {path, searches}, envp, call.caller());
  return spawn(is_reached, call.caller(), argv, envp, [&](char* const* environment) {
    return call.real(pid, path, actions, attributes, argv, environment);
  });
}

/// Whether libc's own shell will have us in it. Where it will, which is nearly always, it is not looked for.
template <typename Call>
bool reaches_shell(const Call& call, const char* command) {
  if (command == nullptr || call.passes() || preloads_us(environ)) return true;
  return reaches(call.hook(), {"/bin/sh"}, environ, call.caller());
}

constexpr Description names_program = {
    .action = Action::uncovered,
    .fields = {"program", "rank"},
    .summary =
        "Tells the program its place in the tree of processes; one that no preload reaches is recorded.",
};

using Execute = Call<ExecuteSignature>;
using ExecuteHere = Call<int(const char* path, char* const argv[])>;
using ExecuteList = Call<int(const char* path, const char* first, ...)>;
using Spawn = Call<int(pid_t* pid, const char* path, const posix_spawn_file_actions_t* actions,
                       const posix_spawnattr_t* attributes, char* const argv[], char* const envp[])>;

} // namespace

void leave_exec_buffer() {
  Buffer* const buffer = __atomic_exchange_n(&exec_buffer, nullptr, __ATOMIC_RELAXED);
  if (buffer != nullptr) sys::unmap(buffer, buffer->size + sizeof(Buffer));
}

} // namespace detshim

using namespace detshim;

DETSHIM_TEMPLATE_HOOK(libc, Execute, execve, execute_path<false>, names_program);
DETSHIM_TEMPLATE_HOOK(libc, Execute, execvpe, execute_path<true>, names_program);
DETSHIM_TEMPLATE_HOOK(libc, ExecuteHere, execv, execute_here<false>, names_program);
DETSHIM_TEMPLATE_HOOK(libc, ExecuteHere, execvp, execute_here<true>, names_program);
DETSHIM_TEMPLATE_HOOK(libc, ExecuteList, execl, execute_list<Form::path>, names_program);
DETSHIM_TEMPLATE_HOOK(libc, ExecuteList, execlp, execute_list<Form::searched>, names_program);
DETSHIM_TEMPLATE_HOOK(libc, ExecuteList, execle, execute_list<Form::with_environment>, names_program);
DETSHIM_TEMPLATE_HOOK(libc, Spawn, posix_spawn, spawn_path<false>, names_program);
DETSHIM_TEMPLATE_HOOK(libc, Spawn, posix_spawnp, spawn_path<true>, names_program);

DETSHIM_HOOK(libc, int, fexecve, (int fd, char* const argv[], char* const envp[]), names_program) {
  DETSHIM_ENTER(fexecve);
  return execute(call.hook(), call.caller(), {"", false, fd, AT_EMPTY_PATH}, argv, envp,
                 [&](char* const* environment) { return call.real(fd, argv, environment); });
}

DETSHIM_HOOK(libc, int, execveat,
             (int folder, const char* path, char* const argv[], char* const envp[], int flags),
             names_program) {
  DETSHIM_ENTER(execveat);
  return execute(call.hook(), call.caller(), {path, false, folder, flags}, argv, envp,
                 [&](char* const* environment) { return call.real(folder, path, argv, environment, flags); });
}

long detshim::execute_by_number(const RawCall& call, long number, long a, long b, long c, long d, long e) {
  const auto text = [](long address) { return reinterpret_cast<const char*>(address); };
  const auto texts = [](long address) { return reinterpret_cast<char* const*>(address); };
  if (number == SYS_execveat)
    return execute(call.hook(), call.caller(), {text(b), false, static_cast<int>(a), static_cast<int>(e)},
                   texts(c), texts(d),
                   [&](char* const* environment) { return call.real(number, a, b, c, environment, e); });
  return execute(call.hook(), call.caller(), {text(a)}, texts(b), texts(c),
                 [&](char* const* environment) { return call.real(number, a, b, environment); });
}

// libc's own `system` gives its shell the process's environment as it is then, which several threads share.
DETSHIM_HOOK(libc, int, system, (const char* command), names_program) {
  DETSHIM_ENTER(system);
  auto* real_spawn = call.passes() ? nullptr : call.sibling<hooks::posix_spawn_signature>("posix_spawn");
  const bool is_reached = reaches_shell(call, command);
  prepare_descriptors_for(is_reached);
  if (command == nullptr || real_spawn == nullptr || options().off() || !preloads_us(environ))
    return call.real(command);
  return run_shell(command, [&](pid_t* child, const posix_spawnattr_t* attributes, char* const argv[]) {
    return spawn(true, call.caller(), argv, environ, [&](char* const* environment) {
      return real_spawn(child, "/bin/sh", nullptr, attributes, argv, environment);
    });
  });
}

DETSHIM_HOOK(libc, FILE*, popen, (const char* command, const char* mode), names_program) {
  DETSHIM_ENTER(popen);
  if (call.passes()) return call.real(command, mode);
  prepare_descriptors_for(reaches_shell(call, command));
  const HiddenChild child;
  return call.real(command, mode);
}
