// A double of libcufft.so.12, of one plan.
#include "compute.h"

namespace {

Opaque stream;
Result result; // of the plan, but for where it goes

int execute(const char* name, const void* in, void* out) {
  return compute(name, stream, in, {out, result.width, result.rows, result.pitch});
}

} // namespace

extern "C" {

int cufftGetVersion(int* version) { return *version = 12000, 0; }
int cufftSetStream(int, Opaque to) { return stream = to, 0; }
int cufftDestroy(int) { return 0; }
int cufftPlan1d(int* plan, int nx, int type, int batch) {
  const auto complex_numbers = static_cast<size_t>(type == 0x2a ? nx / 2 + 1 : nx);
  result = {nullptr, (type == 0x2c ? 4 : 8) * complex_numbers * static_cast<size_t>(batch)};
  return *plan = 5, 0;
}
int cufftMakePlanMany(int, int, int* n, int*, int, int, int*, int, int out_distance, int, int batch,
                      size_t* size) {
  result = {nullptr, 8 * static_cast<size_t>(n[0]), static_cast<size_t>(batch),
            8 * static_cast<size_t>(out_distance)};
  return *size = 0, 0;
}
int cufftExecC2C(int, void* in, void* out, int) { return execute("cufftExecC2C", in, out); }
int cufftExecR2C(int, void* in, void* out) { return execute("cufftExecR2C", in, out); }

} // extern "C"
