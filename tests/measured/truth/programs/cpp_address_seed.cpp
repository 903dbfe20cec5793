// srand from an address
#include <cstdint>
#include <cstdio>
#include <cstdlib>
int main() {
  int here = 0;
  srand(static_cast<unsigned>(reinterpret_cast<uintptr_t>(&here)));
  printf("%d\n", rand());
}
