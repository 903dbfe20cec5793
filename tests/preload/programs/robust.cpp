// A program in trouble, or making it. Each command prints what it counted itself, which the log
// must agree with.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fstream>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <string>
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
  for (int i = 0; i < count; ++i)
    sink = static_cast<unsigned>(std::rand());
}

void wait_for(pid_t child) {
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
    _exit(3);
}

/// 64 threads that draw while others fork.
void make_load() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 64; ++i)
    threads.emplace_back(draw, 1000000);
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([] {
      for (int k = 0; k < 25; ++k) {
        const pid_t child = fork();
        if (child == 0)
          draw(1000), _exit(0);
        wait_for(child);
      }
    });
  for (std::thread& thread : threads)
    thread.join();
  std::printf("%d\n", 64 * 1000000 + 4 * 25 * 1000);
}

void draw_here() { sink = static_cast<unsigned>(std::rand()); }

/// 3,000 threads, some at the same time, that draw from two places and end.
void make_short_threads() {
  for (int i = 0; i < 3000; i += 4) {
    std::vector<std::thread> threads;
    for (int k = 0; k < 4; ++k)
      threads.emplace_back([k] {
        if (k % 2 == 0)
          draw(2), draw_here();
        else
          draw_here(), draw(2);
      });
    for (std::thread& thread : threads)
      thread.join();
  }
  std::puts("9000");
}

/// How much memory is mapped to be written, in KiB.
long mapped() {
  long size = 0;
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmData:"))
      size = std::stol(line.substr(7));
  return size;
}

/// Threads that libc makes itself, one after the other.
void draw_in_timers(int count) {
  static sem_t has_drawn;
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 65536);
  sigevent event = {};
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_attributes = &small;
  event.sigev_notify_function = [](sigval) {
    draw(1);
    sem_post(&has_drawn);
  };
  for (int i = 0; i < count; ++i) {
    timer_t timer;
    const itimerspec soon = {{}, {0, 1}};
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 ||
        timer_settime(timer, 0, &soon, nullptr) != 0)
      _exit(7);
    while (sem_wait(&has_drawn) != 0) {}
    timer_delete(timer);
  }
}

volatile sig_atomic_t handled;

void on_signal(int) {
  unsigned char bytes[8];
  sink = static_cast<unsigned>(std::rand());
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
    _exit(4);
  const int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  if (fd < 0 || read(fd, bytes, sizeof bytes) != sizeof bytes)
    _exit(5);
  close(fd);
  handled = handled + 1;
}

/// Draws, records, forks and makes threads while a signal handler draws too. The next signal is
/// asked for when the one before has been handled and something was done since, so that the program
/// ends on a machine of any speed; at another delay each time, so that it comes at any
/// moment.
void draw_in_signals() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
  int asked = 0;
  for (unsigned i = 0; handled < 2000; ++i) {
    if (handled == asked) {
      const itimerval once = {{0, 0}, {0, 1 + asked * 7 % 97}};
      ++asked;
      setitimer(ITIMER_REAL, &once, nullptr);
    }
    std::srand(i); // a record each time
    draw(10);
    if (i % 50 == 0) {
      const pid_t child = fork();
      if (child == 0)
        draw(10), _exit(0);
      int status;
      while (waitpid(child, &status, 0) != child) {}
    }
    if (i % 50 == 25)
      std::thread(draw, 10).join();
  }
  std::printf("done\n");
}

/// A thread with the smallest stack that there is; and a handler on a small stack of its own.
void draw_on_small_stacks() {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN);
  pthread_t thread;
  const auto body = [](void*) -> void* {
    std::srand(3);
    on_signal(0);
    return nullptr;
  };
  if (pthread_create(&thread, &attributes, body, nullptr) != 0)
    _exit(7);
  pthread_join(thread, nullptr);

  static char room[8192];
  stack_t stack = {};
  stack.ss_sp = room;
  stack.ss_size = sizeof room;
  sigaltstack(&stack, nullptr);
  struct sigaction action = {};
  action.sa_handler = [](int) {
    unsigned char bytes[8];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
      _exit(8);
  };
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGUSR1, &action, nullptr);
  raise(SIGUSR1);
}

sigjmp_buf leave;

/// A handler that leaves by longjmp, again and again, while records are written; then another
/// thread records. (srand48 takes no lock of libc's, which the handler would leave held.)
void leave_by_longjmp() {
  struct sigaction action = {};
  action.sa_handler = [](int) {
    siglongjmp(leave, 1);
  };
  sigaction(SIGALRM, &action, nullptr);
  volatile unsigned round = 0;
  static volatile unsigned seed;
  if (sigsetjmp(leave, 1) != 0)
    round = round + 1;
  while (round < 300) {
    const itimerval soon = {{0, 0}, {0, 30}};
    setitimer(ITIMER_REAL, &soon, nullptr);
    for (;;) {
      seed = seed + 1;
      srand48(seed);
    }
  }
  std::thread([] {
    srand48(1), draw(10);
  }).join();
}

