// what_exec_keeps [set COMMAND...]: prints what a program finds as it starts, a line a kind. With
// `set`, changes all of that which an execve keeps, and executes the command.
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

namespace {

void print_arguments(int count, char* arguments[]) {
  for (int i = 0; i < count; ++i)
    std::printf("argument %s\n", arguments[i]);
  std::printf("executed as %s\n", reinterpret_cast<const char*>(getauxval(AT_EXECFN)));
  char name[17] = {};
  prctl(PR_GET_NAME, name);
  std::printf("called %s\n", name);
  char program[4096] = {};
  if (readlink("/proc/self/exe", program, sizeof program - 1) > 0)
    std::printf("program %s\n", program);
}

void print_environment(char* environment[]) {
  for (; *environment != nullptr; ++environment)
    if (std::strncmp(*environment, "KEPT_", 5) == 0)
      std::printf("variable %s\n", *environment);
}

void print_descriptors() {
  constexpr int looked_at = 40; // the library's own lie above
  for (int fd = 0; fd < looked_at; ++fd) {
    struct stat state;
    if (fstat(fd, &state) == 0)
      std::printf("descriptor %d flags %d kind %o\n", fd, fcntl(fd, F_GETFD),
                  state.st_mode & S_IFMT);
  }
}

void print_signals() {
  sigset_t blocked;
  sigset_t pending;
  sigprocmask(SIG_BLOCK, nullptr, &blocked);
  sigpending(&pending);
  for (int signal = 1; signal < 32; ++signal) {
    struct sigaction action = {};
    sigaction(signal, nullptr, &action);
    std::printf("signal %d ignored %d blocked %d pending %d\n", signal,
                static_cast<int>(action.sa_handler == SIG_IGN), sigismember(&blocked, signal),
                sigismember(&pending, signal));
  }
}

void print_the_rest() {
  itimerval timer = {};
  getitimer(ITIMER_REAL, &timer);
  std::printf("timer runs %d\n", static_cast<int>(timer.it_value.tv_sec > 0));
  for (int kind = 0; kind < RLIM_NLIMITS; ++kind) {
    rlimit limit = {};
    if (getrlimit(static_cast<__rlimit_resource>(kind), &limit) == 0)
      std::printf("limit %d %lu %lu\n", kind, static_cast<unsigned long>(limit.rlim_cur),
                  static_cast<unsigned long>(limit.rlim_max));
  }
  char folder[4096] = {};
  std::printf("in %s\n", getcwd(folder, sizeof folder));
  const mode_t mask = umask(0);
  int at_death = 0;
  prctl(PR_GET_PDEATHSIG, &at_death);
  cpu_set_t processors;
  sched_getaffinity(0, sizeof processors, &processors);
  std::printf("umask %o, signal at the parent's death %d, nice %d, processors %d\n", mask, at_death,
              getpriority(PRIO_PROCESS, 0), CPU_COUNT(&processors));
  std::printf("no new privileges %d, dumpable %d\n", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0),
              prctl(PR_GET_DUMPABLE));
  std::string line(64, 0);
  std::printf("input %zd %s\n", read(0, line.data(), line.size()), line.c_str());
}

void change_all_that_is_kept() {
  fcntl(open("/dev/null", O_RDONLY), F_DUPFD, 30);
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  sigprocmask(SIG_BLOCK, &blocked, nullptr);
  raise(SIGUSR1);
  std::signal(SIGHUP, SIG_IGN);
  const itimerval timer = {{0, 0}, {1000, 0}};
  setitimer(ITIMER_REAL, &timer, nullptr);
  const rlimit limit = {100, 200};
  setrlimit(RLIMIT_CORE, &limit);
  umask(027);
  prctl(PR_SET_PDEATHSIG, SIGUSR2);
  setpriority(PRIO_PROCESS, 0, 3);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

} // namespace

int main(int count, char* arguments[], char* environment[]) {
  if (count > 2 && std::strcmp(arguments[1], "set") == 0) {
    change_all_that_is_kept();
    execvp(arguments[2], arguments + 2);
    return 127;
  }
  print_arguments(count, arguments);
  print_environment(environment);
  print_descriptors();
  print_signals();
  print_the_rest();
}
