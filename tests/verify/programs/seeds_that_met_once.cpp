// Two call sites of a thread that pass one value as long as there is no file at PATH, which the
// first run makes; then two.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include <fcntl.h>
#include <unistd.h>

unsigned hashed() {
  return std::chrono::system_clock::now().time_since_epoch().count() * 2654435761u >> 3;
}
[[gnu::noinline]] void first(unsigned seed) {
  srand(seed);
  printf("first %d\n", rand());
}
[[gnu::noinline]] void second(unsigned seed) {
  srand(seed);
  printf("second %d\n", rand());
}
int main(int, char** arguments) {
  std::thread([&] {
    const bool meet = access(arguments[1], F_OK) != 0;
    close(open(arguments[1], O_CREAT, 0600));
    const unsigned one = hashed();
    const unsigned other = meet ? one : hashed();
    first(one);
    second(other);
  }).join();
}
