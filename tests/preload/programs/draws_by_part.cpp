// Draws by a function that a part of libc has.
#include <cstdio>

#include <sys/random.h>

int main() {
  unsigned long drawn = 0;
  if (getrandom(&drawn, sizeof drawn, 0) != sizeof drawn)
    return 1;
  std::printf("%lu\n", drawn);
}
