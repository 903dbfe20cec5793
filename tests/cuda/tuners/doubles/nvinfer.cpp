// A double of libnvinfer.so.10: it times candidates by events, and reaches them by each way that
// there is.
#include "events.h"

#include <cstring>
#include <dlfcn.h>

namespace {

using Elapsed = int(float*, Opaque, Opaque);

Elapsed* find(const char* way) {
  const bool is_runtime = !std::strncmp(way, "cuda", 4);
  void* const library =
      dlopen(is_runtime ? "libcudart.so.13" : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return nullptr;
  const bool by_entry = !std::strncmp(way, "entry", 5); // as a static runtime does
  if (!by_entry)
    return reinterpret_cast<Elapsed*>(dlsym(library, way));
  void* const look_up = dlsym(library, "cuGetProcAddress_v2");
  void* function = nullptr;
  int found = 0;
  reinterpret_cast<decltype(&cuGetProcAddress_v2)>(look_up)(
      "cuEventElapsedTime", &function, !std::strcmp(way, "entry 12") ? 12000 : 13000, 0, &found);
  return reinterpret_cast<Elapsed*>(function);
}

Opaque moment(double milliseconds) {
  return reinterpret_cast<Opaque>(static_cast<intptr_t>(milliseconds * 1e6));
}

} // namespace

extern "C" {

void* createInferBuilder_INTERNAL(void* logger, int version) {
  return version < 0 ? nullptr : logger;
}

int nvinferFastest(const char* way, const double* milliseconds) {
  Elapsed* const elapsed = find(way);
  if (!elapsed)
    return -1;
  int fastest = -1;
  float least = 1e30F;
  for (int i = 0; i < 3; ++i) {
    float taken = 0;
    if (elapsed(&taken, moment(1), moment(1 + milliseconds[i])) == 0 && taken < least) {
      least = taken;
      fastest = i;
    }
  }
  return fastest;
}

} // extern "C"
