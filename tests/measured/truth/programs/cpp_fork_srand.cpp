// children that srand(time(0) + i)
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <sys/wait.h>
#include <unistd.h>
int main() {
  for (int i = 0; i < 3; ++i) {
    if (fork() == 0) {
      srand(time(nullptr) + i);
      printf("%d\n", rand());
      fflush(stdout);
      _exit(0);
    }
    wait(nullptr);
  }
}
