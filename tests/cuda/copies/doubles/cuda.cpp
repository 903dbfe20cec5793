// A double of libcuda.so.1. Addresses of memory that it gave are the device's, all others the
// host's.
#include "late.h"

#include <set>

namespace {

/// Not told by addresses: the two doubles share no state, and a runtime's memory is asked for here.
std::set<DevicePointer>& device_memory() {
  static std::set<DevicePointer> known;
  return known;
}

Rows rows_of(const Copy2D& copy) {
  char* const to = copy.to_type == 1 ? bytes_at(copy.to_host) : bytes_at(copy.to_device);
  return {to + copy.to_x + copy.to_y * copy.to_pitch,
          bytes_at(copy.from_device),
          copy.width,
          copy.height,
          copy.to_pitch,
          copy.from_pitch};
}

int batch(const char* name, const DevicePointer* to, const DevicePointer* from, const size_t* sizes,
          size_t count, Opaque stream) {
  record("%s", name);
  for (size_t i = 0; i < count && !fails(); ++i)
    streams[stream].push_back({[to = to[i], from = from[i], size = sizes[i]] {
      std::memcpy(bytes_at(to), bytes_at(from), size);
    }});
  return fails();
}

} // namespace

extern "C" {

int cuDriverGetVersion(int* version) { return *version = 13000, 0; }

int cuMemAlloc_v2(DevicePointer* memory, size_t size) {
  void* const given = std::malloc(size);
  compute(given, size);
  *memory = reinterpret_cast<uintptr_t>(given);
  device_memory().insert(*memory);
  return 0;
}

int cuLaunchKernel(Opaque, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   Opaque, void**, void**) {
  record("cuLaunchKernel");
  return 0;
}

int cuCtxGetCurrent(Opaque* context) {
  return *context = reinterpret_cast<Opaque>(uintptr_t{0xC0}), 0;
}

int cuPointerGetAttribute(void* data, int attribute, DevicePointer pointer) {
  if (attribute != 2 || !device_memory().contains(pointer))
    return 1;
  *static_cast<unsigned*>(data) = 2;
  return 0;
}

int cuStreamIsCapturing(Opaque, int* status) { return *status = misbehaves("captured") ? 1 : 0, 0; }

#define DEFINE(SYNC, STREAM)                                                                       \
  int cuMemcpyDtoH_v2##SYNC(void* to, DevicePointer from, size_t size) {                           \
    return at_once("cuMemcpyDtoH_v2" #SYNC, {bytes_at(to), bytes_at(from), size});                 \
  }                                                                                                \
  int cuMemcpyDtoHAsync_v2##STREAM(void* to, DevicePointer from, size_t size, Opaque stream) {     \
    return later("cuMemcpyDtoHAsync_v2" #STREAM, {bytes_at(to), bytes_at(from), size}, stream);    \
  }                                                                                                \
  int cuMemcpy##SYNC(DevicePointer to, DevicePointer from, size_t size) {                          \
    return at_once("cuMemcpy" #SYNC, {bytes_at(to), bytes_at(from), size});                        \
  }                                                                                                \
  int cuMemcpyAsync##STREAM(DevicePointer to, DevicePointer from, size_t size, Opaque stream) {    \
    return later("cuMemcpyAsync" #STREAM, {bytes_at(to), bytes_at(from), size}, stream);           \
  }                                                                                                \
  int cuMemcpy2D_v2##SYNC(const Copy2D* copy) {                                                    \
    return at_once("cuMemcpy2D_v2" #SYNC, rows_of(*copy));                                         \
  }                                                                                                \
  int cuMemcpy2DUnaligned_v2##SYNC(const Copy2D* copy) {                                           \
    return at_once("cuMemcpy2DUnaligned_v2" #SYNC, rows_of(*copy));                                \
  }                                                                                                \
  int cuMemcpy2DAsync_v2##STREAM(const Copy2D* copy, Opaque stream) {                              \
    return later("cuMemcpy2DAsync_v2" #STREAM, rows_of(*copy), stream);                            \
  }                                                                                                \
  int cuMemcpyBatchAsync##STREAM(DevicePointer* to, DevicePointer* from, size_t* sizes,            \
                                 size_t count, void*, size_t*, size_t, size_t*, Opaque stream) {   \
    return batch("cuMemcpyBatchAsync" #STREAM, to, from, sizes, count, stream);                    \
  }                                                                                                \
  int cuMemcpyBatchAsync_v2##STREAM(DevicePointer* to, DevicePointer* from, size_t* sizes,         \
                                    size_t count, void*, size_t*, size_t, Opaque stream) {         \
    return batch("cuMemcpyBatchAsync_v2" #STREAM, to, from, sizes, count, stream);                 \
  }                                                                                                \
  int cuStreamSynchronize##STREAM(Opaque stream) {                                                 \
    return wait_for_stream("cuStreamSynchronize" #STREAM, stream);                                 \
  }                                                                                                \
  int cuStreamQuery##STREAM(Opaque stream) {                                                       \
    return wait_for_stream("cuStreamQuery" #STREAM, stream);                                       \
  }                                                                                                \
  int cuEventRecord##STREAM(Opaque event, Opaque stream) {                                         \
    return record_event("cuEventRecord" #STREAM, event, stream);                                   \
  }                                                                                                \
  int cuEventRecordWithFlags##STREAM(Opaque event, Opaque stream, unsigned) {                      \
    return record_event("cuEventRecordWithFlags" #STREAM, event, stream);                          \
  }                                                                                                \
  int cuStreamWaitEvent##STREAM(Opaque stream, Opaque event, unsigned) {                           \
    return let_wait("cuStreamWaitEvent" #STREAM, stream, event);                                   \
  }
DETSHIM_TEST_VARIANTS(DEFINE)

int cuEventSynchronize(Opaque event) { return wait_for_event("cuEventSynchronize", event); }
int cuEventQuery(Opaque event) { return wait_for_event("cuEventQuery", event); }
int cuCtxSynchronize() { return wait_for_all("cuCtxSynchronize"); }
int cuCtxSynchronize_v2(Opaque) { return wait_for_all("cuCtxSynchronize_v2"); }

} // extern "C"
