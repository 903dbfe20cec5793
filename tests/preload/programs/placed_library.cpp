#include <cstdlib>

#ifdef ROOM
alignas(64) extern char room[4096];
char room[4096] = "for program headers";
#endif

__attribute__((noinline)) int DRAW() {
  const int drawn = std::rand();
  return drawn % 1000;
}
