// std::random_device
#include <iostream>
#include <random>
int main() {
  std::random_device d;
  std::mt19937 g(d());
  std::cout << g() << "\n";
}
