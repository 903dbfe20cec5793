// Starts 16 threads, or children, at once: prints their numbers in the order in which they begin.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

int main(int count, char** arguments) {
  int pipe[2];
  if (count != 2 || ::pipe(pipe) != 0)
    return 2;
  const auto begin = [&](char number) {
    if (::write(pipe[1], &number, 1) != 1)
      std::abort();
  };
  constexpr char workers = 16;
  const bool forks = std::strcmp(arguments[1], "forks") == 0;
  std::vector<std::thread> threads;
  for (char number = 0; number < workers; ++number) {
    if (!forks) {
      threads.emplace_back(begin, number);
    } else if (::fork() == 0) {
      begin(number);
      ::_exit(0);
    }
  }
  for (std::thread& thread : threads)
    thread.join();
  while (::wait(nullptr) > 0) {}
  for (char i = 0, number; i < workers && ::read(pipe[0], &number, 1) == 1; ++i)
    std::printf("%d ", number);
}
