// A double of libcufft.so.12: it transforms nothing. DOUBLE_MISBEHAVE: "fail" makes no plan,
// "fail_later" sets nothing up.
#include "cufft.h"

#include "record.h"

namespace {

constexpr int alloc_failed = 2;

int give(int* plan) {
  static int made = 0;
  if (misbehaves("fail"))
    return alloc_failed;
  *plan = ++made;
  return 0;
}

} // namespace

extern "C" {

#define TRANSFORM(NAME)                                                                            \
  int NAME(int plan, void* in, void* out) {                                                        \
    record(#NAME " %d %p %p", plan, in, out);                                                      \
    return misbehaves("fail_later") ? alloc_failed : 0;                                            \
  }
#define COMPLEX_TRANSFORM(NAME)                                                                    \
  int NAME(int plan, void* in, void* out, int direction) {                                         \
    record(#NAME " %d %p %p %d", plan, in, out, direction);                                        \
    return misbehaves("fail_later") ? alloc_failed : 0;                                            \
  }
COMPLEX_TRANSFORM(cufftExecC2C)
COMPLEX_TRANSFORM(cufftExecZ2Z)
COMPLEX_TRANSFORM(cufftXtExec)
COMPLEX_TRANSFORM(cufftXtExecDescriptor)
COMPLEX_TRANSFORM(cufftXtExecDescriptorC2C)
COMPLEX_TRANSFORM(cufftXtExecDescriptorZ2Z)
TRANSFORM(cufftExecR2C)
TRANSFORM(cufftExecD2Z)
TRANSFORM(cufftExecC2R)
TRANSFORM(cufftExecZ2D)
TRANSFORM(cufftXtExecDescriptorR2C)
TRANSFORM(cufftXtExecDescriptorD2Z)
TRANSFORM(cufftXtExecDescriptorC2R)
TRANSFORM(cufftXtExecDescriptorZ2D)

int cufftCreate(int* plan) {
  record("cufftCreate");
  return give(plan);
}

int cufftPlan1d(int* plan, int nx, int type, int batch) {
  record("cufftPlan1d %d %d %d", nx, type, batch);
  return give(plan);
}

int cufftPlan2d(int* plan, int nx, int ny, int type) {
  record("cufftPlan2d %d %d %d", nx, ny, type);
  return give(plan);
}

int cufftPlan3d(int* plan, int nx, int ny, int nz, int type) {
  record("cufftPlan3d %d %d %d %d", nx, ny, nz, type);
  return give(plan);
}

int cufftPlanMany(int* plan, int rank, int* n, int* in_embed, int in_stride, int in_distance,
                  int* out_embed, int out_stride, int out_distance, int type, int batch) {
  record("cufftPlanMany %d %d %d %d %d %d %d %d %d %d", rank, *n, *in_embed, in_stride, in_distance,
         *out_embed, out_stride, out_distance, type, batch);
  return give(plan);
}

int cufftDestroy(int plan) {
  record("cufftDestroy plan=%d", plan);
  return 0;
}

int cufftXtSetCallback(int plan, void** routine, int type, void** info) {
  record("cufftXtSetCallback %d %p %d %p", plan, *routine, type, *info);
  return misbehaves("fail_later") ? alloc_failed : 0;
}

int cufftXtSetJITCallback(int plan, const char* symbol, const void* code, size_t code_size,
                          int type, void** info) {
  record("cufftXtSetJITCallback %d %s %p %zu %d %p", plan, symbol, code, code_size, type, *info);
  return misbehaves("fail_later") ? alloc_failed : 0;
}

int cufftXtSetGPUs(int plan, int count, int* which) {
  record("cufftXtSetGPUs %d %d %d", plan, count, which[0]);
  return misbehaves("fail_later") ? alloc_failed : 0;
}

int cufftGetVersion(int* version) {
  *version = 12000;
  return 0;
}

} // extern "C"
