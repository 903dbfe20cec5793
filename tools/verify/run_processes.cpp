#include "verify/run_processes.h"

#include "support/files.h"
#include "verify/kept_stream.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <system_error>

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

namespace detshim {
namespace {

namespace fs = std::filesystem;

constexpr int patience_ms = 3000;
constexpr int step_ms = 20;
constexpr char in_order = 'e';

pid_t watcher = 0;

void sleep_a_step() {
  const timespec step = {0, step_ms * 1'000'000L};
  ::nanosleep(&step, nullptr);
}

/// True if the environment that it began with has that entry, packed with others or not.
bool began_with(const fs::path& process, const std::string& entry) {
  const std::string all = read_file(process / "environ", std::size_t{1} << 22);
  std::ostringstream packed; // common/packed_options.h
  packed << std::hex << entry.size() << ':' << entry;
  const std::string alone = '\0' + entry + '\0';
  return ('\0' + all).find(alone) != all.npos || all.find(packed.str()) != all.npos;
}

/// True if it may still print for a run: `env -i` takes away the environment and leaves that.
bool prints_below(const fs::path& process, const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator at(process / "fd", error), end; !error && at != end;
       at.increment(error)) {
    std::error_code gone;
    if (is_kept_below(fs::read_symlink(at->path(), gone).string(), folder))
      return true;
  }
  return false;
}

/// Ends all, and what they have started meanwhile.
void end_all(const fs::path& folder) {
  for (int waited = 0; waited < patience_ms; waited += step_ms) {
    const std::vector<pid_t> left = running_processes(folder);
    if (left.empty())
      return;
    for (const pid_t process : left)
      ::kill(process, SIGKILL);
    sleep_a_step();
  }
}

/// In the process that waits. In a session of its own: what ends the command by its group leaves
/// it.
[[noreturn]] void watch(int end_of_other, const fs::path& folder) {
  ::setsid();
  ::prctl(PR_SET_NAME, "detshim-watch");
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  std::vector<int> open;
  std::error_code error;
  for (fs::directory_iterator at("/proc/self/fd", error), end; !error && at != end;
       at.increment(error))
    open.push_back(std::atoi(at->path().filename().c_str()));
  for (const int descriptor : open)
    if (descriptor != end_of_other)
      ::close(descriptor);
  char word = 0;
  ssize_t got = 0;
  do
    got = ::read(end_of_other, &word, 1);
  while (got < 0 && errno == EINTR);
  if (got == 0)
    end_all(folder);
  ::_exit(0);
}

} // namespace

fs::path log_of_run(const fs::path& folder) { return folder / "log"; }

std::vector<pid_t> running_processes(const fs::path& folder) {
  const std::string entry = "DETSHIM_LOG=" + log_of_run(folder).string();
  std::vector<pid_t> processes;
  std::error_code error;
  for (fs::directory_iterator at("/proc", error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    const bool is_process = !name.empty() && std::ranges::all_of(name, [](unsigned char c) {
      return std::isdigit(c) != 0;
    });
    const pid_t process = is_process ? std::atoi(name.c_str()) : 0;
    if (process > 0 && process != ::getpid() &&
        (began_with(at->path(), entry) || prints_below(at->path(), folder)))
      processes.push_back(process);
  }
  return processes;
}

std::optional<std::string> running_on(const fs::path& folder) {
  std::vector<pid_t> left = running_processes(folder);
  for (int waited = 0; !left.empty() && waited < patience_ms; waited += step_ms) {
    sleep_a_step();
    left = running_processes(folder);
  }
  if (left.empty())
    return {};
  const std::string number = std::to_string(left.front());
  return number + " (" + first_line("/proc/" + number + "/comm") + ")";
}

// Without a signal at its end it is no child that wait() knows: those are the program's.
EndsWithUs::EndsWithUs(const fs::path& folder) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw std::system_error(errno, std::generic_category(), "socketpair");
  const OwnedDescriptor end_of_other(ends[0]);
  alive_ = OwnedDescriptor(ends[1]);
  const long child = ::syscall(SYS_clone, 0, nullptr, nullptr, nullptr, nullptr);
  if (child < 0)
    throw std::system_error(errno, std::generic_category(), "clone");
  if (child == 0)
    watch(end_of_other.number(), folder);
  watcher = static_cast<pid_t>(child);
}

EndsWithUs::~EndsWithUs() {
  ::send(alive_.number(), &in_order, 1, MSG_NOSIGNAL);
  int status = 0;
  while (::waitpid(watcher, &status, static_cast<int>(__WCLONE)) < 0 && errno == EINTR) {}
  watcher = 0;
}

bool EndsWithUs::is_it(pid_t process) { return process == watcher; }

void end_with(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent)
    ::raise(SIGKILL); // it was gone by then
}

} // namespace detshim
