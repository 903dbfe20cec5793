// started_under tracer|filter COMMAND...: starts a command where another process watches each
// execve of it, and prints how many there were; or under a filter of system calls that lets all
// of them through.
#include <cstdio>
#include <cstring>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

int trace(char* command[]) {
  const pid_t child = fork();
  if (child == 0) {
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    execvp(command[0], command);
    _exit(127);
  }
  int status = 0;
  int programs = 0; // the kernel sends a SIGTRAP behind each execve
  while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
    const bool is_exec = WSTOPSIG(status) == SIGTRAP;
    programs += is_exec ? 1 : 0;
    ptrace(PTRACE_CONT, child, nullptr, is_exec ? 0 : WSTOPSIG(status));
  }
  std::printf("programs %d\n", programs);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int filter(char* command[]) {
  sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  const sock_fprog program = {1, &allow};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    return 77;
  execvp(command[0], command);
  return 127;
}

} // namespace

int main(int, char* arguments[]) {
  return std::strcmp(arguments[1], "tracer") == 0 ? trace(arguments + 2) : filter(arguments + 2);
}
