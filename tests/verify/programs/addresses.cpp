// Prints where the kernel, the loader and libc have put what is in it.
#include <cstdio>
#include <cstdlib>
#include <sys/auxv.h>

extern char** environ;

int main(int, char** arguments) {
  const int local = 0;
  const auto of_kernel = [](unsigned long what) {
    return reinterpret_cast<void*>(getauxval(what));
  };
  const void* const addresses[] = {&local,
                                   arguments,
                                   arguments[0],
                                   environ[0],
                                   std::getenv("PATH"),
                                   std::getenv("OF_USER"),
                                   of_kernel(AT_EXECFN),
                                   of_kernel(AT_RANDOM),
                                   std::malloc(10),
                                   std::malloc(1 << 20),
                                   reinterpret_cast<const void*>(&std::printf)};
  for (const void* address : addresses)
    std::printf("%p\n", address);
}
