#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int main(void) {
  char room[400];
  getrusage(RUSAGE_SELF, room);
  syscall(SYS_gettid);
  syscall(SYS_clock_gettime, 0, room);
  syscall(SYS_getuid);
  ftime(room);
  adjtimex(room);
  readlink("/proc/self", room, 9);
  getpgrp();
  getpgid(0);
  getsid(0);
  ntp_gettime(room);
  ntp_gettimex(room);
  sysconf(_SC_PAGESIZE);
}
