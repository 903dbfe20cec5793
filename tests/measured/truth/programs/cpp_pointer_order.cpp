// a std::set of pointers
#include <cstdio>
#include <memory>
#include <set>
#include <vector>
int main() {
  std::vector<std::unique_ptr<int>> owners;
  std::set<int*> order;
  for (int i = 0; i < 20; ++i) {
    owners.push_back(std::make_unique<int>(i));
    order.insert(owners.back().get());
  }
  for (int* p : order) printf("%d ", *p);
}
