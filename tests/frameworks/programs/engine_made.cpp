#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <unistd.h>
int main() {
  std::mt19937 engine(getpid());
  std::printf("%u %d\n", unsigned(engine()), rand());
}
