// A program that opens cuRAND, makes a generator, seeds it with 1234 and lets it go; once for each
// argument. `PATH` closes the library again, `+PATH` leaves it open.
#include "curand.h"

#include <cstdio>
#include <dlfcn.h>
#include <sys/mman.h>

namespace {

template <typename Function>
Function* find(void* handle, const char* name) {
  return reinterpret_cast<Function*>(dlsym(handle, name));
}

} // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const bool stays = argv[i][0] == '+';
    void* handle = dlopen(argv[i] + (stays ? 1 : 0), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      std::fprintf(stderr, "%s\n", dlerror());
      return 2;
    }
    auto* create = find<int(Opaque*, int)>(handle, "curandCreateGenerator");
    auto* seed =
        find<int(Opaque, unsigned long long)>(handle, "curandSetPseudoRandomGeneratorSeed");
    auto* destroy = find<int(Opaque)>(handle, "curandDestroyGenerator");
    Opaque generator = nullptr;
    std::printf("create=%d", create(&generator, 100));
    std::printf(" seed=%d destroy=%d\n", seed(generator, 1234), destroy(generator));
    if (!stays)
      dlclose(handle);
    // What is opened next gets another place.
    mmap(nullptr, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
}
