// The part of cuSOLVER that its double answers and its users call, written down by hand from
// cusolverDn.h of CUDA 13.0. Enumerations are passed as int.
#pragma once

#include "opaque.h"

#include <cstdint>

extern "C" {

int cusolverDnCreate(Opaque* handle);
int cusolverDnDestroy(Opaque handle);
int cusolverDnSetDeterministicMode(Opaque handle, int mode);
int cusolverDnGetDeterministicMode(Opaque handle, int* mode);
int cusolverDnSetMathMode(Opaque handle, int mode);
int cusolverDnXgesvdr(Opaque handle, Opaque params, signed char job_u, signed char job_v, int64_t m,
                      int64_t n, int64_t k, int64_t p, int64_t iterations, int type_a, void* a,
                      int64_t lda, int type_s, void* s, int type_u, void* u, int64_t ldu,
                      int type_v, void* v, int64_t ldv, int compute_type, void* device_buffer,
                      size_t device_size, void* host_buffer, size_t host_size, int* info);
int cusolverDnXgesvdp(Opaque handle, Opaque params, int job, int economy, int64_t m, int64_t n,
                      int type_a, void* a, int64_t lda, int type_s, void* s, int type_u, void* u,
                      int64_t ldu, int type_v, void* v, int64_t ldv, int compute_type,
                      void* device_buffer, size_t device_size, void* host_buffer, size_t host_size,
                      int* info, double* perturbation);
int cusolverDnIRSParamsCreate(Opaque* params);
int cusolverSpCreate(Opaque* handle);
int cusolverRfCreate(Opaque* handle);
int cusolverGetVersion(int* version);

} // extern "C"
