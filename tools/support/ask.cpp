#include "support/ask.h"

#include <array>
#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace detshim {
namespace {

/// A program and those that it starts, which end together.
class Asked {
public:
  Asked(const std::vector<std::string>& command, const std::vector<std::string>* variables, bool has_errors) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return;
    answer_ = ends[0];
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    if (has_errors)
      ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    else
      ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    const auto pointers = [](const std::vector<std::string>& texts) {
      std::vector<char*> list;
      for (const std::string& text : texts) list.push_back(const_cast<char*>(text.c_str()));
      list.push_back(nullptr);
      return list;
    };
    const std::vector<char*> arguments = pointers(command);
    const std::vector<char*> own = variables == nullptr ? std::vector<char*>{} : pointers(*variables);
    if (::posix_spawnp(&process_, arguments[0], &actions, &attributes, arguments.data(),
                       variables == nullptr ? environ : own.data()) != 0)
      process_ = -1;
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
  }
  ~Asked() {
    if (answer_ >= 0) ::close(answer_);
    wait(SIGKILL);
  }
  Asked& operator=(Asked&&) = delete; // neither copied nor moved

  bool is_started() const { return process_ > 0; }
  pid_t process() const { return process_; }
  int answer() const { return answer_; }

  /// Its status as waitpid has it, after that signal to all of them; 0 for none.
  int wait(int signal) {
    if (process_ <= 0) return status_;
    if (signal != 0) ::kill(-process_, signal);
    while (::waitpid(process_, &status_, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    return status_;
  }

private:
  int answer_ = -1, status_ = -1;
  pid_t process_ = -1;
};

} // namespace

Reply ask(const std::vector<std::string>& command, const AskLimits& limits,
          const std::vector<std::string>* variables, bool has_errors) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + limits.time;
  Asked requested(command, variables, has_errors);
  const std::string& name = command.front();
  if (!requested.is_started()) return {std::nullopt, name + " is not here, or cannot be run"};
  const std::string late =
      name + " did not answer within " +
      std::to_string(std::chrono::duration_cast<std::chrono::seconds>(limits.time).count()) + " s";
  std::string text;
  std::array<char, 65536> block;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0) return {std::nullopt, late};
    pollfd one{requested.answer(), POLLIN, 0};
    const int ready = ::poll(&one, 1, static_cast<int>(left));
    if (ready <= 0) continue;
    const ssize_t size = ::read(requested.answer(), block.data(), block.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    text.append(block.data(), static_cast<std::size_t>(size));
    if (text.size() > limits.bytes)
      return {std::nullopt, name + " answers with more than " + std::to_string(limits.bytes >> 20) + " MB"};
  }
  // One that has closed its output may still run. Where SIGCHLD is ignored, one that has ended is gone
  // (ECHILD).
  for (;;) {
    siginfo_t state{};
    if (::waitid(P_PID, static_cast<id_t>(requested.process()), &state, WEXITED | WNOHANG | WNOWAIT) != 0)
      return text.empty()
                 ? Reply{std::nullopt, name + " says nothing, and its status is lost: SIGCHLD is ignored"}
                 : Reply{text, "", 0};
    if (state.si_pid != 0) break;
    if (Clock::now() >= end) return {std::nullopt, late};
    ::poll(nullptr, 0, 1);
  }
  const int status = requested.wait(0);
  if (!WIFEXITED(status)) return {std::nullopt, name + " was ended by a signal"};
  return {text, WEXITSTATUS(status) == 0 ? "" : name + " fails", WEXITSTATUS(status)};
}

} // namespace detshim
