// Processes and threads that are hard to name. Each draws one value and prints it behind its name;
// the lines of one group come in the order of their names, whatever ran first.
#include <aio.h>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <spawn.h>
#include <string>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <ucontext.h>
#include <unistd.h>
#include <vector>

extern char** environ;

namespace {

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "%s: %s\n", what, std::strerror(errno));
  std::exit(1);
}

uint64_t draw() {
  uint64_t value = 0;
  if (getrandom(&value, sizeof value, 0) != sizeof value)
    fail("getrandom");
  return value;
}

void say(const char* name, uint64_t value) {
  char line[80];
  const int length =
      std::snprintf(line, sizeof line, "%s %016lx\n", name, static_cast<unsigned long>(value));
  if (write(1, line, static_cast<size_t>(length)) != length)
    fail("write");
}

void say(const std::string& name, uint64_t value) { say(name.c_str(), value); }

void wait_for(pid_t child) {
  int status = 0;
  if (child < 0)
    fail("no child");
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      fail("waitpid");
  if (status != 0)
    std::fprintf(stderr, "a child failed: status %d\n", status), std::exit(1);
}

template <typename T>
T* shared(size_t count) {
  void* p =
      mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED)
    fail("mmap");
  return static_cast<T*>(p);
}

/// Threads that fork at the same time.
void racing_forks(int threads, int forks) {
  auto* values = shared<uint64_t>(static_cast<size_t>(threads * forks));
  std::vector<std::thread> forking;
  for (int t = 0; t < threads; ++t)
    forking.emplace_back([=] {
      for (int i = 0; i < forks; ++i) {
        const pid_t child = fork();
        if (child == 0) {
          values[t * forks + i] = draw();
          _exit(0);
        }
        wait_for(child);
      }
    });
  for (std::thread& thread : forking)
    thread.join();
  for (int i = 0; i < threads * forks; ++i)
    say("child " + std::to_string(i), values[i]);
}

std::string output_of(FILE* pipe) {
  char line[80] = "";
  if (pipe == nullptr || std::fgets(line, sizeof line, pipe) == nullptr)
    fail("popen");
  pclose(pipe);
  return line;
}

/// Threads that start programs by system and popen at the same time.
void racing_shells(const std::string& self) {
  constexpr int threads = 4, each = 8;
  std::string said[threads];
  std::string folder = std::filesystem::temp_directory_path() / "detshim-kin-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr)
    fail("mkdtemp");
  std::vector<std::thread> starting;
  for (int t = 0; t < threads; ++t)
    starting.emplace_back([&, t] {
      const std::string file = folder + "/" + std::to_string(t);
      for (int i = 0; i < each; ++i) {
        const std::string name = std::to_string(t) + "." + std::to_string(i);
        if (std::system((self + " say system" + name + " >>" + file).c_str()) != 0)
          fail("system");
        said[t] += output_of(popen((self + " say popen" + name).c_str(), "r"));
      }
      said[t] += output_of(popen(("cat " + file + "; rm " + file).c_str(), "r"));
    });
  for (std::thread& thread : starting)
    thread.join();
  rmdir(folder.c_str());
  for (const std::string& text : said)
    if (write(1, text.data(), text.size()) < 0)
      fail("write");
}

/// Children by raw system calls beside those of system and popen, each after the other.
void raw_and_shells(const std::string& self, bool draws_first) {
  if (draws_first)
    say("parent", draw());
  for (int i = 0; i < 3; ++i) {
    for (int way = 0; way < 3; ++way) {
      const pid_t child = way == 0   ? static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0))
                          : way == 1 ? _Fork()
                                     : clone(
                                           [](void*) -> int {
                                             say("clone", draw());
                                             _exit(0);
                                           },
                                           shared<char>(65536) + 65536, SIGCHLD, nullptr);
      if (child == 0) {
        say(way == 0 ? "SYS_clone" : "_Fork", draw());
        _exit(0);
      }
      wait_for(child);
    }
    if (std::system((self + " say system").c_str()) != 0)
      fail("system");
    const std::string line = output_of(popen((self + " say popen").c_str(), "r"));
    if (write(1, line.data(), line.size()) < 0)
      fail("write");
  }
}

