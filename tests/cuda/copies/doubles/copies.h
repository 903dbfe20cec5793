// The part of the CUDA runtime and driver that their doubles answer (libcudart.so.13,
// libcuda.so.1): copies, and what waits for them. Written down by hand so that the tests build
// without the toolkit, after cuda_runtime_api.h and cuda.h of CUDA 13.0; enumerations are passed as
// int.
#pragma once

#include "opaque.h"

#include <cstddef>
#include <cstdint>

using DevicePointer = uint64_t;

struct Dim3 {
  unsigned x, y, z;
};
struct Copy2D { // CUDA_MEMCPY2D
  size_t from_x, from_y;
  unsigned from_type;
  const void* from_host;
  DevicePointer from_device;
  Opaque from_array;
  size_t from_pitch;
  size_t to_x, to_y;
  unsigned to_type;
  void* to_host;
  DevicePointer to_device;
  Opaque to_array;
  size_t to_pitch, width, height;
};
inline constexpr int device_to_host = 2, by_address = 4;

extern "C" {

#define DETSHIM_TEST_VARIANTS(VISIT) VISIT(, ) VISIT(_ptds, _ptsz)
#define DETSHIM_TEST_DECLARE(SYNC, STREAM)                                                         \
  int cudaMemcpy##SYNC(void* to, const void* from, size_t size, int kind);                         \
  int cudaMemcpyAsync##STREAM(void* to, const void* from, size_t size, int kind, Opaque stream);   \
  int cudaMemcpyFromSymbol##SYNC(void* to, const void* from, size_t size, size_t offset,           \
                                 int kind);                                                        \
  int cudaMemcpyFromSymbolAsync##STREAM(void* to, const void* from, size_t size, size_t offset,    \
                                        int kind, Opaque stream);                                  \
  int cudaMemcpy2D##SYNC(void* to, size_t pitch, const void* from, size_t from_pitch,              \
                         size_t width, size_t height, int kind);                                   \
  int cudaMemcpy2DAsync##STREAM(void* to, size_t pitch, const void* from, size_t from_pitch,       \
                                size_t width, size_t height, int kind, Opaque stream);             \
  int cudaStreamSynchronize##STREAM(Opaque stream);                                                \
  int cudaStreamQuery##STREAM(Opaque stream);                                                      \
  int cudaEventRecord##STREAM(Opaque event, Opaque stream);                                        \
  int cudaEventRecordWithFlags##STREAM(Opaque event, Opaque stream, unsigned flags);               \
  int cudaStreamWaitEvent##STREAM(Opaque stream, Opaque event, unsigned flags);                    \
  int cuMemcpyDtoH_v2##SYNC(void* to, DevicePointer from, size_t size);                            \
  int cuMemcpyDtoHAsync_v2##STREAM(void* to, DevicePointer from, size_t size, Opaque stream);      \
  int cuMemcpy##SYNC(DevicePointer to, DevicePointer from, size_t size);                           \
  int cuMemcpyAsync##STREAM(DevicePointer to, DevicePointer from, size_t size, Opaque stream);     \
  int cuMemcpy2D_v2##SYNC(const Copy2D* copy);                                                     \
  int cuMemcpy2DUnaligned_v2##SYNC(const Copy2D* copy);                                            \
  int cuMemcpy2DAsync_v2##STREAM(const Copy2D* copy, Opaque stream);                               \
  int cuMemcpyBatchAsync##STREAM(DevicePointer* to, DevicePointer* from, size_t* sizes,            \
                                 size_t count, void* attributes, size_t* of,                       \
                                 size_t attribute_count, size_t* failed, Opaque stream);           \
  int cuMemcpyBatchAsync_v2##STREAM(DevicePointer* to, DevicePointer* from, size_t* sizes,         \
                                    size_t count, void* attributes, size_t* of,                    \
                                    size_t attribute_count, Opaque stream);                        \
  int cudaMemcpyBatchAsync##STREAM(void** to, const void** from, size_t* sizes, size_t count,      \
                                   void* attributes, size_t* of, size_t attribute_count,           \
                                   void* failed_or_stream, Opaque stream);                         \
  int cuStreamSynchronize##STREAM(Opaque stream);                                                  \
  int cuStreamQuery##STREAM(Opaque stream);                                                        \
  int cuEventRecord##STREAM(Opaque event, Opaque stream);                                          \
  int cuEventRecordWithFlags##STREAM(Opaque event, Opaque stream, unsigned flags);                 \
  int cuStreamWaitEvent##STREAM(Opaque stream, Opaque event, unsigned flags);
DETSHIM_TEST_VARIANTS(DETSHIM_TEST_DECLARE)

int cudaMalloc(void** memory, size_t size);
int cudaLaunchKernel(const void* function, Dim3 grid, Dim3 block, void** arguments, size_t shared,
                     Opaque stream);
int cudaEventSynchronize(Opaque event);
int cudaEventQuery(Opaque event);
int cudaDeviceSynchronize();

int cuMemAlloc_v2(DevicePointer* memory, size_t size);
int cuLaunchKernel(Opaque function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                   Opaque stream, void** arguments, void** extra);
int cuEventSynchronize(Opaque event);
int cuEventQuery(Opaque event);
int cuCtxSynchronize();
int cuCtxSynchronize_v2(Opaque context);
int cuCtxGetCurrent(Opaque* context);
int cuPointerGetAttribute(void* data, int attribute, DevicePointer pointer);
int cuStreamIsCapturing(Opaque stream, int* status);

} // extern "C"
