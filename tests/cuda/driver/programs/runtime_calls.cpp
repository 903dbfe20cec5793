// An ordinary user of the CUDA runtime, with a kernel that is registered before main as nvcc's code
// does it. Each argument is a function to call; the bytes of what it allocated are printed behind
// its status, and the runtime's last error at the end.
#include "call.h"

#include "runtime.h"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>

namespace {

constexpr size_t size = 64, width = 40, height = 3, depth = 2;

Opaque stream() { return reinterpret_cast<Opaque>(uintptr_t{64}); }
Opaque pool() { return reinterpret_cast<Opaque>(uintptr_t{7}); }

char step, other; // stand for kernels

struct Registration {
  Registration() {
    CALL(__cudaRegisterFunction)
    (nullptr, &step, &step, "_Z4stepPf", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    CALL(__cudaRegisterFunction)
    (nullptr, &other, &other, "_Z5otherPf", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  }
} registration;

void say(const char* name, int status) { std::printf("%s=%d\n", name, status); }

/// Prints the first and the last byte.
void show(const char* name, int status, const void* memory, size_t last = size - 1) {
  std::printf("%s=%d", name, status);
  const auto* bytes = static_cast<const unsigned char*>(memory);
  if (status == 0)
    std::printf(" %02x %02x", bytes[0], bytes[last]);
  std::printf("\n");
}

} // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const char* const what = argv[i];
    void* memory = nullptr;
    size_t pitch = 0;
    const Dim3 grid{1, 2, 3}, block{4, 5, 6};
    const auto is = [what](const char* name) {
      return std::strcmp(what, name) == 0;
    };
    if (is("cudaMalloc")) {
      const int status = CALL(cudaMalloc)(&memory, size);
      show(what, status, memory);
    } else if (is("cudaMallocPitch")) {
      const int status = CALL(cudaMallocPitch)(&memory, &pitch, width, height);
      show(what, status, memory, (height - 1) * pitch + width - 1);
    } else if (is("cudaMalloc3D")) {
      PitchedPointer box{};
      const int status = CALL(cudaMalloc3D)(&box, {width, height, depth});
      show(what, status, box.memory, (height * depth - 1) * box.pitch + width - 1);
    } else if (is("cudaMallocManaged")) {
      const int status = CALL(cudaMallocManaged)(&memory, size, 1);
      show(what, status, memory);
    } else if (is("managed by the host")) {
      const int status = CALL(cudaMallocManaged)(&memory, size, 2);
      show(what, status, memory);
    } else if (is("cudaMallocHost")) {
      const int status = CALL(cudaMallocHost)(&memory, size);
      show(what, status, memory);
    } else if (is("cudaHostAlloc")) {
      const int status = CALL(cudaHostAlloc)(&memory, size, 0);
      show(what, status, memory);
    } else if (is("cudaMallocAsync")) {
      const int status = CALL(cudaMallocAsync)(&memory, size, stream());
      show(what, status, memory);
    } else if (is("cudaMallocAsync_ptsz")) {
      const int status = CALL(cudaMallocAsync_ptsz)(&memory, size, nullptr);
      show(what, status, memory);
    } else if (is("cudaMallocFromPoolAsync")) {
      const int status = CALL(cudaMallocFromPoolAsync)(&memory, size, pool(), nullptr);
      show(what, status, memory);
    } else if (is("cudaMallocFromPoolAsync_ptsz")) {
      const int status = CALL(cudaMallocFromPoolAsync_ptsz)(&memory, size, pool(), stream());
      show(what, status, memory);
    } else if (is("cudaLaunchKernel")) {
      say(what, CALL(cudaLaunchKernel)(&step, grid, block, nullptr, 7, stream()));
    } else if (is("another kernel")) {
      say(what, CALL(cudaLaunchKernel)(&other, grid, block, nullptr, 7, stream()));
    } else if (is("three launches")) {
      auto* launch = CALL(cudaLaunchKernel);
      for (const char* kernel : {&step, &other, &step})
        say(what, launch(kernel, grid, block, nullptr, 7, stream()));
    } else if (is("no kernel")) {
      say(what, CALL(cudaLaunchKernel)(&argc, grid, block, nullptr, 7, stream()));
    } else if (is("cudaLaunchKernel_ptsz")) {
      say(what, CALL(cudaLaunchKernel_ptsz)(&step, grid, block, nullptr, 7, stream()));
    } else if (is("cudaLaunchKernelExC")) {
      say(what, CALL(cudaLaunchKernelExC)(nullptr, &step, nullptr));
    } else if (is("cudaLaunchKernelExC_ptsz")) {
      say(what, CALL(cudaLaunchKernelExC_ptsz)(nullptr, &step, nullptr));
    } else if (is("cudaLaunchCooperativeKernel")) {
      say(what, CALL(cudaLaunchCooperativeKernel)(&step, grid, block, nullptr, 7, stream()));
    } else if (is("cudaLaunchCooperativeKernel_ptsz")) {
      say(what, CALL(cudaLaunchCooperativeKernel_ptsz)(&step, grid, block, nullptr, 7, stream()));
    } else if (is("__cudaLaunchKernel") || is("__cudaLaunchKernel_ptsz")) {
      Opaque kernel = nullptr;
      CALL(__cudaGetKernel)(&kernel, &step);
      say(what, is("__cudaLaunchKernel")
                    ? CALL(__cudaLaunchKernel)(kernel, grid, block, nullptr, 7, stream())
                    : CALL(__cudaLaunchKernel_ptsz)(kernel, grid, block, nullptr, 7, stream()));
    } else if (is("cudaGraphLaunch")) {
      say(what, CALL(cudaGraphLaunch)(nullptr, stream()));
    } else if (is("cudaGraphLaunch_ptsz")) {
      say(what, CALL(cudaGraphLaunch_ptsz)(nullptr, stream()));
    } else {
      std::fprintf(stderr, "%s?\n", what);
      return 2;
    }
  }
  std::printf("last error=%d\n", CALL(cudaPeekAtLastError)());
}