sem_t told;
uint64_t told_value = 0;

void tell(sigval) {
  told_value = draw();
  std::thread([] {
    told_value ^= draw();
  }).join(); // a child of the thread that libc made
  sem_post(&told);
}

void await(const std::string& name) {
  while (sem_wait(&told) != 0)
    if (errno != EINTR)
      fail("sem_wait");
  say(name, told_value);
}

/// A thread of libc's own that no hook sees being made: it tells that a read is done.
void unseen_thread() {
  sem_init(&told, 0, 0);
  static char byte;
  static aiocb request = {};
  const int file = memfd_create("empty", MFD_CLOEXEC);
  if (ftruncate(file, 1) != 0)
    fail("ftruncate");
  request.aio_fildes = file;
  request.aio_buf = &byte;
  request.aio_nbytes = 1;
  request.aio_sigevent.sigev_notify = SIGEV_THREAD;
  request.aio_sigevent.sigev_notify_function = tell;
  if (aio_read(&request) != 0)
    fail("aio_read");
  await("aio");
}

/// Children that are all process 1 of a namespace of their own, of a parent that is process 1 too.
void namespaces(const char* self) {
  if (unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0 && unshare(CLONE_NEWPID) != 0) {
    std::printf("no namespaces: %s\n", std::strerror(errno));
    return;
  }
  const pid_t first = fork();
  if (first != 0)
    return wait_for(first);
  say("pid " + std::to_string(getpid()), draw());
  for (int i = 0; i < 2; ++i) {
    struct Program {
      const char *self, *name;
    } program{self, i == 0 ? "vfork 0" : "vfork 1"};
    const pid_t child = clone(
        [](void* data) -> int {
          const auto* p = static_cast<Program*>(data);
          char say_word[] = "say";
          char* argv[] = {const_cast<char*>(p->self), say_word, const_cast<char*>(p->name),
                          nullptr};
          execv("/not/here", argv); // one that fails, before one that does not
          execv(p->self, argv);
          return 127;
        },
        shared<char>(65536) + 65536, CLONE_NEWPID | CLONE_VM | CLONE_VFORK | SIGCHLD, &program);
    wait_for(child);
  }
  say("pid " + std::to_string(getpid()), draw());
  execl(self, self, "say", "exec", nullptr);
  _exit(127);
}

// What a signal handler does at the moment.
void (*handle)() = nullptr;

/// Runs `body` with `handler` called between any two of its instructions, or, on other processors,
/// as often as another thread can send a signal.
template <typename Body>
void interrupted(void (*handler)(), Body body) {
  handle = handler;
  struct sigaction action = {};
  action.sa_handler = [](int) {
    handle();
  };
#if defined(__x86_64__)
  sigaction(SIGTRAP, &action, nullptr);
  __asm__ volatile("subq $128, %%rsp; pushfq; orl $0x100, (%%rsp); popfq; addq $128, %%rsp" ::
                       : "cc", "memory");
  body();
  __asm__ volatile("subq $128, %%rsp; pushfq; andl $~0x100, (%%rsp); popfq; addq $128, %%rsp" ::
                       : "cc", "memory");
#else
  sigaction(SIGUSR1, &action, nullptr);
  std::atomic<bool> stop{false};
  std::thread sender([&, target = pthread_self()] {
    while (!stop)
      pthread_kill(target, SIGUSR1);
  });
  for (int i = 0; i < 1000; ++i)
    body();
  stop = true;
  sender.join();
#endif
}

// What was drawn, in any order: every drawing takes its places first.
std::vector<uint64_t> kept;
std::atomic<size_t> kept_count{0};

template <typename Draw>
void keep(Draw draw_some) {
  uint64_t values[32];
  const size_t count = draw_some(values);
  const size_t at = kept_count.fetch_add(count);
  for (size_t i = 0; i < count && at + i < kept.size(); ++i)
    kept[at + i] = values[i];
}

