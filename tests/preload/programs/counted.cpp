// counted [kill] [ignored arguments]: three threads call rand() 60000 times from one place and
// 40000 times from another, and getrandom() 1000 times. Prints `done`; `kill` ends it by SIGKILL
// after that.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include <thread>

namespace {

volatile int sink;

void draw_all() {
  for (int i = 0; i < 60000; ++i)
    sink = rand();
  for (int i = 0; i < 40000; ++i)
    sink = rand();
  for (int i = 0; i < 1000; ++i) {
    char bytes[16];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
      abort();
  }
}

} // namespace

int main(int argc, char** argv) {
  std::thread first{draw_all}, second{draw_all};
  draw_all();
  first.join();
  second.join();
  if (write(STDOUT_FILENO, "done\n", 5) != 5)
    return 1;
  if (argc > 1 && strcmp(argv[1], "kill") == 0)
    kill(getpid(), SIGKILL);
}
