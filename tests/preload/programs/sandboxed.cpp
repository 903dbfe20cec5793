// Puts a filter on itself, as a sandbox does, and goes on to draw: `sandboxed WAY`. Prints what it
// drew before and after, by write(2) alone.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

std::string way;

bool is(const char* name) { return way == name; }

void say(const char* what, long number) {
  char line[80];
  const int length = std::snprintf(line, sizeof line, "%s %ld\n", what, number);
  if (write(1, line, static_cast<size_t>(length)) != length)
    _exit(3);
}

sock_filter code[64];
unsigned short length = 0;

void add(unsigned short what, unsigned k, unsigned char so = 0, unsigned char other = 0) {
  code[length++] = {what, so, other, k};
}

void when(long number, unsigned answer) {
  add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(number), 0, 1);
  add(BPF_RET | BPF_K, answer);
}

/// A program that lives by reading and writing, or that is only kept from a few things.
sock_fprog make_filter() {
  add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
  if (is("keeps_out_few")) {
    for (const long number : {SYS_ptrace, SYS_reboot, SYS_bpf})
      when(number, SECCOMP_RET_KILL_PROCESS);
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    return {length, code};
  }
  if (is("invalid")) {
    add(BPF_LD | BPF_W | BPF_ABS, 4000);
    return {length, code};
  }
  for (const long number : {SYS_read, SYS_exit, SYS_exit_group, SYS_getrandom})
    when(number, SECCOMP_RET_ALLOW);
  if (is("fork"))
    for (const long number : {SYS_clone, SYS_wait4, SYS_set_robust_list, SYS_rseq})
      when(number, SECCOMP_RET_ALLOW);
  // Only to the streams that it was given: arguments are looked at, and what is computed of them.
  add(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 0, 5);
  add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args));
  add(BPF_ALU | BPF_AND | BPF_K, 0xffff);
  add(BPF_JMP | BPF_JGT | BPF_K, 2, 1, 0);
  add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  add(BPF_RET | BPF_K, is("refuses") ? SECCOMP_RET_ERRNO | ENOSYS : SECCOMP_RET_KILL_PROCESS);
  add(BPF_RET | BPF_K, is("traps")     ? SECCOMP_RET_TRAP
                       : is("refuses") ? SECCOMP_RET_ERRNO | ENOSYS
                                       : SECCOMP_RET_KILL_PROCESS);
  return {length, code};
}

long put_on() {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return -1;
  if (is("strict"))
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
  const sock_fprog filter = make_filter();
  if (is("nowhere"))
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, 16);
  if (is("by_number"))
    return syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
  if (is("by_seccomp"))
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter);
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

[[gnu::noinline]] void draw(const char* when) {
  long sum = 0;
  for (int i = 0; i < 100; ++i)
    sum += std::rand() % 1000;
  say(when, sum);
}

} // namespace

int main(int count, char** arguments) {
  if (count != 2)
    return 2;
  way = arguments[1];
  draw("before");
  const int device = is("device") ? open("/dev/urandom", O_RDONLY) : -1;
  const long result = put_on();
  say("on", result < 0 ? -errno : result);
  draw("after");
  draw("again");
  if (!is("strict")) {
    unsigned char bytes[16] = {};
    say("bytes", getrandom(bytes, sizeof bytes, 0));
  }
  for (int i = 0; i < 10 && device >= 0; ++i) {
    static char room[5000];
    say("device", read(device, room, sizeof room));
  }
  if (is("fork")) {
    const pid_t child = fork();
    if (child == 0) {
      draw("child");
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    say("child's status", status);
  }
  if (is("strict"))
    syscall(SYS_exit, 0);
  if (is("leaves"))
    _exit(7);
}