template <typename Draw>
void draw_in_handler(Draw) {
  kept.resize(4000000);
  const auto body = [] {
    for (int i = 0; i < 20; ++i)
      keep(Draw{});
  };
  body(); // from here on the places are known
  interrupted(
      [] {
        keep(Draw{});
      },
      body);
  kept.resize(std::min(kept.size(), kept_count.load()));
  std::sort(kept.begin(), kept.end());
  const auto twice = kept.end() - std::unique(kept.begin(), kept.end());
  std::printf("%s, %ld twice\n", kept.size() > 1000 ? "drew in the handler" : "did not draw",
              static_cast<long>(twice));
}

const auto draw_bytes = [](uint64_t* values) -> size_t {
  if (getrandom(values, 256, 0) != 256)
    fail("getrandom");
  return 32;
};
const auto draw_word_pairs = [](uint64_t* values) -> size_t {
  // Two words to a value: a word alone comes twice by chance.
  values[0] = static_cast<uint64_t>(arc4random()) << 32;
  values[0] |= arc4random();
  return 1;
};

/// Threads whose last draw is in a destructor of theirs.
void thread_ends() {
  static pthread_key_t key;
  pthread_key_create(&key, [](void* rounds) {
    say("destructor", draw());
    const auto left = reinterpret_cast<uintptr_t>(rounds) - 1;
    if (left != 0)
      pthread_setspecific(key, reinterpret_cast<void*>(left));
  });
  for (int i = 0; i < 2; ++i)
    std::thread([] {
      pthread_setspecific(key, reinterpret_cast<void*>(uintptr_t{3}));
      say("thread", draw());
    }).join();
}

void spawn_from_small_thread(const char* self) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 16384);
  pthread_t thread;
  if (pthread_create(
          &thread, &attributes,
          [](void* data) -> void* {
            char say_word[] = "say", name[] = "spawned";
            char* argv[] = {static_cast<char*>(data), say_word, name, nullptr};
            pid_t child = -1;
            if (posix_spawn(&child, argv[0], nullptr, nullptr, argv, environ) != 0)
              fail("posix_spawn");
            wait_for(child);
            return nullptr;
          },
          const_cast<char*>(self)) != 0)
    fail("pthread_create");
  pthread_join(thread, nullptr);
}

ucontext_t caller, callee;

/// Executes something that is not there on a stack of 4 KiB with nothing below it.
void exec_on_small_stack() {
  constexpr size_t page = 4096;
  char* const pages = shared<char>(2 * page);
  mprotect(pages, page, PROT_NONE);
  getcontext(&callee);
  callee.uc_stack.ss_sp = pages + page;
  callee.uc_stack.ss_size = page;
  callee.uc_link = &caller;
  makecontext(
      &callee,
      [] {
        static char name[] = "not-here";
        static char* argv[] = {name, nullptr};
        execve("/not/here", argv, environ);
      },
      0);
  swapcontext(&caller, &callee);
  say("still here", draw());
}

} // namespace

int main(int argc, char** argv) {
  const std::string_view command = argc > 1 ? argv[1] : "";
  const auto number = [&](int at, int otherwise) {
    return argc > at ? std::atoi(argv[at]) : otherwise;
  };
  if (command == "say" && argc > 2)
    say(argv[2], draw());
  if (command == "racing-forks")
    racing_forks(number(2, 8), number(3, 40));
  if (command == "racing-shells")
    racing_shells(argv[0]);
  if (command == "raw")
    raw_and_shells(argv[0], true);
  if (command == "raw-undrawn")
    raw_and_shells(argv[0], false);
  if (command == "aio")
    unseen_thread();
  if (command == "namespaces")
    namespaces(argv[0]);
  if (command == "handler-bytes")
    draw_in_handler(draw_bytes);
  if (command == "handler-words")
    draw_in_handler(draw_word_pairs);
  if (command == "thread-ends")
    thread_ends();
  if (command == "small-thread")
    spawn_from_small_thread(argv[0]);
  if (command == "small-stack")
    exec_on_small_stack();
  if (command == "exec") {
    say("before", draw());
    execl(argv[0], argv[0], "say", "after", nullptr);
    fail("execl");
  }
}
