// The part of the CUDA runtime that its double answers (libcudart.so.13), written down by hand so
// that the tests build without the toolkit. The signatures are those of cuda_runtime_api.h,
// crt/host_runtime.h and crt/device_functions.h of CUDA 13.0; enumerations are passed as int.
#pragma once

#include "opaque.h"

#include <cstddef>

struct Dim3 {
  unsigned x, y, z;
};
struct PitchedPointer {
  void* memory;
  size_t pitch, width, height;
};
struct Extent {
  size_t width, height, depth;
};

extern "C" {

int cudaRuntimeGetVersion(int* version);
int cudaPeekAtLastError();
int cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags,
                            int* found);
int cudaGetDriverEntryPoint_ptsz(const char* symbol, void** function, unsigned long long flags,
                                 int* found);
int cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned version,
                                     unsigned long long flags, int* found);
int cudaGetDriverEntryPointByVersion_ptsz(const char* symbol, void** function, unsigned version,
                                          unsigned long long flags, int* found);

int cudaMalloc(void** memory, size_t size);
int cudaMallocPitch(void** memory, size_t* pitch, size_t width, size_t height);
int cudaMalloc3D(PitchedPointer* memory, Extent extent);
int cudaMallocManaged(void** memory, size_t size, unsigned flags);
int cudaMallocHost(void** memory, size_t size);
int cudaHostAlloc(void** memory, size_t size, unsigned flags);
int cudaMallocAsync(void** memory, size_t size, Opaque stream);
int cudaMallocAsync_ptsz(void** memory, size_t size, Opaque stream);
int cudaMallocFromPoolAsync(void** memory, size_t size, Opaque pool, Opaque stream);
int cudaMallocFromPoolAsync_ptsz(void** memory, size_t size, Opaque pool, Opaque stream);

void __cudaRegisterFunction(void** binary, const char* host_function, char* device_function,
                            const char* name, int thread_limit, void* thread, void* block,
                            Dim3* block_size, Dim3* grid_size, int* warp_size);
int __cudaGetKernel(Opaque* kernel, const void* host_function);
int cudaFuncGetName(const char** name, const void* function);
int cudaLaunchKernel(const void* function, Dim3 grid, Dim3 block, void** arguments, size_t shared,
                     Opaque stream);
int cudaLaunchKernel_ptsz(const void* function, Dim3 grid, Dim3 block, void** arguments,
                          size_t shared, Opaque stream);
int cudaLaunchKernelExC(const void* config, const void* function, void** arguments);
int cudaLaunchKernelExC_ptsz(const void* config, const void* function, void** arguments);
int cudaLaunchCooperativeKernel(const void* function, Dim3 grid, Dim3 block, void** arguments,
                                size_t shared, Opaque stream);
int cudaLaunchCooperativeKernel_ptsz(const void* function, Dim3 grid, Dim3 block, void** arguments,
                                     size_t shared, Opaque stream);
int __cudaLaunchKernel(Opaque kernel, Dim3 grid, Dim3 block, void** arguments, size_t shared,
                       Opaque stream);
int __cudaLaunchKernel_ptsz(Opaque kernel, Dim3 grid, Dim3 block, void** arguments, size_t shared,
                            Opaque stream);
int cudaGraphLaunch(Opaque graph, Opaque stream);
int cudaGraphLaunch_ptsz(Opaque graph, Opaque stream);

} // extern "C"
