// std::mt19937 from a clock, out of sight
#include <chrono>
#include <iostream>
#include <random>
int main() {
  std::mt19937 g(std::chrono::system_clock::now().time_since_epoch().count());
  std::cout << g() << "\n";
}
