// Draws as a fabric's library does when it is set up: its name is that of one, libfabric.so.1.
#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

extern "C" int set_up(int times) {
  unsigned long number = 0;
  int good = 0;
  for (int i = 0; i < times; ++i)
    good += getrandom(&number, sizeof number, 0) == sizeof number ? 1 : 0;
  const int device = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  good += read(device, &number, sizeof number) == sizeof number ? 1 : 0;
  close(device);
  return good;
}
