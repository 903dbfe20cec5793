// A double of libcudart.so.13. Like the real one, and like the static runtime in every CUDA
// library, it opens the driver when it is first needed and gets the driver's functions from
// cuGetProcAddress. Built a second time as a runtime from before CUDA 12.3
// (DETSHIM_TEST_OLD_DRIVER).
#include "record.h"
#include "runtime.h"

#include <cstdint>
#include <dlfcn.h>
#include <map>
#include <string>

namespace {

constexpr int success = 0, invalid_device_function = 98, no_driver = 35, symbol_not_found = 500;
constexpr uint64_t per_thread = 2;
constexpr int newest = 13000;

int last_error = success;

int told(int status) {
  if (status != success)
    last_error = status;
  return status;
}

int look_up(const char* symbol, void** function, int version, uint64_t flags, int* found) {
  static void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!driver)
    return no_driver;
  using Second = int(const char*, void**, int, uint64_t, int*);
  using First = int(const char*, void**, int, uint64_t);
  if (auto* ask = reinterpret_cast<Second*>(dlsym(driver, "cuGetProcAddress_v2")))
    return ask(symbol, function, version, flags, found);
  auto* ask = reinterpret_cast<First*>(dlsym(driver, "cuGetProcAddress"));
  return ask ? ask(symbol, function, version, flags) : no_driver;
}

/// The driver's function.
template <typename Signature>
Signature* driver(const char* symbol, uint64_t flags = 0) {
  void* function = nullptr;
  if (look_up(symbol, &function, newest, flags, nullptr) != success) {
    std::fprintf(stderr, "no %s in the driver\n", symbol);
    std::exit(2);
  }
  return reinterpret_cast<Signature*>(function);
}

using Allocate = int(void**, size_t);
using AllocateFlags = int(void**, size_t, unsigned);
using AllocatePitch = int(void**, size_t*, size_t, size_t, unsigned);
using AllocateAsync = int(void**, size_t, Opaque);
using AllocateFromPool = int(void**, size_t, Opaque, Opaque);
using GetFunction = int(Opaque*, Opaque, const char*);
using Launch = int(Opaque, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   Opaque, void**, void**);
using LaunchEx = int(const void*, Opaque, void**, void**);
using LaunchCooperative = int(Opaque, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                              unsigned, Opaque, void**);
using LaunchGraph = int(Opaque, Opaque);

/// Names by functions on the host, and by handles, which have the same place.
std::map<const void*, std::string>& names() {
  static std::map<const void*, std::string> known;
  return known;
}

/// Handle of the driver for a kernel; nullptr where it has no handle.
Opaque function_of(const void* kernel) {
  const auto found = names().find(kernel);
  if (found == names().end())
    return nullptr;
  Opaque function = nullptr;
  driver<GetFunction>("cuModuleGetFunction")(&function, nullptr, found->second.c_str());
  return function;
}

int launch(const char* how, const void* kernel, Dim3 grid, Dim3 block, void** arguments,
           size_t shared, Opaque stream, uint64_t flags) {
  record("%s grid=%u,%u,%u block=%u,%u,%u shared=%zu stream=%lu", how, grid.x, grid.y, grid.z,
         block.x, block.y, block.z, shared, reinterpret_cast<unsigned long>(stream));
  Opaque function = function_of(kernel);
  if (!function)
    return told(invalid_device_function);
  return told(driver<Launch>("cuLaunchKernel",
                             flags)(function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                    static_cast<unsigned>(shared), stream, arguments, nullptr));
}

int launch_ex(const char* how, const void* config, const void* kernel, void** arguments,
              uint64_t flags) {
  record("%s", how);
  Opaque function = function_of(kernel);
  if (!function)
    return told(invalid_device_function);
  return told(driver<LaunchEx>("cuLaunchKernelEx", flags)(config, function, arguments, nullptr));
}

int launch_cooperative(const char* how, const void* kernel, Dim3 grid, Dim3 block, void** arguments,
                       size_t shared, Opaque stream, uint64_t flags) {
  record("%s", how);
  Opaque function = function_of(kernel);
  if (!function)
    return told(invalid_device_function);
  return told(driver<LaunchCooperative>("cuLaunchCooperativeKernel", flags)(
      function, grid.x, grid.y, grid.z, block.x, block.y, block.z, static_cast<unsigned>(shared),
      stream, arguments));
}

} // namespace

extern "C" {

int cudaRuntimeGetVersion(int* version) {
#ifdef DETSHIM_TEST_OLD_DRIVER
  *version = 12020;
#else
  *version = newest;
#endif
  return success;
}

int cudaPeekAtLastError() { return last_error; }

int cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags,
                            int* found) {
  return look_up(symbol, function, newest, flags, found) == success ? success
                                                                    : told(symbol_not_found);
}

int cudaGetDriverEntryPoint_ptsz(const char* symbol, void** function, unsigned long long flags,
                                 int* found) {
  return cudaGetDriverEntryPoint(symbol, function, flags == 0 ? per_thread : flags, found);
}

#ifndef DETSHIM_TEST_OLD_DRIVER
int cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned version,
                                     unsigned long long flags, int* found) {
  return look_up(symbol, function, static_cast<int>(version), flags, found) == success
             ? success
             : told(symbol_not_found);
}

int cudaGetDriverEntryPointByVersion_ptsz(const char* symbol, void** function, unsigned version,
                                          unsigned long long flags, int* found) {
  return cudaGetDriverEntryPointByVersion(symbol, function, version,
                                          flags == 0 ? per_thread : flags, found);
}
#endif

int cudaMalloc(void** memory, size_t size) {
  record("cudaMalloc bytes=%zu", size);
  return told(driver<Allocate>("cuMemAlloc")(memory, size));
}

