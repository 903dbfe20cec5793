// The part of the CUDA driver that its double answers (libcuda.so.1), written down by hand so that
// the tests build without the toolkit. The signatures are those of cuda.h of CUDA 13.0;
// enumerations are passed as int.
#pragma once

#include "opaque.h"

#include <cstddef>
#include <cstdint>

using DevicePointer = uint64_t;

extern "C" {

int cuDriverGetVersion(int* version);
int cuGetProcAddress(const char* symbol, void** function, int version, uint64_t flags);
int cuGetProcAddress_v2(const char* symbol, void** function, int version, uint64_t flags,
                        int* found);

int cuMemAlloc(uint32_t* memory, unsigned size);
int cuMemAlloc_v2(DevicePointer* memory, size_t size);
int cuMemAllocPitch_v2(DevicePointer* memory, size_t* pitch, size_t width, size_t height,
                       unsigned element);
int cuMemAllocManaged(DevicePointer* memory, size_t size, unsigned flags);
int cuMemAllocHost_v2(void** memory, size_t size);
int cuMemHostAlloc(void** memory, size_t size, unsigned flags);
int cuMemAllocAsync(DevicePointer* memory, size_t size, Opaque stream);
int cuMemAllocAsync_ptsz(DevicePointer* memory, size_t size, Opaque stream);
int cuMemAllocFromPoolAsync(DevicePointer* memory, size_t size, Opaque pool, Opaque stream);
int cuMemAllocFromPoolAsync_ptsz(DevicePointer* memory, size_t size, Opaque pool, Opaque stream);

int cuMemCreate(unsigned long long* memory, size_t size, const void* properties,
                unsigned long long flags);

int cuStreamIsCapturing(Opaque stream, int* status);
int cuThreadExchangeStreamCaptureMode(int* mode);
int cuMemsetD8Async(DevicePointer memory, unsigned char value, size_t size, Opaque stream);
int cuMemsetD2D8Async(DevicePointer memory, size_t pitch, unsigned char value, size_t width,
                      size_t height, Opaque stream);
int cuStreamSynchronize(Opaque stream);

int cuModuleGetFunction(Opaque* function, Opaque module, const char* name);
int cuLibraryGetKernel(Opaque* kernel, Opaque library, const char* name);
int cuFuncGetName(const char** name, Opaque function);
int cuKernelGetName(const char** name, Opaque kernel);
int cuLaunchKernel(Opaque function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                   Opaque stream, void** arguments, void** extra);
int cuLaunchKernel_ptsz(Opaque function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                        Opaque stream, void** arguments, void** extra);
int cuLaunchKernelEx(const void* config, Opaque function, void** arguments, void** extra);
int cuLaunchKernelEx_ptsz(const void* config, Opaque function, void** arguments, void** extra);
int cuLaunchCooperativeKernel(Opaque function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                              unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                              Opaque stream, void** arguments);
int cuLaunchCooperativeKernel_ptsz(Opaque function, unsigned grid_x, unsigned grid_y,
                                   unsigned grid_z, unsigned block_x, unsigned block_y,
                                   unsigned block_z, unsigned shared, Opaque stream,
                                   void** arguments);
int cuGraphLaunch(Opaque graph, Opaque stream);
int cuGraphLaunch_ptsz(Opaque graph, Opaque stream);

} // extern "C"
