// Opened by lookups.cpp.
#include <dlfcn.h>
#include <sys/random.h>

extern "C" int value_in_the_plugin() { return 5; }

extern "C" int value_by_default() {
  auto* found = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "value_in_the_plugin"));
  return found ? found() : -1;
}

extern "C" void draw_bytes(unsigned char* bytes) { getrandom(bytes, 8, 0); }
