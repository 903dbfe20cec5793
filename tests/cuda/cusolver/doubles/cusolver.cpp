// A double of libcusolver.so.12: it solves nothing. Handles start in the deterministic mode.
//
// DETSHIM_TEST_NO_DETERMINISTIC_MODE builds one from before CUDA 12.2, which has no such mode.
#include "cusolver.h"

#include "record.h"

namespace {

struct Handle {
  int deterministic_mode = 1;
};

[[maybe_unused]] constexpr int not_initialized = 1, invalid_value = 3;

int make(const char* name, Opaque* handle) {
  static int the_handle;
  record("%s", name);
  *handle = &the_handle;
  return 0;
}

} // namespace

extern "C" {

int cusolverDnCreate(Opaque* handle) {
  record("cusolverDnCreate");
  if (misbehaves("fail"))
    return not_initialized;
  *handle = new Handle;
  return 0;
}

int cusolverDnDestroy(Opaque handle) {
  record("cusolverDnDestroy");
  delete static_cast<Handle*>(handle);
  return 0;
}

#ifndef DETSHIM_TEST_NO_DETERMINISTIC_MODE
int cusolverDnSetDeterministicMode(Opaque handle, int mode) {
  record("cusolverDnSetDeterministicMode mode=%d", mode);
  if (mode != 1 && mode != 2)
    return invalid_value;
  static_cast<Handle*>(handle)->deterministic_mode = mode;
  return 0;
}

int cusolverDnGetDeterministicMode(Opaque handle, int* mode) {
  *mode = static_cast<Handle*>(handle)->deterministic_mode;
  return 0;
}
#endif

int cusolverDnSetMathMode(Opaque, int mode) {
  record("cusolverDnSetMathMode mode=%d", mode);
  return misbehaves("math") ? invalid_value : 0;
}

int cusolverDnXgesvdr(Opaque, Opaque params, signed char job_u, signed char job_v, int64_t m,
                      int64_t n, int64_t k, int64_t p, int64_t iterations, int type_a, void* a,
                      int64_t lda, int type_s, void* s, int type_u, void* u, int64_t ldu,
                      int type_v, void* v, int64_t ldv, int compute_type, void* device_buffer,
                      size_t device_size, void* host_buffer, size_t host_size, int* info) {
  record("cusolverDnXgesvdr %p %c%c %ld %ld %ld %ld %ld %d %p %ld %d %p %d %p %ld %d %p %ld %d %p "
         "%zu %p %zu "
         "%p",
         params, job_u, job_v, static_cast<long>(m), static_cast<long>(n), static_cast<long>(k),
         static_cast<long>(p), static_cast<long>(iterations), type_a, a, static_cast<long>(lda),
         type_s, s, type_u, u, static_cast<long>(ldu), type_v, v, static_cast<long>(ldv),
         compute_type, device_buffer, device_size, host_buffer, host_size,
         static_cast<void*>(info));
  return 0;
}

int cusolverDnXgesvdp(Opaque, Opaque params, int job, int economy, int64_t m, int64_t n, int type_a,
                      void* a, int64_t lda, int type_s, void* s, int type_u, void* u, int64_t ldu,
                      int type_v, void* v, int64_t ldv, int compute_type, void* device_buffer,
                      size_t device_size, void* host_buffer, size_t host_size, int* info,
                      double* perturbation) {
  record("cusolverDnXgesvdp %p %d %d %ld %ld %d %p %ld %d %p %d %p %ld %d %p %ld %d %p %zu %p %zu "
         "%p %p",
         params, job, economy, static_cast<long>(m), static_cast<long>(n), type_a, a,
         static_cast<long>(lda), type_s, s, type_u, u, static_cast<long>(ldu), type_v, v,
         static_cast<long>(ldv), compute_type, device_buffer, device_size, host_buffer, host_size,
         static_cast<void*>(info), static_cast<void*>(perturbation));
  return misbehaves("gesvdp") ? invalid_value : 0;
}

int cusolverDnIRSParamsCreate(Opaque* params) { return make("cusolverDnIRSParamsCreate", params); }
int cusolverSpCreate(Opaque* handle) { return make("cusolverSpCreate", handle); }
int cusolverRfCreate(Opaque* handle) { return make("cusolverRfCreate", handle); }

int cusolverGetVersion(int* version) {
  *version = 12000;
  return 0;
}

} // extern "C"
