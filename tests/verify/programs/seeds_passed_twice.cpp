// Threads and call sites that pass one value as a seed. With LATER another thread begins before
// them.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
unsigned hashed() {
  return std::chrono::system_clock::now().time_since_epoch().count() * 2654435761u >> 3;
}
void draw(const char* name) { printf("%s %d\n", name, rand()); }
void in_thread(unsigned seed);
[[gnu::noinline]] void in_another(unsigned seed) {
  srand(seed);
  draw("again");
}
int main() {
  const unsigned one = hashed(), other = hashed();
  srand(one);
  draw("first");
  in_another(one);
  in_another(other);
  srand(other);
  draw("other");
  const unsigned shared = hashed();
  if (getenv("LATER") != nullptr)
    std::thread([] {}).join(); // as if another were the first to pass it
  for (int i = 0; i < 3; ++i)
    std::thread(in_thread, shared).join();
}
// Not the first call site: that gets 42.
void in_thread(unsigned seed) {
  srand(seed);
  draw("thread");
}
