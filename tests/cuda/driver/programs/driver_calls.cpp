// An ordinary user of the CUDA driver. Each argument is a function to call; the bytes of what it
// allocated are printed behind its status. In a program built with DETSHIM_TEST_ENTRY_POINT the
// first argument is the lookup by which it gets the functions.
#include "driver_route.h"

#include "driver.h"

#include <cstdio>
#include <cstring>

namespace {

constexpr size_t size = 64, width = 40, height = 3;

/// A stream of the program's own.
Opaque stream() { return reinterpret_cast<Opaque>(uintptr_t{64}); }
Opaque pool() { return reinterpret_cast<Opaque>(uintptr_t{7}); }

void say(const char* name, int status) { std::printf("%s=%d\n", name, status); }

/// Prints the first and the last byte.
void show(const char* name, int status, uintptr_t memory, size_t last = size - 1) {
  std::printf("%s=%d", name, status);
  const auto* bytes = reinterpret_cast<const unsigned char*>(memory);
  if (status == 0)
    std::printf(" %02x %02x", bytes[0], bytes[last]);
  std::printf("\n");
}

} // namespace

int main(int argc, char** argv) {
  int first = 1;
#ifdef DETSHIM_TEST_ENTRY_POINT
  entry_point_lookup = argv[first++];
#endif
  for (int i = first; i < argc; ++i) {
    const char* const what = argv[i];
    DevicePointer memory = 0;
    void* host = nullptr;
    size_t pitch = 0;
    Opaque kernel = nullptr;
    const auto is = [what](const char* name) {
      return std::strcmp(what, name) == 0;
    };
    const auto function = [&] {
      CALL(cuModuleGetFunction)(&kernel, nullptr, "_Z4stepPf");
    };
    if (is("cuMemAlloc")) {
      uint32_t old = 0;
      const int status = CALL(cuMemAlloc)(&old, size);
      show(what, status, old);
    } else if (is("cuMemAlloc_v2")) {
      const int status = CALL(cuMemAlloc_v2)(&memory, size);
      show(what, status, memory);
    } else if (is("nothing")) {
      std::printf("nothing=%d\n", CALL(cuMemAlloc_v2)(&memory, 0));
    } else if (is("cuMemAllocPitch_v2")) {
      const int status = CALL(cuMemAllocPitch_v2)(&memory, &pitch, width, height, 4);
      show(what, status, memory, (height - 1) * pitch + width - 1);
    } else if (is("cuMemAllocManaged")) {
      const int status = CALL(cuMemAllocManaged)(&memory, size, 1);
      show(what, status, memory);
    } else if (is("managed by the host")) {
      const int status = CALL(cuMemAllocManaged)(&memory, size, 2);
      show(what, status, memory);
    } else if (is("cuMemAllocHost_v2")) {
      const int status = CALL(cuMemAllocHost_v2)(&host, size);
      show(what, status, reinterpret_cast<uintptr_t>(host));
    } else if (is("cuMemHostAlloc")) {
      const int status = CALL(cuMemHostAlloc)(&host, size, 0);
      show(what, status, reinterpret_cast<uintptr_t>(host));
    } else if (is("cuMemAllocAsync")) {
      const int status = CALL(cuMemAllocAsync)(&memory, size, stream());
      show(what, status, memory);
    } else if (is("cuMemAllocAsync_ptsz")) {
      const int status = CALL(cuMemAllocAsync_ptsz)(&memory, size, nullptr);
      show(what, status, memory);
    } else if (is("cuMemAllocFromPoolAsync")) {
      const int status = CALL(cuMemAllocFromPoolAsync)(&memory, size, pool(), nullptr);
      show(what, status, memory);
    } else if (is("cuMemAllocFromPoolAsync_ptsz")) {
      const int status = CALL(cuMemAllocFromPoolAsync_ptsz)(&memory, size, pool(), stream());
      show(what, status, memory);
    } else if (is("cuMemCreate")) {
      unsigned long long handle = 0;
      say(what, CALL(cuMemCreate)(&handle, size, stream(), 3));
    } else if (is("cuLaunchKernel")) {
      function();
      say(what, CALL(cuLaunchKernel)(kernel, 1, 2, 3, 4, 5, 6, 7, stream(), nullptr, nullptr));
    } else if (is("cuLaunchKernel_ptsz")) {
      function();
      say(what, CALL(cuLaunchKernel_ptsz)(kernel, 1, 2, 3, 4, 5, 6, 7, stream(), nullptr, nullptr));
    } else if (is("cuLaunchKernelEx")) {
      function();
      say(what, CALL(cuLaunchKernelEx)(nullptr, kernel, nullptr, nullptr));
    } else if (is("cuLaunchKernelEx_ptsz")) {
      function();
      say(what, CALL(cuLaunchKernelEx_ptsz)(nullptr, kernel, nullptr, nullptr));
    } else if (is("cuLaunchCooperativeKernel")) {
      function();
      say(what, CALL(cuLaunchCooperativeKernel)(kernel, 1, 1, 1, 1, 1, 1, 0, stream(), nullptr));
    } else if (is("cuLaunchCooperativeKernel_ptsz")) {
      function();
      say(what,
          CALL(cuLaunchCooperativeKernel_ptsz)(kernel, 1, 1, 1, 1, 1, 1, 0, stream(), nullptr));
    } else if (is("cuLibraryGetKernel")) { // a kernel that is no function
      CALL(cuLibraryGetKernel)(&kernel, nullptr, "_Z4stepPf");
      say(what, CALL(cuLaunchKernel)(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    } else if (is("cuGraphLaunch")) {
      say(what, CALL(cuGraphLaunch)(nullptr, stream()));
    } else if (is("cuGraphLaunch_ptsz")) {
      say(what, CALL(cuGraphLaunch_ptsz)(nullptr, stream()));
    } else if (is("cuGetProcAddress")) { // the lookup, looked up
      auto* lookup = reinterpret_cast<decltype(&::cuGetProcAddress_v2)>(
          reinterpret_cast<void*>(CALL(cuGetProcAddress_v2)));
      void* found = nullptr;
      int result = 0;
      lookup("cuMemAlloc", &found, 13000, 0, &result);
      const int status = reinterpret_cast<decltype(&::cuMemAlloc_v2)>(found)(&memory, size);
      show(what, status, memory);
    } else {
      std::fprintf(stderr, "%s?\n", what);
      return 2;
    }
  }
}
