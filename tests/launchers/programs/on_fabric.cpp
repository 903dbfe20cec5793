// on_fabric TIMES: sets up a library of infrastructure, unless TIMES is 0, and draws.
#include <cstdio>
#include <cstdlib>

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

extern "C" int set_up(int times);

int main(int, char** arguments) {
  const int times = std::atoi(arguments[1]);
  for (int round = 0; round < 2; ++round) {
    if (times > 0 && set_up(times) != times + 1)
      return 1;
    unsigned long drawn[2] = {};
    if (getrandom(drawn, sizeof *drawn, 0) != sizeof *drawn)
      return 1;
    const int device = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    if (read(device, drawn + 1, sizeof *drawn) != sizeof *drawn)
      return 1;
    close(device);
    std::printf("%016lx\n%016lx\n", drawn[0], drawn[1]);
  }
}
