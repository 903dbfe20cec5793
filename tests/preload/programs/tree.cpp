// Makes threads and processes in every way that there is; each draws one value and prints it with
// its name. One at a time, so that the order of the lines is the program's.
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <initializer_list>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <string>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <threads.h>
#include <unistd.h>
#include <vector>

extern char** environ;

namespace {

uint64_t draw() {
  uint64_t value = 0;
  if (getrandom(&value, sizeof value, 0) != sizeof value)
    std::abort();
  return value;
}

void say(const char* name, uint64_t value) {
  char line[80];
  const int length =
      std::snprintf(line, sizeof line, "%s %016lx\n", name, static_cast<unsigned long>(value));
  if (write(1, line, static_cast<size_t>(length)) != length)
    std::abort();
}

void wait_for(pid_t child) {
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
    std::fprintf(stderr, "a child failed: %s, status %d\n", std::strerror(errno), status);
    std::exit(1);
  }
}

/// Waits for a child that a plain fork makes and that runs `body`.
void in_fork(const std::function<void()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    body();
    _exit(0);
  }
  wait_for(child);
}

void make_threads() {
  constexpr int count = 8;
  uint64_t values[count], nested[count], racing[count];
  {
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i)
      threads.emplace_back([&, i] {
        values[i] = draw();
        std::thread([&, i] {
          nested[i] = draw();
        }).join();
        // rand() from all threads at once: each has a state of its own
        uint64_t sum = 0;
        for (int k = 0; k < 100000; ++k)
          sum = sum * 31 + static_cast<uint64_t>(std::rand());
        racing[i] = sum;
      });
    for (std::thread& thread : threads)
      thread.join();
  }
  for (int i = 0; i < count; ++i)
    say("std::thread", values[i]), say("nested", nested[i]), say("rand", racing[i]);

  thrd_t c11;
  uint64_t value = 0;
  thrd_create(
      &c11,
      [](void* to) -> int {
        return *static_cast<uint64_t*>(to) = draw(), 0;
      },
      &value);
  thrd_join(c11, nullptr);
  say("thrd_create", value);
}

void make_forks() {
  in_fork([] {
    say("fork", draw());
  });
  in_fork([] {
    in_fork([] {
      say("fork in a fork", draw());
    });
    say("its parent", draw());
  });
  std::thread([] {
    in_fork([] {
      say("fork in a thread", draw());
    });
  }).join();
}

/// Children that no fork handler hears of.
void make_raw_forks() {
  const std::initializer_list<std::pair<const char*, std::function<pid_t()>>> ways = {
      {"_Fork",
       [] {
         return _Fork();
       }},
#ifdef SYS_fork
      {"SYS_fork",
       [] {
         return static_cast<pid_t>(syscall(SYS_fork));
       }},
#endif
      {"SYS_clone",
       [] {
         return static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
       }},
  };
  for (const auto& [name, make] : ways) {
    const pid_t child = make();
    if (child == 0) {
      say(name, draw());
      _exit(0);
    }
    wait_for(child);
    say("parent", draw());
  }
}

void execute(const char* self, const char* form) {
  const std::string name = std::string{"after "} + form;
  const char* arguments[] = {self, "say", name.c_str(), nullptr};
  auto** argv = const_cast<char**>(arguments);
  // A snapshot of the environment from before anything happened, as Python's subprocess hands it
  // on.
  static std::vector<char*> snapshot;
  static std::vector<std::string> texts;
  if (snapshot.empty()) {
    for (char** entry = environ; *entry != nullptr; ++entry)
      texts.emplace_back(*entry);
    for (std::string& text : texts)
      snapshot.push_back(text.data());
    snapshot.push_back(nullptr);
  }
  const std::string_view how = form;
  if (how == "execv")
    execv(self, argv);
  if (how == "execvp")
    execvp(self, argv);
  if (how == "execve")
    execve(self, argv, snapshot.data());
  if (how == "execvpe")
    execvpe(self, argv, snapshot.data());
  if (how == "execl")
    execl(self, self, "say", name.c_str(), nullptr);
  if (how == "execlp")
    execlp(self, self, "say", name.c_str(), nullptr);
  if (how == "execle")
    execle(self, self, "say", name.c_str(), nullptr, snapshot.data());
  if (how == "fexecve")
    fexecve(open(self, O_RDONLY | O_CLOEXEC), argv, environ);
  if (how == "execveat")
    execveat(AT_FDCWD, self, argv, environ, 0);
  _exit(127);
}

void in_vfork(const char* self, const char* form) {
  const pid_t child = vfork();
  if (child == 0)
    execute(self, form);
  wait_for(child);
}

void make_programs(const char* self) {
  for (const char* form : {"execv", "execvp", "execve", "execvpe", "execl", "execlp", "execle",
                           "fexecve", "execveat"}) {
    in_fork([&] {
      execute(self, form);
    });
    in_vfork(self, form);
  }
  for (int i = 0; i < 2; ++i) {
    char say_word[] = "say", name[] = "after posix_spawn";
    char* argv[] = {const_cast<char*>(self), say_word, name, nullptr};
    pid_t child = -1;
    posix_spawn(&child, self, nullptr, nullptr, argv, environ);
    wait_for(child);
    posix_spawnp(&child, self, nullptr, nullptr, argv, environ);
    wait_for(child);
    const std::string command = std::string{self} + " say 'after system'";
    if (std::system(command.c_str()) != 0)
      std::exit(1);
    FILE* pipe = popen(command.c_str(), "r");
    char line[80] = "";
    if (pipe == nullptr || std::fgets(line, sizeof line, pipe) == nullptr)
      std::exit(1);
    pclose(pipe);
    if (write(1, line, std::strlen(line)) < 0)
      std::exit(1);
  }
}

/// A chain of forks, each made by the last.
void make_deep(int depth) {
  say("deep", draw());
  if (depth > 1)
    in_fork([depth] {
      make_deep(depth - 1);
    });
}

} // namespace

int main(int argc, char** argv) {
  const std::string_view command = argc > 1 ? argv[1] : "";
  if (command == "say" && argc > 2) {
    say(argv[2], draw());
    return 0;
  }
  say("main", draw());
  if (command == "threads")
    make_threads();
  if (command == "forks")
    make_forks();
  if (command == "raw")
    make_raw_forks();
  if (command == "programs")
    make_programs(argv[0]);
  if (command == "wide")
    for (int i = 0; i < 1000; ++i)
      in_fork([] {
        say("wide", draw());
      });
  if (command == "deep")
    make_deep(argc > 2 ? std::atoi(argv[2]) : 200);
  say("main", draw());
}
