// A seed that a clock was hashed to, and one that is fixed.
#include <chrono>
#include <cstdio>
#include <cstdlib>
int main() {
  auto t = std::chrono::system_clock::now();
  auto h = t.time_since_epoch().count() * 2654435761u;
  srand(h); // line 8
  printf("%d\n", rand());
  srand(7);
  printf("%d\n", rand());
}
