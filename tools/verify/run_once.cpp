// Decides when a run is over and how it ended. It is over once the program has ended and all that
// it left to this command, or ten seconds of waiting later: what still runs then is `left_behind`.
// At the end of its time everything is killed, on purpose the program first. A
// signal that would end this command is passed on to the program, and at a second one everything is
// killed.
//
// It cannot know who sent the signal that ended a program. One that is sent from outside as a rule
// counts as killed, and what the program did until then says nothing.
#include "verify/run_once.h"

#include "environment/capture.h"
#include "run/early_settings.h"
#include "run/library_file.h"
#include "support/exit_status.h"
#include "support/files.h"
#include "support/variable.h"
#include "verify/busy_processors.h"
#include "verify/kept_stream.h"
#include "verify/run_processes.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace detshim {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// A file is read anew from where it stands; a terminal or a pipe could be read by the first run
/// alone.
bool redirect_input() {
  const off_t at = ::lseek(STDIN_FILENO, 0, SEEK_CUR);
  const bool is_file = at >= 0 && ::isatty(STDIN_FILENO) == 0;
  int descriptor = is_file ? ::open("/proc/self/fd/0", O_RDONLY | O_CLOEXEC) : -1;
  if (descriptor >= 0)
    ::lseek(descriptor, at, SEEK_SET);
  else
    descriptor = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  return descriptor >= 0 && ::dup2(descriptor, STDIN_FILENO) == STDIN_FILENO;
}

void limit_processors(std::size_t most) {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) != 0)
    return;
  for (int i = 0; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &set) && most-- == 0) {
      for (; i < CPU_SETSIZE; ++i)
        CPU_CLR(i, &set);
    }
  ::sched_setaffinity(0, sizeof set, &set);
}

/// What happens in the child: `detshim run` with what is to be other in this run.
int become_program(const RunOnce& how, const RunSettings& settings) {
  RunOptions options = how.run;
  options.users = size_of_users_variables(); // before this run's own: they would move the stack
  if (how.turn_in_child != nullptr)
    how.turn_in_child();
  if (!settings.caches.empty())
    for (const char* name : cache_variables)
      ::setenv(name, settings.caches.c_str(), 1);
  if (settings.freezes_clocks || settings.clock_step_ms != 0)
    options.freeze_from = settings.first_log;
  options.clock_step_ms = settings.clock_step_ms;
  options.quiet = true; // its lines would be the program's
  options.log = settings.log;
  if (settings.mode)
    options.mode = mode_name(*settings.mode);
  options.keep_aslr |= settings.keeps_random_layout;
  if (settings.processors > 0) {
    apply_early_settings(options.keep_aslr,
                         options.command); // as many threads as in the other runs
    limit_processors(settings.processors);
  }
  return run(options);
}

/// Closes all but the standard streams. By name, as close_range() came with glibc 2.34 and
/// Linux 5.9.
void close_inherited_files() {
  std::vector<int> open;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    open.push_back(std::atoi(entry.path().filename().c_str()));
  for (const int file : open)
    if (file > STDERR_FILENO)
      ::close(file);
}

