// Opens the library that it is given, and draws.
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

int main(int count, char** words) {
  if (count > 1 && dlopen(words[1], RTLD_NOW) == nullptr)
    std::fprintf(stderr, "%s\n", dlerror());
  const bool is_drawn = std::rand() >= 0;
  return is_drawn ? 0 : 1;
}
