// A program in trouble, or making it. Each command prints what it counted itself, which the log must agree with.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

volatile unsigned sink;

void draw(int count) {
  for (int i = 0; i < count; ++i) sink = static_cast<unsigned>(std::rand());
}

void wait_for(pid_t child) {
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0) _exit(3);
}

/// 64 threads that draw while others fork.
void make_load() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 60; ++i) threads.emplace_back(draw, 1000000);
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([] {
      for (int k = 0; k < 25; ++k) {
        const pid_t child = fork();
        if (child == 0) draw(1000), _exit(0);
        wait_for(child);
      }
    });
  for (std::thread& thread : threads) thread.join();
  std::printf("%d\n", 60 * 1000000 + 4 * 25 * 1000);
}

volatile sig_atomic_t handled;

void on_signal(int) {
  unsigned char bytes[8];
  sink = static_cast<unsigned>(std::rand());
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) _exit(4);
  const int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  if (fd < 0 || read(fd, bytes, sizeof bytes) != sizeof bytes) _exit(5);
  close(fd);
  handled = handled + 1;
}

/// Draws, records, forks and makes threads while a signal handler draws too.
void draw_in_signals() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
  const itimerval often = {{0, 50}, {0, 50}};
  setitimer(ITIMER_REAL, &often, nullptr);
  for (unsigned i = 0; handled < 2000; ++i) {
    std::srand(i); // a record each time
    draw(10);
    if (i % 50 == 0) {
      const pid_t child = fork();
      if (child == 0) draw(10), _exit(0);
      int status;
      while (waitpid(child, &status, 0) != child) {
      }
    }
    if (i % 50 == 25) std::thread(draw, 10).join();
  }
  std::printf("done\n");
}

struct InConstructor {
  InConstructor() { draw(1); }
  ~InConstructor() { draw(1); }
} early_and_late;

} // namespace

int main(int argc, char** argv) {
  const std::string_view command = argc > 1 ? argv[1] : "";
  if (command == "load") make_load();
  if (command == "signals") draw_in_signals();
  if (command == "draw") draw(10), std::puts("12");
  if (command == "close") close_range(3, ~0u, 0), draw(10), std::puts("12");
  if (command == "close_later") draw(5), close_range(3, ~0u, 0), std::srand(7), draw(5), std::puts("12");
  if (command == "few") {
    const rlimit limit = {8, 8};
    setrlimit(RLIMIT_NOFILE, &limit);
    draw(10), std::puts("12");
  }
  if (command == "reuse" && argc > 2) { // its data files get the numbers of the standard streams, and of ours
    close_range(0, ~0u, 0);
    for (int fd = 0; fd < 64; ++fd)
      if (open(argv[2], O_WRONLY | O_CREAT | O_APPEND, 0600) != fd) _exit(6);
    draw(10);
  }
  if (command == "taken" && argc > 2) { // the log's own number becomes a data file
    draw(5);
    const int data = open(argv[2], O_WRONLY | O_CREAT | O_APPEND, 0600);
    for (int fd = 3; fd < 64; ++fd)
      if (fd != data) dup2(data, fd);
    std::srand(7);
    draw(5);
    std::puts("12");
  }
  if (command == "records")
    for (unsigned i = 0; i < 150; ++i) std::srand(i), std::printf("%d\n", std::rand());
  if (command == "count")
    for (int i = 1;; ++i) {
      draw(1);
      char line[16];
      const int length = std::snprintf(line, sizeof line, "%d\n", i);
      if (write(1, line, static_cast<size_t>(length)) != length) return 1;
    }
  if (command == "exit_status") return 42;
}
