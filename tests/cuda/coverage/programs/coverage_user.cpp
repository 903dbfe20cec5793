// An ordinary user of cuRAND, for what `detshim log` says of it. Its arguments are done in their
// order:
//
//   rand         draws from libc
//   create       makes a generator and destroys it
//   open=FILE    dlopen(RTLD_NOW) and calls the function `use` in it; deep=FILE the same with
//   RTLD_DEEPBIND load=FILE    dlopen(RTLD_NOW | RTLD_GLOBAL) alone symbol=NAME  dlsym in what was
//   opened last solve        calls a function of cuSPARSE (built with DETSHIM_TEST_SPARSE) close
//   dlclose of what was opened last kill         ends without any handler
//
// Built with DETSHIM_TEST_WITHOUT_CURAND it reaches nothing by itself; with
// DETSHIM_TEST_NEW_FUNCTION it uses one that later versions add; with DETSHIM_TEST_TABLE it calls
// by a table in its data; with DETSHIM_TEST_DEVICE_CODE it holds what nvcc leaves in a program.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>

extern "C" {
int curandCreateGenerator(void** generator, int type);
int curandCreateGeneratorFromNowhere(void** generator, int type);
int curandDestroyGenerator(void* generator);
int cusparseSgpsvInterleavedBatch();
}

#ifdef DETSHIM_TEST_DEVICE_CODE
[[gnu::section(".nv_fatbin"), gnu::used]] const char device_code[] = "code for a GPU";
#endif

#ifdef DETSHIM_TEST_TABLE
// The references to the functions are in data, and none in a linkage table.
struct Functions {
  int (*create)(void**, int);
  int (*destroy)(void*);
};
[[gnu::used]] const volatile Functions functions = {curandCreateGenerator, curandDestroyGenerator};
#endif

namespace {

[[maybe_unused]] void* open(const char* file, int flags) {
  void* handle = dlopen(file, flags);
  if (handle == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(2);
  }
  return handle;
}

[[maybe_unused]] void* use(const char* file, int flags) {
  void* handle = open(file, flags);
  reinterpret_cast<void (*)()>(dlsym(handle, "use"))();
  return handle;
}

void create() {
#ifndef DETSHIM_TEST_WITHOUT_CURAND
  void* generator = nullptr;
#ifdef DETSHIM_TEST_NEW_FUNCTION
  curandCreateGeneratorFromNowhere(&generator, 100);
#elif defined(DETSHIM_TEST_TABLE)
  functions.create(&generator, 100);
#else
  curandCreateGenerator(&generator, 100);
#endif
#ifdef DETSHIM_TEST_TABLE
  functions.destroy(generator);
#else
  if (generator != nullptr)
    curandDestroyGenerator(generator);
#endif
#endif
}

} // namespace

#ifdef DETSHIM_TEST_PLUGIN
extern "C" void use() { create(); }
#else
int main(int argc, char** argv) {
  void* last = nullptr;
  for (int i = 1; i < argc; ++i) {
    const char* value = std::strchr(argv[i], '=');
    const auto is = [&](const char* name) {
      return std::strncmp(argv[i], name, std::strlen(name)) == 0;
    };
    if (is("rand"))
      std::printf("%d\n", std::rand());
    else if (is("create"))
      create();
    else if (is("open="))
      last = use(value + 1, RTLD_NOW);
    else if (is("deep="))
      last = use(value + 1, RTLD_NOW | RTLD_DEEPBIND);
    else if (is("load="))
      last = open(value + 1, RTLD_NOW | RTLD_GLOBAL);
    else if (is("symbol="))
      std::printf("%s is %sthere\n", value + 1, dlsym(last, value + 1) == nullptr ? "not " : "");
#ifdef DETSHIM_TEST_SPARSE
    else if (is("solve"))
      cusparseSgpsvInterleavedBatch();
#endif
    else if (is("close"))
      dlclose(last);
    else if (is("kill"))
      std::raise(SIGKILL);
  }
}
#endif
