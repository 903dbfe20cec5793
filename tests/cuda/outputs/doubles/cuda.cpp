// A double of libcuda.so.1. What is put into a stream is done when somebody waits for it, never
// before. Its "GPU" runs the kernel that hashes as the host's compiler translates it, the last
// block first.
#include "core/fingerprint/area_hash.h"
#include "gpu.h"
#include "record.h"

#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <vector>

namespace {

Opaque number(uintptr_t value) { return reinterpret_cast<Opaque>(value); }

struct Stream {
  std::vector<std::function<void()>> works;
  size_t done = 0;

  void finish(size_t count) {
    for (; done < count; ++done)
      works[done]();
  }
};
std::map<Opaque, Stream> streams;
std::map<Opaque, std::pair<Opaque, size_t>> events;
std::map<DevicePointer, size_t> memory;
std::map<uint32_t, uint64_t> slots; // parts so far
std::vector<Opaque> contexts = {number(0xC0)};

int users = 2;              // of the primary context
uintptr_t resets = 0;       // what was loaded before the last of them is gone
std::set<void*> registered; // memory of the host
int ends_of_contexts() {
  streams.clear();
  registered.clear();
  return ++resets, 0;
}

// ---- Capture ----

Opaque captured = nullptr; // the stream whose works go into a graph
bool is_broken = false;    // what may not be done during a capture was
int thread_mode = 0;       // CU_STREAM_CAPTURE_MODE_GLOBAL
std::vector<std::function<void()>> graph;

bool may_not_be_captured() {
  if (captured == nullptr || thread_mode == 2)
    return false; // CU_STREAM_CAPTURE_MODE_RELAXED
  return is_broken = true;
}

void put(Opaque stream, std::function<void()> work) {
  if (captured != nullptr && stream == nullptr)
    is_broken = true; // the legacy stream waits for all others
  (captured != nullptr && stream == captured ? graph : streams[stream].works)
      .push_back(std::move(work));
}

void hash(const detshim::HashJob& job, unsigned blocks, unsigned threads) {
  uint64_t sum = 0;
  for (uint64_t block = blocks; block-- > 0;)
    for (uint64_t thread = threads; thread-- > 0;)
      sum += detshim::share_of_hash(job.area, block * threads + thread, uint64_t{threads} * blocks);
  uint64_t& parts = slots[job.slot];
  parts = detshim::hash_with_part(parts, job.part, sum);
  auto* const result = reinterpret_cast<detshim::HashResult*>(job.result);
  result->hash = parts;
  result->parts = job.part + 1;
}

} // namespace

