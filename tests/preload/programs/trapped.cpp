// trapped <what> ...: draws by system calls in each of the ways that its arguments name, in that order;
// prints a line for each. trapped daemon <fd> <fd>: a daemon that draws when a byte comes. Linked statically:
// no preload reaches it.
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

namespace {

[[noreturn]] void stop(const char* what) {
  printf("%s: %s\n", what, strerror(errno));
  exit(1);
}

void print(const std::string& bytes) {
  for (const char c : bytes) printf("%02x", static_cast<unsigned char>(c));
  printf("\n");
  fflush(stdout);
}

std::string drawn(size_t size, unsigned flags = 0) {
  std::string bytes(size, '\0');
  if (getrandom(bytes.data(), size, flags) != static_cast<ssize_t>(size)) stop("getrandom");
  return bytes;
}

uint64_t hash_of(const std::string& bytes) {
  uint64_t hash = 14695981039346656037u; // FNV-1a
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash;
}

/// The whole of a read, as the device always gives it.
std::string read_from(int fd, size_t size) {
  std::string bytes(size, '\0');
  if (fd < 0) stop("open");
  if (read(fd, bytes.data(), size) != static_cast<ssize_t>(size)) stop("read");
  return bytes;
}

std::string device(const char* path, int flags = O_RDONLY) {
  const int fd = open(path, flags);
  const std::string bytes = read_from(fd, 8);
  close(fd);
  return bytes;
}

void device_by_openat2() {
  open_how how = {};
  how.flags = O_RDONLY | O_CLOEXEC;
  const int fd = static_cast<int>(syscall(SYS_openat2, AT_FDCWD, "/dev/urandom", &how, sizeof how));
  print(read_from(fd, 8));
}

/// More than any file in memory is given to begin with, in reads of several sizes and ways.
void large_device() {
  const int fd = open("/dev/urandom", O_RDONLY);
  std::string all;
  for (const size_t size : {size_t{100}, size_t{5000000}, size_t{4096}, size_t{1048576}})
    all += read_from(fd, size);
  std::string first(10, '\0'), second(300000, '\0');
  const iovec parts[] = {{first.data(), first.size()}, {second.data(), second.size()}};
  if (readv(fd, parts, 2) != 300010) stop("readv");
  all += first + second;
  const int copy = dup2(fd, 0);
  all += read_from(copy, 1000000);
  if (all.substr(0, 1000000) == all.substr(1000000, 1000000)) stop("repeats");
  printf("%zu %016lx\n", all.size(), hash_of(all));
}

void flags() {
  const int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  const int plain = open("/dev/urandom", O_RDONLY);
  const int writer = open("/dev/urandom", O_WRONLY);
  printf("%d %d %d %d %d\n", fcntl(fd, F_GETFD), fcntl(plain, F_GETFD), write(plain, "x", 1) < 0 ? errno : 0,
         write(writer, "x", 1) == 1, open("/dev/urandom", O_RDONLY | O_DIRECTORY) < 0 ? errno : 0);
}

/// What the kernel refuses is refused in the same way.
void errors() {
  char byte;
  char* volatile nowhere = reinterpret_cast<char*>(8);
  printf("%d", getrandom(&byte, 1, 0x80) < 0 ? errno : 0);
  printf(" %d", getrandom(nowhere, 16, 0) < 0 ? errno : 0);
  void* const page = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  printf(" %d", getrandom(page, 16, 0) < 0 ? errno : 0);
  printf(" %ld", static_cast<long>(getrandom(nullptr, 0, 0)));
  printf(" %d\n", open("/dev/urandom/none", O_RDONLY) < 0 ? errno : 0);
}

void forked() {
  for (int i = 0; i < 2; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      print(drawn(8));
      _exit(0);
    }
    waitpid(child, nullptr, 0);
  }
  print(drawn(8));
}

void threads() {
  std::vector<std::thread> all;
  for (int i = 0; i < 8; ++i)
    all.emplace_back([] {
      for (int k = 0; k < 200; ++k) drawn(16);
    });
  for (std::thread& thread : all) thread.join();
  printf("done\n");
}

/// Interrupted by signals all the time, as Go interrupts its threads.
void signals() {
  struct sigaction action = {};
  action.sa_handler = [](int) {};
  action.sa_flags = SA_RESTART;
  sigaction(SIGURG, &action, nullptr);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0)
    for (;;)
      if (kill(parent, SIGURG) != 0) _exit(0);
  std::string all;
  for (int i = 0; i < 300; ++i) all += drawn(16);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  printf("%016lx\n", hash_of(all));
}

void wait_for_all() {
  int count = 0;
  while (waitpid(-1, nullptr, 0) > 0) ++count;
  printf("%d %d\n", count, errno == ECHILD);
}

/// What the vDSO's getrandom keeps its state in.
void droppable() {
  void* const page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, 0x08 | MAP_ANONYMOUS, -1, 0);
  printf("%s\n", page == MAP_FAILED ? "refused" : "effective");
}

/// A grandchild that outlives this process: once it is told to, it draws and writes what it has drawn.
void daemon_between(int told, int to) {
  if (fork() != 0) return;
  setsid();
  char byte;
  close(0), close(1), close(2);
  if (read(told, &byte, 1) != 1) _exit(1);
  char text[20];
  const int length = snprintf(text, sizeof text, "%016lx", hash_of(drawn(8)));
  _exit(write(to, text, static_cast<size_t>(length)) == length ? 0 : 1);
}

void draw(const std::string& what) {
  if (what == "getrandom") return print(drawn(16));
  if (what == "nonblock") return print(drawn(16, GRND_NONBLOCK | GRND_RANDOM));
  if (what == "large") return void(printf("%016lx\n", hash_of(drawn(3000001))));
  if (what == "getentropy") {
    std::string bytes(16, '\0');
    if (getentropy(bytes.data(), 16) != 0) stop("getentropy");
    return print(bytes);
  }
  if (what == "arc4random") return void(printf("%08x\n", arc4random()));
  if (what == "urandom") return print(device("/dev/urandom"));
  if (what == "random") return print(device("/dev/random", O_RDWR));
  if (what == "path") return print(device("//dev/./../dev/urandom"));
  if (what == "openat2") return device_by_openat2();
  if (what == "large_device") return large_device();
  if (what == "flags") return flags();
  if (what == "errors") return errors();
  if (what == "forked") return forked();
  if (what == "threads") return threads();
  if (what == "signals") return signals();
  if (what == "wait") return wait_for_all();
  if (what == "droppable") return droppable();
  if (what == "suicide") raise(SIGKILL);
  if (what == "term") raise(SIGTERM);
  if (what == "status") exit(7);
  stop("unknown");
}

} // namespace

int main(int argc, char** argv) {
  if (argc == 4 && strcmp(argv[1], "daemon") == 0) return daemon_between(atoi(argv[2]), atoi(argv[3])), 0;
  for (int i = 1; i < argc; ++i) draw(argv[i]);
}
