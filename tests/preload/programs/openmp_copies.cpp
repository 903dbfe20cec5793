// Opens the libraries that its arguments name, each for itself, and prints what they count.
#include <cstdio>

#include <dlfcn.h>

int main(int argc, char** argv) {
  for (int round = 0; round < 2; ++round)
    for (int i = 1; i < argc; ++i) {
      void* library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
      if (library == nullptr)
        return std::fprintf(stderr, "%s\n", dlerror()), 1;
      auto* count = reinterpret_cast<int (*)()>(dlsym(library, "threads_in_a_region"));
      std::printf("%d\n", count());
    }
}