/// Threads that make records while their process forks children that make records. Not by rand(): a
/// child that is forked while another thread holds its lock waits for it for ever, without any
/// library in front.
void fork_while_recording() {
  const auto draw_unlocked = [] {
    sink = static_cast<unsigned>(lrand48());
  };
  std::vector<std::thread> threads;
  static volatile bool stop = false;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      while (!stop)
        std::thread(draw_unlocked).join();
    });
  for (int i = 0; i < 300; ++i) {
    const pid_t child = fork();
    if (child == 0)
      draw_unlocked(), _exit(0);
    wait_for(child);
  }
  stop = true;
  for (std::thread& thread : threads)
    thread.join();
}

struct InConstructor {
  InConstructor() { draw(1); }
  ~InConstructor() { draw(1); }
} early_and_late;

} // namespace

int main(int argc, char** argv) {
  const std::string_view command = argc > 1 ? argv[1] : "";
  if (command == "load")
    make_load();
  if (command == "short_threads")
    make_short_threads();
  if (command == "timers") {
    draw_in_timers(100);
    const long before = mapped();
    draw_in_timers(1000);
    std::puts(mapped() - before < 2000 ? "bounded" : "grows");
  }
  if (command == "signals")
    draw_in_signals();
  if (command == "draw")
    draw(10), std::puts("12");
  if (command == "close")
    close_range(3, ~0u, 0), draw(10), std::puts("12");
  if (command == "close_later")
    draw(5), close_range(3, ~0u, 0), std::srand(7), draw(5), std::puts("12");
  if (command == "few") {
    const rlimit limit = {8, 8};
    setrlimit(RLIMIT_NOFILE, &limit);
    draw(10), std::puts("12");
  }
  if (command == "reuse" &&
      argc > 2) { // its data files get the numbers of the standard streams, and of our own
    close_range(0, ~0u, 0);
    for (int fd = 0; fd < 64; ++fd)
      if (open(argv[2], O_WRONLY | O_CREAT | O_APPEND, 0600) != fd)
        _exit(6);
    draw(10);
  }
  if (command == "taken" && argc > 2) { // the log's own number becomes a data file
    draw(5);
    const int data = open(argv[2], O_WRONLY | O_CREAT | O_APPEND, 0600);
    for (int fd = 3; fd < 64; ++fd)
      if (fd != data)
        dup2(data, fd);
    std::srand(7);
    draw(5);
    std::puts("12");
  }
  if (command == "records")
    for (unsigned i = 0; i < 150; ++i)
      std::srand(i), std::printf("%d\n", std::rand());
  if (command == "count")
    for (int i = 1;; ++i) {
      draw(1);
      char line[16];
      const int length = std::snprintf(line, sizeof line, "%d\n", i);
      if (write(1, line, static_cast<size_t>(length)) != length)
        return 1;
    }
  if (command == "small")
    draw_on_small_stacks();
  if (command == "longjmp")
    leave_by_longjmp();
  if (command == "fork_while_recording")
    fork_while_recording();
  if (command == "file_limit") {
    const rlimit limit = {100, 100};
    setrlimit(RLIMIT_FSIZE, &limit);
    draw(10);
    on_signal(0);
  }
  if (command == "folder_gone" && argc > 2) { // its log folder is removed and made again
    draw(5);
    const std::string again = std::string{"rm -rf '"} + argv[2] + "'; mkdir '" + argv[2] + "'";
    if (std::system(again.c_str()) != 0)
      _exit(9);
    for (int i = 0; i < 2000; ++i)
      std::thread(draw, 1).join();
  }
  if (command == "unreachable" && argc > 2) { // and here it cannot be reached any more
    draw(5);
    close_range(3, ~0u, 0);
    if (rename(argv[2], (std::string{argv[2]} + ".moved").c_str()) != 0)
      _exit(10);
    close(open(argv[2], O_WRONLY | O_CREAT, 0600)); // a file in its place
    std::srand(3);
    draw(5);
  }
  if (command == "cycle") { // a state that is copied about does not fall into a short cycle
    unsigned a = static_cast<unsigned>(std::time(nullptr)), b = a + 1;
    const auto next = [](unsigned& state) {
      unsigned copy = state;
      const int value = rand_r(&copy);
      state = copy;
      return value;
    };
    std::vector<bool> seen(size_t{1} << 32);
    long repeats = 0;
    for (int i = 0; i < 200000; ++i) {
      next(b);
      next(a);
      repeats += seen[a];
      seen[a] = true;
    }
    std::printf("%ld\n", repeats);
  }
  if (command ==
      "agree") { // what was seeded before a fork goes on in the children, each from the same place
    std::srand(123), srand48(5);
    sink = static_cast<unsigned>(std::rand());
    for (int i = 0; i < 3; ++i) {
      std::fflush(stdout);
      const pid_t child = fork();
      if (child == 0)
        std::printf("%d %ld\n", std::rand(), lrand48()), std::fflush(stdout), _exit(0);
      wait_for(child);
    }
  }
  if (command == "exit_status")
    return 42;
}
