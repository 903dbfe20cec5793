// A double of libcudart.so.13, which works by calling the driver.
#include "events.h"

#include <dlfcn.h>

namespace {

int by_driver(const char* name, float* milliseconds, Opaque start, Opaque end) {
  static void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  void* const function = driver ? dlsym(driver, name) : nullptr;
  return function
             ? reinterpret_cast<decltype(&cuEventElapsedTime)>(function)(milliseconds, start, end)
             : 35;
}

} // namespace

extern "C" {

int cudaRuntimeGetVersion(int* version) {
  *version = 13000;
  return 0;
}

int cudaEventElapsedTime(float* milliseconds, Opaque start, Opaque end) {
  return by_driver("cuEventElapsedTime", milliseconds, start, end);
}

int cudaEventElapsedTime_v2(float* milliseconds, Opaque start, Opaque end) {
  return by_driver("cuEventElapsedTime_v2", milliseconds, start, end);
}

} // extern "C"
