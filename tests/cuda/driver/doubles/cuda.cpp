// A double of libcuda.so.1. Its device memory is the host's and holds 0x5A, what was there before;
// it records what it is told. Built a second time as a driver from before CUDA 12
// (DETSHIM_TEST_OLD_DRIVER).
#include "driver.h"
#include "record.h"

#include <dlfcn.h>
#include <sys/mman.h>

namespace {

[[maybe_unused]] constexpr int success = 0, invalid_value = 1, out_of_memory = 2,
                               invalid_handle = 400, not_found = 500, launch_failed = 719,
                               capture_implicit = 906;

struct Kernel {
  int mark; ///< which kind of handle
  char name[40];
};
[[maybe_unused]] constexpr int is_function = 1, is_kernel = 2;

unsigned long number(Opaque stream) { return reinterpret_cast<unsigned long>(stream); }

template <typename Pointer>
int give(Pointer* to, size_t size) {
  if (misbehaves("allocation fails"))
    return out_of_memory;
#ifdef MAP_32BIT
  constexpr int low = sizeof(Pointer) == 4 ? MAP_32BIT : 0;
#else
  constexpr int low = 0;
  if (sizeof(Pointer) == 4)
    return out_of_memory;
#endif
  void* memory = size == 0 ? nullptr
                           : mmap(nullptr, size, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | low, -1, 0);
  if (memory)
    std::memset(memory, 0x5A, size);
  *to = (Pointer) reinterpret_cast<uintptr_t>(memory); // a pointer or its number
  return success;
}

int make(Opaque* to, int mark, const char* name) {
  auto* kernel = new Kernel{mark, {}};
  std::snprintf(kernel->name, sizeof kernel->name, "%s", name);
  *to = kernel;
  return success;
}

int launch(const char* how, Opaque function) {
  record("%s %s", how, static_cast<Kernel*>(function)->name);
  return misbehaves("launch fails") ? launch_failed : success;
}

/// A version of cuMemAlloc that nobody else can look up.
int internal_allocation(DevicePointer* memory, size_t size) {
  record("internal_allocation bytes=%zu", size);
  return give(memory, size);
}

} // namespace