/// Leaves the program to a child, in a session of its own, and ends as that does. `id`: the
/// child's.
void become_parent(pid_t& id) {
  ::setsid();
  const pid_t self = ::getpid();
  const pid_t program = ::fork();
  if (program == 0) {
    end_with(self);
    id = ::getpid();
    return;
  }
  sigset_t all;
  ::sigfillset(&all); // what ends the program is sent to its whole group
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  close_inherited_files();
  int status = 0;
  while (::waitpid(program, &status, 0) < 0 && errno == EINTR) {}
  if (!WIFSIGNALED(status))
    ::_exit(WEXITSTATUS(status));
  const rlimit no_core = {0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::signal(WTERMSIG(status), SIG_DFL);
  ::raise(WTERMSIG(status));
  ::sigemptyset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  ::_exit(wrong_usage);
}

/// In the child of `parent`. Whatever is written to `failures` says that no program was started.
[[noreturn]] void start(const RunOnce& how, const RunSettings& settings, const Run& run,
                        const KeptStream& out, const KeptStream& err, int failures, pid_t& id,
                        pid_t parent) {
  end_with(parent);
  std::string why;
  int status = wrong_usage;
  try {
    if (how.has_other_ids)
      become_parent(id);
    how.signals.release();
    if (!redirect_input() || !out.become(STDOUT_FILENO) || !err.become(STDERR_FILENO))
      why = "cannot write in '" + run.folder.string() + "': " + std::strerror(errno);
    else
      status = become_program(how, settings);
  } catch (const std::exception& error) {
    why = error.what();
  }
  if (why.empty())
    why = "-";
  std::cerr.flush();
  [[maybe_unused]] const ssize_t written = ::write(failures, why.data(), why.size());
  ::_exit(status);
}

/// The line that `detshim run` has on stderr when it fails.
std::string failure_of_run(const std::filesystem::path& file) {
  const std::string line = first_line(file);
  constexpr std::string_view ours = "detshim: ";
  return line.starts_with(ours) ? line.substr(ours.size()) : line;
}

std::vector<pid_t> children() {
  std::vector<pid_t> result;
  std::ifstream list("/proc/self/task/" + std::to_string(::getpid()) + "/children");
  for (pid_t child; list >> child;)
    if (!EndsWithUs::is_it(child))
      result.push_back(child);
  return result;
}

/// "4711 (sleep)"
std::vector<std::string> named(const std::vector<pid_t>& processes) {
  std::vector<std::string> names;
  for (const pid_t process : processes)
    names.push_back(std::to_string(process) + " (" +
                    first_line("/proc/" + std::to_string(process) + "/comm") + ")");
  return names;
}

/// Waits for the program and, since what its children leave behind becomes ours (a subreaper's),
/// for them.
class Waiting {
public:
  Waiting(const RunOnce& how, pid_t program) : how_(how), program_(program) {}

  void wait(Run& run) {
    constexpr int patience = 10'000;
    int waited = 0;
    reap(run);
    while (has_children_ && waited < patience) {
      const std::optional<HeldSignals::Event> event = how_.signals.wait(how_.look_ms);
      if (event && event->signal != SIGCHLD)
        stop(*event);
      if (is_program_there_)
        end_program_in_time(run);
      reap(run);
      if (is_program_there_)
        continue;
      if (!event)
        waited += how_.look_ms;
      if (must_end_all(run))
        end_all(SIGKILL);
    }
    run.was_cut &= WIFSIGNALED(run.status); // it may have ended before the signal came
    if (has_children_)
      run.left_behind = named_children();
    if (stopped_by_ != 0)
      throw Interrupted{stopped_by_};
  }

private:
  /// On purpose the program alone, at the end of its time with all that it started.
  void end_program_in_time(Run& run) {
    if (how_.must_end && how_.must_end(run)) {
      run.was_cut = true;
      ::kill(program_, SIGKILL);
    }
    if (how_.timeout_s > 0 && now() - run.began > static_cast<double>(how_.timeout_s)) {
      run.was_too_long = true;
      end_all(SIGKILL);
    }
  }

  /// What a program that ended by itself has left may take its time; of one that was ended, not.
  bool must_end_all(const Run& run) const {
    return run.was_cut || run.was_too_long || stopped_by_ != 0;
  }

  /// Never empty.
  static std::vector<std::string> named_children() {
    std::vector<std::string> names = named(children());
    if (names.empty())
      names.emplace_back("of no known name");
    return names;
  }

  void reap(Run& run) {
    for (;;) {
      int status = 0;
      const pid_t ended = ::waitpid(-1, &status, WNOHANG);
      if (ended < 0 && errno == EINTR)
        continue;
      has_children_ = ended >= 0;
      if (ended <= 0)
        return;
      if (ended != program_)
        continue;
      run.status = status;
      run.ended = now();
      is_program_there_ = false;
    }
  }

  /// The first time the program is asked to end as we are; after that it is ended.
  void stop(const HeldSignals::Event& event) {
    if (stopped_by_ != 0)
      end_all(SIGKILL);
    else if (how_.has_other_ids && is_program_there_) // of which a terminal knows nothing
      ::kill(-program_, passed_on(event.signal));
    else if (!event.is_from_terminal && is_program_there_)
      ::kill(program_, passed_on(event.signal));
    stopped_by_ = event.signal;
  }

  /// A limit or a timer was meant for this command, not for the program.
  static int passed_on(int signal) {
    const bool is_for_us = signal == SIGALRM || signal == SIGXCPU || signal == SIGVTALRM ||
                           signal == SIGPROF || signal == SIGPIPE;
    return is_for_us ? SIGTERM : signal;
  }

  static void end_all(int signal) {
    for (const pid_t child : children())
      ::kill(child, signal);
  }

  const RunOnce& how_;
  pid_t program_;
  bool is_program_there_ = true, has_children_ = true;
  int stopped_by_ = 0;
};

} // namespace

bool Run::was_killed() const {
  if (!WIFSIGNALED(status))
    return false;
  const int signal = WTERMSIG(status);
  return signal == SIGKILL || signal == SIGTERM || signal == SIGINT || signal == SIGHUP ||
         signal == SIGQUIT;
}

std::string Run::ending() const {
  if (until)
    return "ended where it was to end";
  if (ended_at_difference)
    return "ended at a difference";
  if (WIFEXITED(status))
    return "status " + std::to_string(WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  return "signal " + std::to_string(signal) + " (" + ::strsignal(signal) + ")";
}

bool input_waits() {
  struct stat status = {};
  int bytes = 0;
  return ::fstat(STDIN_FILENO, &status) == 0 &&
         (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode)) &&
         ::ioctl(STDIN_FILENO, FIONREAD, &bytes) == 0 && bytes > 0;
}

void run_once(const RunOnce& how, const RunSettings& settings, Run& run) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  KeptStream out(run.out()), err(run.err());
  int failures[2];
  if (::pipe2(failures, O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "pipe");
  run.began = now();
  void* const shared =
      ::mmap(nullptr, sizeof(pid_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED)
    throw std::system_error(errno, std::generic_category(), "mmap");
  pid_t& id = *static_cast<pid_t*>(shared);
  const pid_t self = ::getpid();
  const pid_t program = ::fork();
  if (program < 0)
    throw std::system_error(errno, std::generic_category(), "fork");
  if (program == 0)
    start(how, settings, run, out, err, failures[1], id, self);
  ::close(failures[1]);
  out.begin();
  err.begin();
  run.processes.emplace(program, "started");
  const std::string failure = read_all(failures[0]); // until the program took the child's place
  ::close(failures[0]);
  if (id != 0)
    run.processes.emplace(id, "started");
  ::munmap(shared, sizeof(pid_t));
  {
    std::optional<BusyProcessors> load;
    if (how.is_loaded && failure.empty())
      load.emplace();
    Waiting(how, program).wait(run);
  }
  for (KeptStream* const stream : {&out, &err})
    if (const int error = stream->end(); error != 0)
      run.not_kept = error;
  run.ended_at_difference = how.ends_at_difference && run.was_cut;
  if (!failure.empty())
    throw UsageError(failure == "-" ? failure_of_run(run.err()) : failure);
}

} // namespace detshim