extern "C" {

int cuDriverGetVersion(int* version) { return *version = 13000, 0; }

int cuMemAlloc_v2(DevicePointer* given, size_t size) {
  void* const bytes = std::calloc(size, 1);
  *given = reinterpret_cast<uintptr_t>(bytes);
  memory[*given] = size;
  return 0;
}

int cuMemGetAddressRange_v2(DevicePointer* start, size_t* size, DevicePointer pointer) {
  auto after = memory.upper_bound(pointer);
  if (after == memory.begin())
    return 1;
  --after;
  if (pointer - after->first >= after->second)
    return 1;
  return *start = after->first, *size = after->second, 0;
}

int cuPointerGetAttribute(void* data, int attribute, DevicePointer pointer) {
  DevicePointer start;
  size_t size;
  if (attribute != 2 || cuMemGetAddressRange_v2(&start, &size, pointer) != 0)
    return 1;
  *static_cast<unsigned*>(data) = 2;
  return 0;
}

int cuMemcpyDtoH_v2(void* to, DevicePointer from, size_t size) {
  record("cuMemcpyDtoH_v2");
  Stream& legacy = streams[nullptr];
  legacy.finish(legacy.works.size());
  std::memcpy(to, reinterpret_cast<const void*>(from), size);
  return 0;
}

int cuMemcpyDtoHAsync_v2(void* to, DevicePointer from, size_t size, Opaque stream) {
  record("cuMemcpyDtoHAsync_v2");
  put(stream, [=] {
    std::memcpy(to, reinterpret_cast<const void*>(from), size);
  });
  return 0;
}

int cuLaunchHostFunc(Opaque stream, void (*function)(void*), void* data) {
  put(stream, [=] {
    function(data);
  });
  return 0;
}

int cuLaunchKernel(Opaque function, unsigned blocks, unsigned, unsigned, unsigned threads, unsigned,
                   unsigned, unsigned, Opaque stream, void** arguments, void**) {
  if (reinterpret_cast<uintptr_t>(function) >> 12 !=
      1) { // a kernel of the program's, which changes what its argument points to
    record("cuLaunchKernel");
    auto* const target = *static_cast<unsigned char**>(*arguments);
    put(stream, [=] {
      *target = misbehaves("a race in a kernel") ? 99 : 11;
    });
    return 0;
  }
  if (misbehaves("launches fail") || function != number(0x1000 + resets))
    return 400; // INVALID_HANDLE
  if (misbehaves("launches are recorded"))
    record("hash in stream %lu", reinterpret_cast<uintptr_t>(stream));
  detshim::HashJob job;
  std::memcpy(&job, *arguments, sizeof job); // at the launch, as the driver does
  put(stream, [=] {
    hash(job, blocks, threads);
  });
  return 0;
}

int cuStreamSynchronize(Opaque stream) {
  record("cuStreamSynchronize");
  if (stream == captured && captured != nullptr)
    return is_broken = true, 900;
  streams[stream].finish(streams[stream].works.size());
  return 0;
}
int cuEventRecord(Opaque event, Opaque stream) {
  record("cuEventRecord");
  events[event] = {stream, streams[stream].works.size()};
  return 0;
}
int cuEventQuery(Opaque event) {
  record("cuEventQuery");
  streams[events[event].first].finish(events[event].second);
  return 0;
}
int cuCtxSynchronize() {
  record("cuCtxSynchronize");
  for (auto& [handle, stream] : streams)
    stream.finish(stream.works.size());
  return 0;
}

int cuCtxGetCurrent(Opaque* context) { return *context = contexts.back(), 0; }
int cuCtxGetId(Opaque, unsigned long long* id) { // of the current one
  return *id = resets * 0x100 + reinterpret_cast<uintptr_t>(contexts.back()), 0;
}
int cuCtxPushCurrent_v2(Opaque context) { return contexts.push_back(context), 0; }
int cuCtxPopCurrent_v2(Opaque* context) {
  return *context = contexts.back(), contexts.pop_back(), 0;
}
int cuStreamGetCtx(Opaque stream, Opaque* context) {
  // One stream is another context's.
  return *context = number(reinterpret_cast<uintptr_t>(stream) == 67 ? 0xC1 : 0xC0), 0;
}

int cuStreamIsCapturing(Opaque stream, int* status) {
  if (captured != nullptr && stream == nullptr)
    return 906; // CUDA_ERROR_STREAM_CAPTURE_IMPLICIT
  return *status = misbehaves("captured") || (captured != nullptr && stream == captured) ? 1 : 0, 0;
}
int cuThreadExchangeStreamCaptureMode(int* mode) { return std::swap(*mode, thread_mode), 0; }
int cuStreamBeginCapture_v2(Opaque stream, int) {
  graph.clear();
  return captured = stream, is_broken = false, 0;
}
int cuStreamEndCapture(Opaque, Opaque* given) {
  captured = nullptr;
  return *given = number(0x6000), is_broken ? 901 : 0; // CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
}
int cuGraphInstantiateWithFlags(Opaque* executable, Opaque, unsigned long long) {
  return *executable = number(0x6001), 0;
}
int cuGraphLaunch(Opaque, Opaque stream) {
  record("cuGraphLaunch");
  for (const auto& work : graph)
    put(stream, work);
  return 0;
}

int cuModuleLoadData(Opaque* module, const void* image) {
  if (may_not_be_captured())
    return 900; // CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
  if (misbehaves("no kernels"))
    return 209; // CUDA_ERROR_NO_BINARY_FOR_GPU
  const auto* const text = static_cast<const char*>(image);
  const char* const size = std::strstr(text, ".b8 detshim_hash_param_0[");
  if (std::strstr(text, ".visible .entry detshim_hash(") == nullptr || size == nullptr ||
      std::strtoul(size + 25, nullptr, 10) != sizeof(detshim::HashJob))
    return 218; // CUDA_ERROR_INVALID_PTX
  return *module = number(0xE00 + resets), 0;
}
int cuModuleGetFunction(Opaque* function, Opaque module, const char* name) {
  if (module != number(0xE00 + resets) || std::strcmp(name, "detshim_hash") != 0)
    return 1;
  return *function = number(0x1000 + resets), 0;
}
int cuMemHostRegister_v2(void* memory, size_t, unsigned flags) {
  if (may_not_be_captured())
    return 900;
  if (flags != 2 || !registered.insert(memory).second)
    return 1;
  return 0;
}
int cuMemHostGetDevicePointer_v2(DevicePointer* address, void* host, unsigned) {
  if (!registered.contains(host))
    return 1;
  return *address = reinterpret_cast<uintptr_t>(host), 0;
}

int cuCtxDestroy_v2(Opaque) { return record("cuCtxDestroy_v2"), ends_of_contexts(); }
int cuDevicePrimaryCtxReset_v2(int) {
  return record("cuDevicePrimaryCtxReset_v2"), ends_of_contexts();
}
int cuDevicePrimaryCtxRelease_v2(int) {
  if (--users > 0)
    return 0;
  return record("the primary context goes"), ends_of_contexts();
}
int cuDevicePrimaryCtxRetain(Opaque* context, int) { return ++users, *context = number(0xC0), 0; }
int cuDevicePrimaryCtxGetState(int, unsigned* flags, int* is_active) {
  return *flags = 0, *is_active = users > 0, 0;
}

// The real cuDNN looks for these before it makes a plan, and calls none of them for it.
#define UNUSED(NAME)                                                                               \
  int NAME() { return 801; } // CUDA_ERROR_NOT_SUPPORTED
UNUSED(cuCtxGetLimit)
UNUSED(cuCtxPopCurrent)
UNUSED(cuCtxPushCurrent)
UNUSED(cuDeviceGet)
UNUSED(cuDeviceGetCount)
UNUSED(cuGetErrorName)
UNUSED(cuGetErrorString)
UNUSED(cuKernelGetAttribute)
UNUSED(cuKernelSetAttribute)
UNUSED(cuLaunchCooperativeKernel)
UNUSED(cuLaunchKernelEx)
UNUSED(cuLibraryGetKernel)
UNUSED(cuLibraryLoadData)
UNUSED(cuLibraryLoadFromFile)
UNUSED(cuLibraryUnload)
UNUSED(cuLinkAddData)
UNUSED(cuLinkComplete)
UNUSED(cuLinkCreate)
UNUSED(cuLinkDestroy)
UNUSED(cuOccupancyMaxPotentialClusterSize)
#undef UNUSED

} // extern "C"
