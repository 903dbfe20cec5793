// As much of the CUDA runtime as programs of nvcc 13 need to launch kernels, which do nothing: what
// is judged is their code. Signatures: crt/host_runtime.h and cuda_runtime_api.h of CUDA 13.0,
// enumerations as int.
#include <cstddef>
#include <cstdlib>
#include <map>
#include <string>

#include <dlfcn.h>

namespace {

struct Dim3 {
  unsigned x, y, z;
};

std::map<const void*, std::string>& names() {
  static auto* const all =
      new std::map<const void*, std::string>; // for constructors and destructors too
  return *all;
}

/// Where the driver is not loaded, no process has a GPU.
[[maybe_unused]] void* const driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);

struct Configuration {
  Dim3 grid, block;
  std::size_t shared;
  void* stream;
} configuration;

int launch(const void* kernel) {
  return names().contains(kernel) ? 0 : 98;
} // invalid device function

} // namespace

extern "C" {

int cudaRuntimeGetVersion(int* version) { return *version = 13000, 0; }
int cudaMalloc(void** memory, std::size_t size) { return *memory = std::calloc(1, size), 0; }
int cudaFree(void* memory) { return std::free(memory), 0; }
int cudaDeviceSynchronize() { return 0; }
int cudaGetLastError() { return 0; }

void** __cudaRegisterFatBinary(void*) {
  static void* handle;
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
char __cudaInitModule(void**) { return 1; }
void __cudaRegisterFunction(void**, const char* host, char*, const char* name, int, void*, void*,
                            Dim3*, Dim3*, int*) {
  names()[host] = name;
}

unsigned __cudaPushCallConfiguration(Dim3 grid, Dim3 block, std::size_t shared, void* stream) {
  configuration = {grid, block, shared, stream};
  return 0;
}
int __cudaPopCallConfiguration(Dim3* grid, Dim3* block, std::size_t* shared, void* stream) {
  *grid = configuration.grid;
  *block = configuration.block;
  *shared = configuration.shared;
  *static_cast<void**>(stream) = configuration.stream;
  return 0;
}

int __cudaGetKernel(void** kernel, const void* host) {
  return *kernel = const_cast<void*>(host), 0;
}
int cudaFuncGetName(const char** name, const void* kernel) {
  const auto found = names().find(kernel);
  if (found == names().end())
    return 98;
  *name = found->second.c_str();
  return 0;
}
int __cudaLaunchKernel(void* kernel, Dim3, Dim3, void**, std::size_t, void*) {
  return launch(kernel);
}
int cudaLaunchKernel(const void* kernel, Dim3, Dim3, void**, std::size_t, void*) {
  return launch(kernel);
}

} // extern "C"
