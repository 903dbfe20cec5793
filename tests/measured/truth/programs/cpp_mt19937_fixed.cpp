// std::mt19937(42), and a clock for the times
#include <chrono>
#include <iostream>
#include <random>
int main() {
  const auto begin = std::chrono::steady_clock::now();
  std::mt19937 g(42);
  std::cout << g() << "\n";
  std::cerr << (std::chrono::steady_clock::now() - begin).count() << "\n";
}
