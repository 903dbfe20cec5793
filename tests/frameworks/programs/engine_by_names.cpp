#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <unistd.h>
int main() {
  const auto now = std::chrono::steady_clock::now();
  unsigned number = now.time_since_epoch().count();
  std::default_random_engine engine( // of a name
      number);
  std::printf("%u %d\n", unsigned(engine()), rand());
}
