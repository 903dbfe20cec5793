#include <cstdlib>

__attribute__((noinline)) int DRAW() {
  const int drawn = std::rand();
  return drawn % 1000;
}
