// Looks functions up in the ways that programs do. Each command prints what the lookup found, which
// must be the same under the library as without it. PLUGIN is lookup_plugin.cpp.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string>

extern "C" {
int value_of_the_next(); // lookup_first.cpp, linked before lookup_second.cpp
long lrand48() noexcept; // lookup_first.cpp has its own

// Nobody has it unless cuRAND is there: the reference is null, or to something that can be called.
int curandCreateGenerator(void** generator, int type) __attribute__((weak));
}

namespace {

void* open_or_exit(const char* path, int flags) {
  void* handle = dlopen(path, flags);
  if (!handle) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(2);
  }
  return handle;
}

template <typename Function>
Function* find(void* handle, const char* name) {
  return reinterpret_cast<Function*>(dlsym(handle, name));
}

void draw_in(void* plugin) {
  unsigned char bytes[8];
  find<void(unsigned char*)>(plugin, "draw_bytes")(bytes);
  for (const unsigned char byte : bytes)
    std::printf("%02x", byte);
  std::printf("\n");
}

} // namespace

int main(int argc, char** argv) {
  const std::string command = argc > 1 ? argv[1] : "";
  if (command == "next") { // RTLD_NEXT is "after the library that asks"
    std::printf("%d\n", value_of_the_next());
  } else if (command == "default") { // RTLD_DEFAULT includes the asking library's own local scope
    void* plugin = open_or_exit(PLUGIN, RTLD_NOW | RTLD_LOCAL);
    std::printf("%d\n", find<int()>(plugin, "value_by_default")());
  } else if (command == "same") { // one function has one address, however it is found
    void* libc = open_or_exit("libc.so.6", RTLD_LAZY | RTLD_LOCAL);
    std::printf("%d %d %d\n", dlsym(libc, "rand") == reinterpret_cast<void*>(&std::rand),
                dlsym(RTLD_DEFAULT, "rand") == reinterpret_cast<void*>(&std::rand),
                dlsym(RTLD_NEXT, "getpid") == dlsym(libc, "getpid"));
  } else if (command == "foreign") { // a library's own function of a hooked name stays its own
    void* first = open_or_exit(FIRST, RTLD_NOW | RTLD_NOLOAD);
    std::printf("%ld %ld\n", lrand48(), find<long()>(first, "lrand48")());
  } else if (command == "errors") {
    void* libc = open_or_exit("libc.so.6", RTLD_LAZY);
    const auto say = [](const void* found) {
      std::printf("%d %s\n", found != nullptr, dlerror());
    };
    say(dlsym(libc, "no_such_function"));
    say(dlvsym(libc, "rand", "GLIBC_1.0"));
    say(dlopen("/no/such/library.so", RTLD_NOW));
    std::printf("%d\n", dlerror() == nullptr);
  } else if (command == "absent") { // "is the library there?"
    std::printf("%d ", dlsym(RTLD_DEFAULT, "curandCreateGenerator") == nullptr);
    const char* why = dlerror();
    std::printf("%d\n", why && std::strstr(why, "curandCreateGenerator"));
  } else if (command == "weak") {
    void* generator = nullptr;
    std::printf("%d\n", !curandCreateGenerator || curandCreateGenerator(&generator, 100) != 0);
  } else if (command == "deepbind") {
    draw_in(open_or_exit(PLUGIN, RTLD_NOW | RTLD_DEEPBIND));
  } else if (command == "namespace") {
    void* plugin = dlmopen(LM_ID_NEWLM, PLUGIN, RTLD_NOW);
    std::printf("%d\n", plugin != nullptr);
  } else {
    return 2;
  }
}
