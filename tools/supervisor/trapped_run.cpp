#include "supervisor/trapped_run.h"

#include "common/names.h"
#include "common/sys.h"
#include "log_reader/printable.h"
#include "scanner/preloading.h"
#include "supervisor/filter.h"
#include "supervisor/process_name.h"
#include "supervisor/supervisor.h"
#include "support/exit_status.h"
#include "support/variable.h"
#include "support/wording.h"

#include <spdlog/spdlog.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <optional>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace detshim {
namespace {

// ------------------------------------------------------------------ the run

std::uint64_t random_number() {
  std::uint64_t number = 0;
  if (::syscall(SYS_getrandom, &number, sizeof number, 0) != sizeof number)
    throw UsageError("the kernel gives no random numbers");
  return number;
}

/// The variable that the library in a first process would write for the program it turns into. `folder` is
/// where the log folder's name is kept.
RunVariable begin_run(std::string& folder) {
  RunVariable run;
  const Launch launch = read_launch([](const char* name) { return std::getenv(name); }, 0);
  const JobName job = job_name_of(launch);
  run.is_of_job = job.has_other_ranks;
  run.writer_pid = ::getpid();
  run.root_pid = run.is_of_job && (launch.rank != 0 || launch.spawn != 0) ? 0 : run.writer_pid;
  run.begun = sys::now();
  new_run_name(static_cast<std::time_t>(run.begun / 1'000'000)).copy(run.run, sizeof run.run - 1);
  const std::string requested = variable("DETSHIM_LOG");
  run.log_is_default = requested.empty();
  const std::string named = run.log_is_default ? "detshim-log" : requested;
  std::error_code error; // the folder that this process is in may be gone
  folder = std::filesystem::absolute(named, error).string();
  if (error) folder = "./" + named;
  if (run.is_of_job) agree_on_run(job, folder.c_str(), launch.rank, run.run, run.begun);
  if (run.log_is_default) folder += std::string("/") + run.run;
  if (folder.size() > 3600) throw UsageError("the log folder's name is too long");
  run.log_folder = folder.data();
  run.log_folder_length = folder.size();

  if (const char* const seed = std::getenv("DETSHIM_SEED")) {
    const std::optional<std::uint64_t> number = read_seed(seed);
    if (!number) throw UsageError("DETSHIM_SEED " + in_quotes(seed) + " is not accepted");
    run.seed = *number;
  } else {
    run.seed = job.key != 0 ? drawn_seed(job, run.run) : random_number() >> 11; // as the library draws it
    run.seed_drawn = true;
  }
  run.has_seed = true;
  run.mode = run.seed_drawn ? Mode::record : Mode::enforce;
  run.policy =
      variable("DETSHIM_SEED_POLICY") == policy_name(SeedPolicy::keep) ? SeedPolicy::keep : SeedPolicy::fixed;
  // A rank is left to the program to begin, as by a launcher that is in the run.
  if (!launch.has_rank) enter_job(run, launch);
  begin_path(run, run.rank_plus_1);
  return run;
}

/// The run that this process is in already, or a new one.
RunVariable join_or_begin_run(std::string& folder) {
  RunVariable run;
  const char* const variable = std::getenv(run_variable_name);
  if (variable == nullptr) {
    run = begin_run(folder);
  } else {
    if (!parse_run_variable(variable, run)) throw UsageError("DETSHIM_RUN is not accepted: unset it");
    folder.assign(run.log_folder, run.log_folder_length);
    run.log_folder = folder.data();
  }
  if (!run.has_seed) { // a run in mode observe, which this part of it leaves
    run.seed = random_number() >> 11;
    run.seed_drawn = run.has_seed = true;
  }
  if (const char* const mode = std::getenv("DETSHIM_MODE")) {
    const std::optional<Mode> requested = read_mode(mode);
    if (!requested) throw UsageError("DETSHIM_MODE " + in_quotes(mode) + " is not accepted");
    run.mode = *requested;
  }
  if (run.mode == Mode::observe || run.mode == Mode::off)
    throw UsageError("--trap-syscalls pins, and the modes observe and off do not: leave one of them out");
  run.is_trapped = true;
  return run;
}

void publish(const RunVariable& run) {
  RunEntry entry;
  write_run_entry(entry, run);
  ::setenv(run_variable_name, std::strchr(entry, '=') + 1, 1);
}

// ------------------------------------------------------------------ the two processes

/// A byte, and room for a descriptor beside it.
struct Message {
  char byte = 0;
  iovec data = {&byte, 1};
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int))] = {};
  msghdr header = {nullptr, 0, &data, 1, room, sizeof room, 0};
};

bool send_descriptor(int socket, int descriptor) {
  Message message;
  cmsghdr* const header = CMSG_FIRSTHDR(&message.header);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof descriptor);
  std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  return ::sendmsg(socket, &message.header, MSG_NOSIGNAL) == 1;
}

/// -1 if the other side is gone.
int receive_descriptor(int socket) {
  Message message;
  if (::recvmsg(socket, &message.header, MSG_CMSG_CLOEXEC) != 1) return -1;
  const cmsghdr* const header = CMSG_FIRSTHDR(&message.header);
  int descriptor = -1;
  if (header != nullptr) std::memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
  return descriptor;
}

bool send_error(int socket, int error) {
  return ::send(socket, &error, sizeof error, MSG_NOSIGNAL) == sizeof error;
}

/// What the other side sent; EPIPE if it is gone.
int receive_error(int socket) {
  int error = EPIPE;
  return ::recv(socket, &error, sizeof error, 0) == sizeof error ? error : EPIPE;
}

