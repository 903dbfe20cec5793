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
  Asked(const std::vector<std::string>& command, const std::vector<std::string>* variables,
        bool has_errors) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
      return;
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
      for (const std::string& text : texts)
        list.push_back(const_cast<char*>(text.c_str()));
      list.push_back(nullptr);
      return list;
    };
    const std::vector<char*> arguments = pointers(command);
    const std::vector<char*> own =
        variables == nullptr ? std::vector<char*>{} : pointers(*variables);
    if (::posix_spawnp(&process_, arguments[0], &actions, &attributes, arguments.data(),
                       variables == nullptr ? environ : own.data()) != 0)
      process_ = -1;
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
  }
  ~Asked() {
    if (answer_ >= 0)
      ::close(answer_);
    wait(SIGKILL);
  }
  Asked& operator=(Asked&&) = delete; // neither copied nor moved

  bool is_started() const { return process_ > 0; }
  int answer() const { return answer_; }

  /// True where it has ended, or its status is lost.
  bool is_over() {
    siginfo_t state{};
    is_lost_ =
        ::waitid(P_PID, static_cast<id_t>(process_), &state, WEXITED | WNOHANG | WNOWAIT) != 0;
    return is_lost_ || state.si_pid != 0;
  }
  /// Where SIGCHLD is ignored, one that has ended is gone (ECHILD).
  bool is_status_lost() const { return is_lost_; }

  /// Its status as waitpid has it, after that signal to all of them; 0 for none.
  int wait(int signal) {
    if (process_ <= 0)
      return status_;
    if (signal != 0)
      ::kill(-process_, signal);
    while (::waitpid(process_, &status_, 0) < 0 && errno == EINTR) {}
    process_ = -1;
    return status_;
  }

private:
  int answer_ = -1, status_ = -1;
  pid_t process_ = -1;
  bool is_lost_ = false;
};

using Clock = std::chrono::steady_clock;

/// How reading an answer ended.
enum class AnswerEnd { whole, late, too_long };

AnswerEnd read_answer(int from, Clock::time_point end, std::size_t most, std::string& text) {
  std::array<char, 65536> block;
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0)
      return AnswerEnd::late;
    pollfd answer{from, POLLIN, 0};
    if (::poll(&answer, 1, static_cast<int>(left)) <= 0)
      continue;
    const ssize_t size = ::read(from, block.data(), block.size());
    if (size < 0 && errno == EINTR)
      continue;
    if (size <= 0)
      return AnswerEnd::whole;
    text.append(block.data(), static_cast<std::size_t>(size));
    if (text.size() > most)
      return AnswerEnd::too_long;
  }
}

/// One that has closed its output may still run. False if it does not end in time.
bool wait_until_over(Asked& requested, Clock::time_point end) {
  while (!requested.is_over()) {
    if (Clock::now() >= end)
      return false;
    ::poll(nullptr, 0, 1);
  }
  return true;
}

/// What a program that has ended leaves.
Reply reply_of(Asked& requested, const std::string& name, const std::string& text) {
  if (requested.is_status_lost())
    return text.empty() ? Reply{std::nullopt, name + " says nothing, and its status is lost: "
                                                     "SIGCHLD is ignored"}
                        : Reply{text, "", 0};
  const int status = requested.wait(0);
  if (!WIFEXITED(status))
    return {std::nullopt, name + " was ended by a signal"};
  return {text, WEXITSTATUS(status) == 0 ? "" : name + " fails", WEXITSTATUS(status)};
}

} // namespace

Reply ask(const std::vector<std::string>& command, const AskLimits& limits,
          const std::vector<std::string>* variables, bool has_errors) {
  const Clock::time_point end = Clock::now() + limits.time;
  Asked requested(command, variables, has_errors);
  const std::string& name = command.front();
  if (!requested.is_started())
    return {std::nullopt, name + " is not here, or cannot be run"};
  std::string text;
  const AnswerEnd ended = read_answer(requested.answer(), end, limits.bytes, text);
  if (ended == AnswerEnd::too_long)
    return {std::nullopt,
            name + " answers with more than " + std::to_string(limits.bytes >> 20) + " MB"};
  if (ended == AnswerEnd::late || !wait_until_over(requested, end)) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(limits.time).count();
    return {std::nullopt, name + " did not answer within " + std::to_string(seconds) + " s"};
  }
  return reply_of(requested, name, text);
}

} // namespace detshim
