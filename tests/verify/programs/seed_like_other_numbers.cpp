// A seed that verify learns, and that may then look like a number of the code or of the
// environment.
#include <chrono>
#include <cstdio>
#include <cstdlib>
int main() {
  unsigned seed = std::chrono::system_clock::now().time_since_epoch().count() * 2654435761u >> 3;
  if (const char* number = getenv("PASSED_NUMBER"))
    seed = atoi(number) + 61;
  printf("%d ", 161);
  srand(seed);
  printf("%d\n", rand());
}