int cudaMallocPitch(void** memory, size_t* pitch, size_t width, size_t height) {
  record("cudaMallocPitch width=%zu height=%zu", width, height);
  return told(driver<AllocatePitch>("cuMemAllocPitch")(memory, pitch, width, height, 4));
}

int cudaMalloc3D(PitchedPointer* memory, Extent extent) {
  record("cudaMalloc3D width=%zu height=%zu depth=%zu", extent.width, extent.height, extent.depth);
  memory->width = extent.width;
  memory->height = extent.height;
  return told(driver<AllocatePitch>("cuMemAllocPitch")(
      &memory->memory, &memory->pitch, extent.width, extent.height * extent.depth, 4));
}

int cudaMallocManaged(void** memory, size_t size, unsigned flags) {
  record("cudaMallocManaged bytes=%zu flags=%u", size, flags);
  return told(driver<AllocateFlags>("cuMemAllocManaged")(memory, size, flags));
}

int cudaMallocHost(void** memory, size_t size) {
  record("cudaMallocHost bytes=%zu", size);
  return told(driver<Allocate>("cuMemAllocHost")(memory, size));
}

int cudaHostAlloc(void** memory, size_t size, unsigned flags) {
  record("cudaHostAlloc bytes=%zu flags=%u", size, flags);
  return told(driver<AllocateFlags>("cuMemHostAlloc")(memory, size, flags));
}

int cudaMallocAsync(void** memory, size_t size, Opaque stream) {
  record("cudaMallocAsync bytes=%zu", size);
  return told(driver<AllocateAsync>("cuMemAllocAsync")(memory, size, stream));
}

int cudaMallocAsync_ptsz(void** memory, size_t size, Opaque stream) {
  record("cudaMallocAsync_ptsz bytes=%zu", size);
  return told(driver<AllocateAsync>("cuMemAllocAsync", per_thread)(memory, size, stream));
}

int cudaMallocFromPoolAsync(void** memory, size_t size, Opaque pool, Opaque stream) {
  record("cudaMallocFromPoolAsync bytes=%zu", size);
  return told(driver<AllocateFromPool>("cuMemAllocFromPoolAsync")(memory, size, pool, stream));
}

int cudaMallocFromPoolAsync_ptsz(void** memory, size_t size, Opaque pool, Opaque stream) {
  record("cudaMallocFromPoolAsync_ptsz bytes=%zu", size);
  return told(
      driver<AllocateFromPool>("cuMemAllocFromPoolAsync", per_thread)(memory, size, pool, stream));
}

void __cudaRegisterFunction(void**, const char* host_function, char*, const char* name, int, void*,
                            void*, Dim3*, Dim3*, int*) {
  names()[host_function] = name;
}

#ifndef DETSHIM_TEST_OLD_DRIVER
int __cudaGetKernel(Opaque* kernel, const void* host_function) {
  const std::string name = names()[host_function];
  *kernel = new char;
  names()[*kernel] = name;
  return success;
}

int cudaFuncGetName(const char** name, const void* function) {
  const auto found = names().find(function);
  if (found == names().end())
    return told(invalid_device_function);
  *name = found->second.c_str();
  return success;
}

int __cudaLaunchKernel(Opaque kernel, Dim3 grid, Dim3 block, void** arguments, size_t shared,
                       Opaque stream) {
  return launch("__cudaLaunchKernel", kernel, grid, block, arguments, shared, stream, 0);
}

int __cudaLaunchKernel_ptsz(Opaque kernel, Dim3 grid, Dim3 block, void** arguments, size_t shared,
                            Opaque stream) {
  return launch("__cudaLaunchKernel_ptsz", kernel, grid, block, arguments, shared, stream,
                per_thread);
}
#endif

int cudaLaunchKernel(const void* function, Dim3 grid, Dim3 block, void** arguments, size_t shared,
                     Opaque stream) {
  return launch("cudaLaunchKernel", function, grid, block, arguments, shared, stream, 0);
}

int cudaLaunchKernel_ptsz(const void* function, Dim3 grid, Dim3 block, void** arguments,
                          size_t shared, Opaque stream) {
  return launch("cudaLaunchKernel_ptsz", function, grid, block, arguments, shared, stream,
                per_thread);
}

int cudaLaunchKernelExC(const void* config, const void* function, void** arguments) {
  return launch_ex("cudaLaunchKernelExC", config, function, arguments, 0);
}

int cudaLaunchKernelExC_ptsz(const void* config, const void* function, void** arguments) {
  return launch_ex("cudaLaunchKernelExC_ptsz", config, function, arguments, per_thread);
}

int cudaLaunchCooperativeKernel(const void* function, Dim3 grid, Dim3 block, void** arguments,
                                size_t shared, Opaque stream) {
  return launch_cooperative("cudaLaunchCooperativeKernel", function, grid, block, arguments, shared,
                            stream, 0);
}

int cudaLaunchCooperativeKernel_ptsz(const void* function, Dim3 grid, Dim3 block, void** arguments,
                                     size_t shared, Opaque stream) {
  return launch_cooperative("cudaLaunchCooperativeKernel_ptsz", function, grid, block, arguments,
                            shared, stream, per_thread);
}

int cudaGraphLaunch(Opaque graph, Opaque stream) {
  record("cudaGraphLaunch");
  return told(driver<LaunchGraph>("cuGraphLaunch")(graph, stream));
}

int cudaGraphLaunch_ptsz(Opaque graph, Opaque stream) {
  record("cudaGraphLaunch_ptsz");
  return told(driver<LaunchGraph>("cuGraphLaunch", per_thread)(graph, stream));
}

} // extern "C"
