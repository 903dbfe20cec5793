// The part of CUDA's runtime and driver by which candidates are timed, and of the libraries that
// time them themselves. An event is the moment that it was recorded, in nanoseconds: programs have
// clocks of their own.
#pragma once

#include "opaque.h"

#include <cstdint>

extern "C" {

int cudaRuntimeGetVersion(int* version);
int cudaEventElapsedTime(float* milliseconds, Opaque start, Opaque end);
int cudaEventElapsedTime_v2(float* milliseconds, Opaque start, Opaque end);
int cuDriverGetVersion(int* version);
int cuEventElapsedTime(float* milliseconds, Opaque start, Opaque end);
int cuEventElapsedTime_v2(float* milliseconds, Opaque start, Opaque end);
int cuGetProcAddress_v2(const char* symbol, void** function, int version, uint64_t flags,
                        int* found);

void* createInferBuilder_INTERNAL(void* logger, int version);
/// The fastest of three candidates, as a method of the builder's would choose it: 0, 1 or 2.
int nvinferFastest(const char* way, const double* milliseconds);

int cusparseLtMatmulSearch(const void* handle, void* plan, const void* alpha, const void* a,
                           const void* b, const void* beta, const void* c, void* d, void* workspace,
                           Opaque* streams, int stream_count);

} // extern "C"
