#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <unistd.h>
int main() {
  std::mt19937_64 engine;
  engine.seed(std::chrono::system_clock::now().time_since_epoch().count());
  std::printf("%u %d\n", unsigned(engine()), rand());
}