extern "C" {

int cuDriverGetVersion(int* version) {
#ifdef DETSHIM_TEST_OLD_DRIVER
  *version = 11040;
#else
  *version = 13000;
#endif
  return success;
}

int cuMemAlloc(uint32_t* memory, unsigned size) {
  record("cuMemAlloc bytes=%u", size);
  return give(memory, size);
}

int cuMemAlloc_v2(DevicePointer* memory, size_t size) {
  record("cuMemAlloc_v2 bytes=%zu", size);
  return give(memory, size);
}

// The last row ends with its width.
int cuMemAllocPitch_v2(DevicePointer* memory, size_t* pitch, size_t width, size_t height,
                       unsigned element) {
  record("cuMemAllocPitch_v2 width=%zu height=%zu element=%u", width, height, element);
  *pitch = (width + 511) / 512 * 512;
  return give(memory, *pitch * (height - 1) + width);
}

int cuMemAllocManaged(DevicePointer* memory, size_t size, unsigned flags) {
  record("cuMemAllocManaged bytes=%zu flags=%u", size, flags);
  return give(memory, size);
}

int cuMemAllocHost_v2(void** memory, size_t size) {
  record("cuMemAllocHost_v2 bytes=%zu", size);
  return give(memory, size);
}

int cuMemHostAlloc(void** memory, size_t size, unsigned flags) {
  record("cuMemHostAlloc bytes=%zu flags=%u", size, flags);
  if (misbehaves("looks itself up")) {
    void* function = nullptr;
    auto* look_up =
        reinterpret_cast<decltype(&::cuGetProcAddress)>(dlsym(RTLD_DEFAULT, "cuGetProcAddress"));
    if (look_up)
      look_up("cuMemAlloc", &function, 13000, 0);
    record("finds %s", function == reinterpret_cast<void*>(&cuMemAlloc_v2) ? "itself" : "another");
  }
  return give(memory, size);
}

int cuMemCreate(unsigned long long* memory, size_t size, const void* properties,
                unsigned long long flags) {
  record("cuMemCreate bytes=%zu properties=%p flags=%llu", size, properties, flags);
  if (misbehaves("allocation fails"))
    return out_of_memory;
  *memory = 9;
  return 0;
}

int cuMemAllocAsync(DevicePointer* memory, size_t size, Opaque stream) {
  record("cuMemAllocAsync bytes=%zu stream=%lu", size, number(stream));
  return give(memory, size);
}

int cuMemAllocAsync_ptsz(DevicePointer* memory, size_t size, Opaque stream) {
  record("cuMemAllocAsync_ptsz bytes=%zu stream=%lu", size, number(stream));
  return give(memory, size);
}

int cuMemAllocFromPoolAsync(DevicePointer* memory, size_t size, Opaque pool, Opaque stream) {
  record("cuMemAllocFromPoolAsync bytes=%zu pool=%lu stream=%lu", size, number(pool),
         number(stream));
  return give(memory, size);
}

int cuMemAllocFromPoolAsync_ptsz(DevicePointer* memory, size_t size, Opaque pool, Opaque stream) {
  record("cuMemAllocFromPoolAsync_ptsz bytes=%zu pool=%lu stream=%lu", size, number(pool),
         number(stream));
  return give(memory, size);
}

// Like the real one it answers with an error for the legacy stream (0 or 1) while a blocking stream
// is captured.
int cuStreamIsCapturing(Opaque stream, int* status) {
  record("cuStreamIsCapturing stream=%lu", number(stream));
  if (misbehaves("another stream is captured") && number(stream) < 2)
    return capture_implicit;
  *status = misbehaves("the stream is captured") ? 1 : 0;
  return success;
}

int cuThreadExchangeStreamCaptureMode(int* mode) {
  static thread_local int mine = 0; // global
  record("cuThreadExchangeStreamCaptureMode mode=%d", *mode);
  const int before = mine;
  mine = *mode;
  *mode = before;
  return success;
}

int cuMemsetD8Async(DevicePointer memory, unsigned char value, size_t size, Opaque stream) {
  record("cuMemsetD8Async value=%02x bytes=%zu stream=%lu", value, size, number(stream));
  if (misbehaves("memset fails"))
    return invalid_value;
  std::memset(reinterpret_cast<void*>(memory), value, size);
  return success;
}

int cuMemsetD2D8Async(DevicePointer memory, size_t pitch, unsigned char value, size_t width,
                      size_t height, Opaque stream) {
  record("cuMemsetD2D8Async pitch=%zu value=%02x width=%zu height=%zu stream=%lu", pitch, value,
         width, height, number(stream));
  if (misbehaves("memset fails"))
    return invalid_value;
  for (size_t row = 0; row < height; ++row)
    std::memset(reinterpret_cast<char*>(memory) + row * pitch, value, width);
  return success;
}

int cuStreamSynchronize(Opaque stream) {
  record("cuStreamSynchronize stream=%lu", number(stream));
  return success;
}

int cuModuleGetFunction(Opaque* function, Opaque, const char* name) {
  return make(function, is_function, name);
}

#ifndef DETSHIM_TEST_OLD_DRIVER
int cuLibraryGetKernel(Opaque* kernel, Opaque, const char* name) {
  return make(kernel, is_kernel, name);
}

int cuFuncGetName(const char** name, Opaque function) {
  const auto* kernel = static_cast<Kernel*>(function);
  if (kernel->mark != is_function)
    return invalid_handle;
  *name = kernel->name;
  return success;
}

int cuKernelGetName(const char** name, Opaque handle) {
  const auto* kernel = static_cast<Kernel*>(handle);
  if (kernel->mark != is_kernel || misbehaves("kernels have no names"))
    return invalid_handle;
  *name = kernel->name;
  return success;
}
#endif

int cuLaunchKernel(Opaque function, unsigned, unsigned, unsigned, unsigned, unsigned,
                   unsigned block_z, unsigned shared, Opaque stream, void**, void**) {
  record("cuLaunchKernel block_z=%u shared=%u stream=%lu", block_z, shared, number(stream));
  return launch("cuLaunchKernel", function);
}

int cuLaunchKernel_ptsz(Opaque function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                        unsigned, Opaque, void**, void**) {
  return launch("cuLaunchKernel_ptsz", function);
}

int cuLaunchKernelEx(const void*, Opaque function, void**, void**) {
  return launch("cuLaunchKernelEx", function);
}

int cuLaunchKernelEx_ptsz(const void*, Opaque function, void**, void**) {
  return launch("cuLaunchKernelEx_ptsz", function);
}

int cuLaunchCooperativeKernel(Opaque function, unsigned, unsigned, unsigned, unsigned, unsigned,
                              unsigned, unsigned, Opaque, void**) {
  return launch("cuLaunchCooperativeKernel", function);
}

int cuLaunchCooperativeKernel_ptsz(Opaque function, unsigned, unsigned, unsigned, unsigned,
                                   unsigned, unsigned, unsigned, Opaque, void**) {
  return launch("cuLaunchCooperativeKernel_ptsz", function);
}

int cuGraphLaunch(Opaque, Opaque) {
  record("cuGraphLaunch");
  return success;
}

int cuGraphLaunch_ptsz(Opaque, Opaque) {
  record("cuGraphLaunch_ptsz");
  return success;
}

static int look_up(const char* symbol, void** function, int version, uint64_t flags, int* found) {
  struct Entry {
    const char* symbol;
    int since;
    void* function;
    void* per_thread;
  };
#define ENTRY(since, name)                                                                         \
  { #name, since, reinterpret_cast < void*>(&name), nullptr }
#define ENTRY_2(since, name)                                                                       \
  { #name, since, reinterpret_cast < void*>(&name##_v2), nullptr }
#define ENTRY_STREAM(since, name)                                                                  \
  { #name, since, reinterpret_cast < void*>(&name), reinterpret_cast < void*>(&name##_ptsz) }
  static const Entry entries[] = {
      ENTRY(2000, cuMemAlloc),
      ENTRY_2(3020, cuMemAlloc),
      ENTRY_2(3020, cuMemAllocPitch),
      ENTRY_2(3020, cuMemAllocHost),
      ENTRY(2020, cuMemHostAlloc),
      ENTRY(6000, cuMemAllocManaged),
      ENTRY_STREAM(11020, cuMemAllocAsync),
      ENTRY_STREAM(11020, cuMemAllocFromPoolAsync),
      ENTRY(2000, cuModuleGetFunction),
      ENTRY_STREAM(4000, cuLaunchKernel),
      ENTRY_STREAM(11060, cuLaunchKernelEx),
      ENTRY_STREAM(9000, cuLaunchCooperativeKernel),
      ENTRY_STREAM(10000, cuGraphLaunch),
      ENTRY(10020, cuMemCreate),
      ENTRY(11030, cuGetProcAddress),
#ifndef DETSHIM_TEST_OLD_DRIVER
      ENTRY(12000, cuLibraryGetKernel),
      ENTRY_2(12000, cuGetProcAddress),
#endif
  };
  *function = nullptr;
  if (found)
    *found = 1; // CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND
  for (const Entry& entry : entries) {
    if (std::strcmp(entry.symbol, symbol) != 0)
      continue;
    if (found && !*function)
      *found = 2; // …_VERSION_NOT_SUFFICIENT
    if (version < entry.since)
      continue;
    if (found)
      *found = 0;
    *function = flags == 2 && entry.per_thread ? entry.per_thread : entry.function;
  }
  if (misbehaves("another function is given") && !std::strcmp(symbol, "cuMemAlloc"))
    *function = reinterpret_cast<void*>(&internal_allocation);
  return *function ? success : not_found;
}

int cuGetProcAddress(const char* symbol, void** function, int version, uint64_t flags) {
  return look_up(symbol, function, version, flags, nullptr);
}

#ifndef DETSHIM_TEST_OLD_DRIVER
int cuGetProcAddress_v2(const char* symbol, void** function, int version, uint64_t flags,
                        int* found) {
  return look_up(symbol, function, version, flags, found);
}
#endif

} // extern "C"
