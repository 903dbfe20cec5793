// std::shuffle by a seeded engine; std::hash order
#include <algorithm>
#include <iostream>
#include <numeric>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>
int main() {
  std::vector<int> v(20);
  std::iota(v.begin(), v.end(), 0);
  std::random_device d;
  std::default_random_engine e(d());
  std::shuffle(v.begin(), v.end(), e);
  std::unordered_map<std::string, int> m;
  for (int i : v) m[std::to_string(i)] = i;
  for (auto& [k, i] : m) std::cout << k << " ";
}
