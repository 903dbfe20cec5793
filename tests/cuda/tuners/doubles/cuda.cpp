// A double of libcuda.so.1: of events, what is asked of two.
#include "events.h"
#include "record.h"

namespace {

constexpr int success = 0, invalid_handle = 400, not_found = 500, not_ready = 600;

int elapsed(const char* by, float* milliseconds, Opaque start, Opaque end) {
  record("%s", by);
  if (!start || !end)
    return invalid_handle;
  if (misbehaves("not ready"))
    return not_ready;
  const auto nanoseconds = reinterpret_cast<intptr_t>(end) - reinterpret_cast<intptr_t>(start);
  *milliseconds = static_cast<float>(static_cast<double>(nanoseconds) / 1e6);
  return success;
}

} // namespace

extern "C" {

int cuDriverGetVersion(int* version) {
  *version = 13000;
  return success;
}

int cuEventElapsedTime(float* milliseconds, Opaque start, Opaque end) {
  return elapsed("cuEventElapsedTime", milliseconds, start, end);
}

int cuEventElapsedTime_v2(float* milliseconds, Opaque start, Opaque end) {
  return elapsed("cuEventElapsedTime_v2", milliseconds, start, end);
}

int cuGetProcAddress_v2(const char* symbol, void** function, int version, uint64_t, int*) {
  *function = nullptr;
  if (!std::strcmp(symbol, "cuEventElapsedTime"))
    *function =
        reinterpret_cast<void*>(version >= 12080 ? &cuEventElapsedTime_v2 : &cuEventElapsedTime);
  return *function ? success : not_found;
}

} // extern "C"
