// Draws in libraries that are linked to an address of their own, each in a process of its own too.
#include <cstdio>
#include <sys/wait.h>
#include <unistd.h>

int draw_first();
int draw_second();

int main() {
  std::printf("%d %d\n", draw_first(), draw_second());
  std::fflush(stdout);
  if (fork() == 0) {
    std::printf("%d %d\n", draw_second(), draw_first());
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  wait(&status);
  return status == 0 ? 0 : 1;
}
