// filtered WAY NAME...: allows itself those system calls alone, and draws; any other ends it by
// SIGSYS. WAY: `draw` draws and leaves by a system call of its own, `warm` has drawn from the same
// places before, `device` opens and reads a random device too, `end` returns from main. The library
// does not see the filter, as if a program before had put it on.
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
  const char* name;
  int number;
} calls[] = {
#define CALL(NAME)                                                                                 \
  { #NAME, SYS_##NAME }
    CALL(close),        CALL(faccessat),      CALL(faccessat2),  CALL(fcntl),
    CALL(fstat),        CALL(getcwd),         CALL(getdents64),  CALL(geteuid),
    CALL(getpid),       CALL(getrandom),      CALL(gettid),      CALL(lseek),
    CALL(memfd_create), CALL(mkdirat),        CALL(mmap),        CALL(munmap),
    CALL(newfstatat),   CALL(openat),         CALL(personality), CALL(pread64),
    CALL(prlimit64),    CALL(pwrite64),       CALL(read),        CALL(readlinkat),
    CALL(renameat2),    CALL(rt_sigprocmask), CALL(sched_yield), CALL(symlinkat),
    CALL(unlinkat),     CALL(write),          CALL(dup3),        CALL(clock_gettime),
    CALL(madvise),      CALL(prctl),          CALL(ftruncate),   CALL(fallocate),
};

/// prctl(2) without libc.
static bool put_on(const sock_fprog& filter) {
  const auto at = reinterpret_cast<unsigned long>(&filter);
#if defined(__x86_64__)
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(SYS_prctl), "D"(PR_SET_SECCOMP), "S"(SECCOMP_MODE_FILTER), "d"(at)
                   : "rcx", "r11", "memory");
  return result == 0;
#elif defined(__aarch64__)
  register long x8 __asm__("x8") = SYS_prctl;
  register long x0 __asm__("x0") = PR_SET_SECCOMP;
  register long x1 __asm__("x1") = SECCOMP_MODE_FILTER;
  register unsigned long x2 __asm__("x2") = at;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
  return x0 == 0;
#endif
}

[[gnu::noinline]] static void draw() {
  volatile int sink = 0;
  for (int i = 0; i < 1000; ++i)
    sink = rand();
  (void)sink;
  static unsigned char pages[8][4096]; // more than a thread remembers
  for (int i = 0; i < 104; ++i)
    if (getrandom(pages[i % 8] + 100, 16, 0) != 16)
      _exit(3);
}

static void read_device() {
  unsigned char bytes[5000];
  const int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  for (int i = 0; i < 10; ++i)
    if (read(fd, bytes, sizeof bytes) <= 0)
      _exit(4);
  close(fd);
}

int main(int argc, char** argv) {
  if (argc < 2)
    return 2;
  sock_filter code[128] = {};
  unsigned short length = 0;
  code[length++] = BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
  const auto allow = [&](int number) {
    code[length++] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(number), 0, 1);
    code[length++] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  };
  allow(SYS_exit_group);
  for (int i = 2; i < argc; ++i) {
    int number = -1;
    for (const auto& call : calls)
      if (strcmp(call.name, argv[i]) == 0)
        number = call.number;
    if (number < 0)
      return fprintf(stderr, "filtered: no system call %s is known here\n", argv[i]), 2;
    allow(number);
  }
  code[length++] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  const bool is_warm = strcmp(argv[1], "warm") == 0;
  // Both times from one call: a place is more than the innermost return address.
  volatile int times = is_warm ? 2 : 1, last = 1; // of which the compiler makes no two calls
  for (int left = times; left > 0; --left) {
    const sock_fprog filter = {length, code};
    if (left == last && (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || !put_on(filter)))
      return 126;
    if (!is_warm)
      srand(7);
    draw();
  }
  if (strcmp(argv[1], "device") == 0)
    read_device();
  if (strcmp(argv[1], "end") == 0)
    return 0;
  syscall(SYS_exit_group, 0);
}
