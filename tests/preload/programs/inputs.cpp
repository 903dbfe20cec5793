// One function of the user's in each line: inputs LINE calls that of the line.
// clang-format off
#include <aio.h>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>

struct statvfs space;
struct statvfs64 space64;
struct sysinfo machine;
struct stat status;
struct stat64 status64;
struct statx statusx;
double loads[3];
char none[] = "";
pollfd file{0, POLLIN}; extern "C" int __poll_chk(pollfd*, nfds_t, int, size_t);
timeval microsecond{0, 1};
itimerval interval; sockaddr peer{AF_UNIX};
timer_t timer;
sigevent event{.sigev_notify = SIGEV_NONE};
itimerspec later;
aiocb request;
aiocb64 request64;

int main(int, char** words) {
  switch (atoi(words[1])) {
  case 1: (void)!(poll(nullptr, 0, 1) + select(0, nullptr, nullptr, nullptr, &microsecond) + poll(&file, 1, 0)); break;
  case 45: (void)!stat("/", &status); break;
  case 46: (void)!stat64("/", &status64); break;
  case 47: (void)!lstat("/", &status); break;
  case 48: (void)!lstat64("/", &status64); break;
  case 49: (void)!fstatat(AT_FDCWD, "/", &status, 0); break;
  case 50: (void)!fstatat64(AT_FDCWD, "/", &status64, 0); break;
  case 51: (void)!statx(AT_FDCWD, "/", 0, STATX_ALL, &statusx); break;
  case 52: (void)!connect(0, &peer, sizeof peer); break;
  case 53: (void)!setitimer(ITIMER_VIRTUAL, &interval, nullptr); break;
  case 54: (void)!(timer_create(CLOCK_MONOTONIC, &event, &timer), timer_settime(timer, 0, &later, nullptr)); break;
  case 55: (void)!alarm(1000); break;
  case 56: (void)!aio_read(&request); break;
  case 57: (void)!aio_read64(&request64); break;
  case 58: (void)!aio_write(&request); break;
  case 59: (void)!aio_write64(&request64); break;
  case 60: (void)!ualarm(999999, 0); break;
  case 61: (void)!get_avphys_pages(); break;
  case 62: (void)!fstat(0, &status); break;
  case 63: (void)!fstat64(0, &status64); break;
  case 64: (void)!sysinfo(&machine); break;
  case 65: (void)!getloadavg(loads, 1); break;
  case 66: (void)!sched_getcpu(); break;
  case 67: (void)!statvfs("/", &space); break;
  case 68: (void)!statvfs64("/", &space64); break;
  case 69: (void)!sysconf(_SC_AVPHYS_PAGES); break;
  case 70: (void)!opendir("/proc"); break;
  case 71: (void)!shmget(1, 1, 0); break;
  case 72: (void)!msgget(1, 0); break;
  case 73: (void)!semget(1, 1, 0); break;
  case 74: (void)!mkstemp(none); break;
  case 75: (void)!mkstemp64(none); break;
  case 76: (void)!mkdtemp(none); break;
  case 77: (void)!mktemp(none); break;
  case 78: (void)!tmpnam(nullptr); break;
  case 79: (void)!tempnam(nullptr, nullptr); break;
  case 80: (void)!fopen("/proc/self/stat", "r"); break;
  case 81: (void)!open("/sys/kernel", O_RDONLY); break;
  case 82: (void)!accept(0, nullptr, nullptr); break;
  case 83: (void)!accept4(0, nullptr, nullptr, 0); break;
  case 84: (void)!recvfrom(0, none, 0, 0, nullptr, nullptr); break;
  case 85: (void)!timerfd_settime(0, 0, nullptr, nullptr); break;
  case 86: (void)!poll(&file, 1, 1); break;
  case 87: (void)!__poll_chk(&file, 1, 1, sizeof file); break;
  case 88: (void)!epoll_wait(0, nullptr, 1, 1); break;
  case 89: (void)!select(1, nullptr, nullptr, nullptr, &microsecond); break;
  }
}
