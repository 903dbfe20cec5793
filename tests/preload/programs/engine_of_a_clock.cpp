#include <chrono>
#include <cstdio>
#include <random>
int main() {
  std::mt19937 engine(std::chrono::high_resolution_clock::now().time_since_epoch().count());
  std::printf("%u\n", (unsigned)engine());
}
