// A double of libcudart.so.13: what it copies was computed as the memory was allocated.
#include "late.h"

extern "C" {

int cudaRuntimeGetVersion(int* version) {
  return *version = misbehaves("CUDA 12") ? 12080 : 13000, 0;
}

int cudaMalloc(void** memory, size_t size) {
  *memory = std::malloc(size);
  compute(*memory, size);
  return 0;
}

int cudaLaunchKernel(const void*, Dim3, Dim3, void**, size_t, Opaque) {
  record("cudaLaunchKernel");
  return 0;
}

#define DEFINE(SYNC, STREAM)                                                                       \
  int cudaMemcpy##SYNC(void* to, const void* from, size_t size, int) {                             \
    return at_once("cudaMemcpy" #SYNC, {bytes_at(to), bytes_at(from), size});                      \
  }                                                                                                \
  int cudaMemcpyAsync##STREAM(void* to, const void* from, size_t size, int, Opaque stream) {       \
    return later("cudaMemcpyAsync" #STREAM, {bytes_at(to), bytes_at(from), size}, stream);         \
  }                                                                                                \
  int cudaMemcpyFromSymbol##SYNC(void* to, const void* from, size_t size, size_t offset, int) {    \
    return at_once("cudaMemcpyFromSymbol" #SYNC, {bytes_at(to), bytes_at(from, offset), size});    \
  }                                                                                                \
  int cudaMemcpyFromSymbolAsync##STREAM(void* to, const void* from, size_t size, size_t offset,    \
                                        int, Opaque stream) {                                      \
    return later("cudaMemcpyFromSymbolAsync" #STREAM,                                              \
                 {bytes_at(to), bytes_at(from, offset), size}, stream);                            \
  }                                                                                                \
  int cudaMemcpy2D##SYNC(void* to, size_t pitch, const void* from, size_t from_pitch,              \
                         size_t width, size_t height, int) {                                       \
    return at_once("cudaMemcpy2D" #SYNC,                                                           \
                   {bytes_at(to), bytes_at(from), width, height, pitch, from_pitch});              \
  }                                                                                                \
  int cudaMemcpy2DAsync##STREAM(void* to, size_t pitch, const void* from, size_t from_pitch,       \
                                size_t width, size_t height, int, Opaque stream) {                 \
    return later("cudaMemcpy2DAsync" #STREAM,                                                      \
                 {bytes_at(to), bytes_at(from), width, height, pitch, from_pitch}, stream);        \
  }                                                                                                \
  int cudaMemcpyBatchAsync##STREAM(void** to, const void** from, size_t* sizes, size_t count,      \
                                   void*, size_t*, size_t, void* failed_or_stream,                 \
                                   Opaque stream) {                                                \
    record("cudaMemcpyBatchAsync" #STREAM);                                                        \
    /* The caller has no room for a ninth argument that CUDA 13 lacks: it is not written to. */    \
    const Opaque in = misbehaves("CUDA 12") ? stream : failed_or_stream;                           \
    for (size_t i = 0; i < count && !fails(); ++i)                                                 \
      streams[in].push_back({[to = to[i], from = from[i], size = sizes[i]] {                       \
        std::memcpy(to, from, size);                                                               \
      }});                                                                                         \
    return fails();                                                                                \
  }                                                                                                \
  int cudaStreamSynchronize##STREAM(Opaque stream) {                                               \
    return wait_for_stream("cudaStreamSynchronize" #STREAM, stream);                               \
  }                                                                                                \
  int cudaStreamQuery##STREAM(Opaque stream) {                                                     \
    return wait_for_stream("cudaStreamQuery" #STREAM, stream);                                     \
  }                                                                                                \
  int cudaEventRecord##STREAM(Opaque event, Opaque stream) {                                       \
    return record_event("cudaEventRecord" #STREAM, event, stream);                                 \
  }                                                                                                \
  int cudaEventRecordWithFlags##STREAM(Opaque event, Opaque stream, unsigned) {                    \
    return record_event("cudaEventRecordWithFlags" #STREAM, event, stream);                        \
  }                                                                                                \
  int cudaStreamWaitEvent##STREAM(Opaque stream, Opaque event, unsigned) {                         \
    return let_wait("cudaStreamWaitEvent" #STREAM, stream, event);                                 \
  }
DETSHIM_TEST_VARIANTS(DEFINE)

int cudaEventSynchronize(Opaque event) { return wait_for_event("cudaEventSynchronize", event); }
int cudaEventQuery(Opaque event) { return wait_for_event("cudaEventQuery", event); }
int cudaDeviceSynchronize() { return wait_for_all("cudaDeviceSynchronize"); }

} // extern "C"
