// Draws in three ways, prints what the first two gave, and where something lies if it is asked to.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

int main(int count, char**) {
  std::uint32_t first = 0, dropped = 0;
  if (::getrandom(&first, sizeof first, 0) != sizeof first)
    return 1;
  timespec now = {};
  std::timespec_get(&now, TIME_UTC);
  ::srand48(now.tv_nsec);
  std::printf("%u %ld\n", first, ::lrand48());
  const int device = ::open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  if (::read(device, &dropped, sizeof dropped) != sizeof dropped)
    return 1;
  if (count > 1)
    std::printf("%p\n", static_cast<void*>(&first));
}