/// Keeps nothing of what the process it comes from had: a terminal's signals end the program, not the one who
/// answers it, and the readers of its pipes must see their end.
void detach(int& socket) {
  ::setsid();
  for (const int signal :
       {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ, SIGTSTP, SIGALRM, SIGUSR1, SIGUSR2})
    std::signal(signal, SIG_IGN);
  socket = ::fcntl(socket, F_DUPFD_CLOEXEC, 3); // it may have the number of a standard stream that was closed
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int standard = 0; standard <= 2; ++standard) ::dup2(null, standard);
  socket = ::dup2(socket, 3);
  ::syscall(SYS_close_range, 4U, ~0U, 0U);
  if (::chdir("/") != 0) return; // it holds a file system then, no more
  ::prctl(PR_SET_NAME, "detshim-trap", 0, 0, 0);
  rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
}

/// 0 if this process may write to that one's memory, which it does: under Yama's ptrace_scope it may not,
/// being none of its ancestors.
int try_memory(int pid) {
  static std::uint64_t word = 1; // at the same address there
  std::uint64_t copy = word;
  const iovec here = {&copy, sizeof copy};
  const iovec there = {&word, sizeof word};
  return ::process_vm_writev(pid, &here, 1, &there, 1, 0) == sizeof copy ? 0 : errno;
}

/// 0 if /proc is there and of this process's own namespace, so that the numbers that the kernel gives are
/// those in it.
int try_proc(int pid) {
  char own[16] = {};
  struct stat state;
  if (::readlink("/proc/self", own, sizeof own - 1) < 0 || own != std::to_string(::getpid())) return ENOENT;
  return ::stat(("/proc/" + std::to_string(pid) + "/exe").c_str(), &state) == 0 ? 0 : errno;
}

[[noreturn]] void be_supervisor(int socket, int program, const RunVariable& run) {
  struct stat run_stderr = {};
  ::fstat(STDERR_FILENO, &run_stderr);
  detach(socket);
  const int memory = try_memory(program);
  send_error(socket, memory != 0 ? memory : try_proc(program));
  OwnedDescriptor listener(receive_descriptor(socket));
  if (listener && send_error(socket, 0)) {
    ::close(socket);
    try {
      supervise(std::move(listener), run, run_stderr);
    } catch (const std::exception&) { // before anything was asked
    }
  }
  ::syscall(SYS_exit_group, 0);
  std::abort();
}

/// A fork that no fork handler sees (under a preloaded library it would count as the program's child), and
/// whose end sends no signal that could reach the program.
pid_t plain_fork() { return static_cast<pid_t>(::syscall(SYS_clone, 0, 0, 0, 0, 0)); }

/// Starts the supervisor, as nobody's child that the program could wait for. The socket to it, or -1.
int start_supervisor(const RunVariable& run) {
  int sockets[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) return -1;
  const pid_t program = ::getpid();
  const pid_t child = plain_fork();
  if (child == 0) {
    if (plain_fork() == 0) be_supervisor(sockets[1], program, run);
    ::syscall(SYS_exit_group, 0);
  }
  ::close(sockets[1]);
  int status = 0;
  while (child > 0 && ::waitpid(child, &status, __WALL) < 0 && errno == EINTR) continue;
  return child > 0 ? sockets[0] : -1;
}

/// 0, or the reason why there is no supervisor and no filter that would need it.
int put_under_supervisor(const RunVariable& run, std::string& what) {
  what = "its supervisor cannot be started";
  const OwnedDescriptor socket(start_supervisor(run));
  if (!socket) return errno;
  what = "its supervisor may not look into other processes (kernel.yama.ptrace_scope? no /proc?)";
  if (const int error = receive_error(socket.number())) return error;
  what = "the kernel takes no filter that asks";
  const OwnedDescriptor listener(install_filter());
  if (!listener) {
    if (listener.number() == -EBUSY)
      what = "a filter that asks is there already (--trap-syscalls within itself?)";
    return -listener.number();
  }
  what = "its supervisor is gone";
  return send_descriptor(socket.number(), listener.number()) ? receive_error(socket.number()) : EPIPE;
}

// ------------------------------------------------------------------ the program

void execute(const std::string& path, std::vector<char*>& arguments) {
  // Not by libc's function: under a preloaded library that would write its own variable over ours.
  ::syscall(SYS_execve, path.c_str(), arguments.data(), environ);
  if (errno != ENOEXEC) return;
  std::vector<char*> script = {const_cast<char*>("/bin/sh"), const_cast<char*>(path.c_str())};
  script.insert(script.end(), arguments.begin() + 1, arguments.end());
  ::syscall(SYS_execve, script[0], script.data(), environ);
}

/// As execvp does it. Returns the reason why it could not be.
int execute_in_path(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const std::string found = find_executable(command[0]);
  if (found.empty() && command[0].find('/') == std::string::npos) return ENOENT;
  execute(found.empty() ? command[0] : found, arguments);
  return errno;
}

} // namespace

int run_trapped(const std::vector<std::string>& command) {
  std::string folder;
  const RunVariable run = join_or_begin_run(folder);
  publish(run);
  std::string what;
  if (const int error = put_under_supervisor(run, what)) {
    spdlog::error("--trap-syscalls is not possible here: {}: {}", what, std::strerror(error));
    return cannot_execute;
  }
  const int error = execute_in_path(command);
  spdlog::error("cannot run {}: {}", in_quotes(command[0]), std::strerror(error));
  return error == ENOENT ? program_missing : cannot_execute;
}

} // namespace detshim
