// What DETSHIM_FINGERPRINT=host costs, as a ratio to the function behind the hook in the same
// process and the same run, by turns. The program starts itself again under the preload; copies are
// a double's, which are memcpy.
//
// Of library calls, what a hook adds on the host: to a product of a double, of one number, with a
// wait every hundred; with DETSHIM_FINGERPRINT=calls in the environment three launches in it, of
// the double's driver, and the hashes that the "GPU" takes, on the same processor. What a GPU takes
// cannot be told here.
#include "core/base/modules.h"
#include "core/fingerprint/content_hash.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

template <typename Function>
Function* native(const char* file_start, const char* name) {
  const void* found = nullptr;
  detshim::each_module([&](const detshim::Module& module) {
    const char* const file = std::strrchr(module.path, '/');
    return file != nullptr && std::strncmp(file + 1, file_start, std::strlen(file_start)) == 0 &&
           (found = module.symbol(name)) != nullptr;
  });
  if (found == nullptr)
    std::fprintf(stderr, "bench: no %s in %s\n", name, file_start), std::exit(1);
  return reinterpret_cast<Function*>(const_cast<void*>(found));
}

/// Processor time: other work on the machine is not the hook's.
double now() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

template <typename Call>
double nanoseconds(int times, Call call) {
  const double start = now();
  for (int i = 0; i < times; ++i)
    call();
  return (now() - start) / times;
}

/// Prints the medians of both, and the median of their ratios with the smallest and the largest.
template <typename Hooked, typename Unhooked>
void compare(const std::string& name, int times, Hooked hooked, Unhooked unhooked) {
  constexpr int turns = 15;
  std::vector<double> with, without, ratios;
  for (int i = 0; i <= turns; ++i) {
    const double a = nanoseconds(times, hooked), b = nanoseconds(times, unhooked);
    if (i == 0)
      continue; // the first prints of a place have records of their own
    with.push_back(a), without.push_back(b), ratios.push_back(a / b);
  }
  for (auto* all : {&with, &without, &ratios})
    std::sort(all->begin(), all->end());
  std::printf("%-28s %10.1f ns  %10.1f ns  %5.2f (%.2f to %.2f)\n", name.c_str(), with[turns / 2],
              without[turns / 2], ratios[turns / 2], ratios.front(), ratios.back());
}

using Copy = int(void*, const void*, size_t, int);
using Product = int(void*, int, int, int, int, int, const float*, const void*, int, const void*,
                    int, const float*, void*, int);
using Print = int(FILE*, const char*, ...);
using Write = size_t(const void*, size_t, size_t, FILE*);

} // namespace

int main(int, char** argv) {
  if (std::getenv("LD_PRELOAD") == nullptr ||
      std::strstr(std::getenv("LD_PRELOAD"), "detshim") == nullptr) {
    setenv("LD_PRELOAD", DETSHIM_LIBRARY, 1);
    setenv("DETSHIM_SEED", "42", 0);
    setenv("DETSHIM_QUIET", "1", 0);
    setenv("DETSHIM_FINGERPRINT", "host", 0);
#ifdef CUBLAS_DOUBLE
    // One double of the driver serves both: that which can do more.
    const std::string library = CUBLAS_DOUBLE;
    setenv("LD_LIBRARY_PATH", library.substr(0, library.rfind('/')).c_str(), 1);
#endif
    execv("/proc/self/exe", argv);
    std::perror("bench: cannot start again under the preload");
    return 1;
  }
  std::printf("%-28s %13s  %13s  %s\n", "", "hooked", "native", "ratio");
  FILE* const nowhere = std::fopen("/dev/null", "w");
  auto* const own_fprintf = native<Print>("libc.so", "fprintf");
  Print* const hooked_fprintf = fprintf;
  compare(
      "fprintf of a double", 200000,
      [&] {
        hooked_fprintf(nowhere, "%.9g\n", 0.123456789);
      },
      [&] {
        own_fprintf(nowhere, "%.9g\n", 0.123456789);
      });
  static char data[64 << 20];
  auto* const own_fwrite = native<Write>("libc.so", "fwrite");
  Write* const hooked_fwrite = fwrite;
  for (const size_t size : {size_t{64}, size_t{65536}})
    compare(
        "fwrite, " + std::to_string(size) + " bytes", size < 1000 ? 200000 : 2000,
        [&] {
          hooked_fwrite(data, 1, size, nowhere);
        },
        [&] {
          own_fwrite(data, 1, size, nowhere);
        });
  if (void* const runtime = dlopen(CUDART_DOUBLE, RTLD_NOW | RTLD_GLOBAL)) {
    auto* const hooked = reinterpret_cast<Copy*>(dlsym(runtime, "cudaMemcpy"));
    auto* const own = native<Copy>("libcudart.so", "cudaMemcpy");
    setenv("DOUBLE_LOG", "/dev/null", 1);
    static char to[64 << 20];
    for (const size_t size : {size_t{1} << 20, sizeof to})
      compare(
          "a copy, " + std::to_string(size) + " bytes", size > 1000000 ? 20 : 500,
          [&] {
            hooked(to, data, size, 2);
          },
          [&] {
            own(to, data, size, 2);
          });
  }
#ifdef CUBLAS_DOUBLE
  if (void* const library = dlopen(CUBLAS_DOUBLE, RTLD_NOW | RTLD_GLOBAL)) {
    auto* const allocate =
        reinterpret_cast<int (*)(uint64_t*, size_t)>(dlsym(RTLD_DEFAULT, "cuMemAlloc_v2"));
    auto* const wait = reinterpret_cast<int (*)(void*)>(dlsym(RTLD_DEFAULT, "cuStreamSynchronize"));
    void* handle = nullptr;
    reinterpret_cast<int (*)(void**)>(dlsym(library, "cublasCreate_v2"))(&handle);
    uint64_t memory = 0;
    allocate(&memory, 4096);
    void* const number = reinterpret_cast<void*>(memory);
    const float one = 1, zero = 0;
    int calls = 0;
    const auto multiply = [&](Product* product) {
      product(handle, 0, 0, 1, 1, 1, &one, number, 1, number, 1, &zero, number, 1);
      if (++calls % 100 == 0)
        wait(nullptr);
    };
    auto* const hooked = reinterpret_cast<Product*>(dlsym(library, "cublasSgemm_v2"));
    auto* const own = native<Product>("libcublas.so", "cublasSgemm_v2");
    compare(
        "a product of a double", 2000,
        [&] {
          multiply(hooked);
        },
        [&] {
          multiply(own);
        });
  }
#endif
  uint64_t sum = 0;
  compare(
      "hash to memcpy, 64 KiB", 5000,
      [&] {
        sum += detshim::content_hash(data, 65536, sum);
      },
      [&] {
        std::memcpy(data + 65536, data, 65536);
        __asm__ volatile("" ::: "memory");
      });
  return sum == 1;
}
