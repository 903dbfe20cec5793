// Linked by lookups.cpp before lookup_second.cpp: wraps the second library's function, and has a
// function of its own under a name of libc's.
#include <dlfcn.h>

extern "C" int wrapped_value() { return 1; }

extern "C" int value_of_the_next() {
  auto* next = reinterpret_cast<int (*)()>(dlsym(RTLD_NEXT, "wrapped_value"));
  return next ? next() : -1;
}

extern "C" long lrand48() noexcept { return 7; }
