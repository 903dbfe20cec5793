// The driver's part of a double, which the real library opens by itself: the name of the current
// device. DOUBLE_DEVICE names it; DOUBLE_FREE is how many bytes of its memory are free.
#include <cstdio>
#include <cstdlib>

extern "C" {

int cuCtxGetDevice(int* device) {
  *device = 3;
  return 0;
}

int cuDeviceGetName(char* name, int size, int device) {
  const char* asked = std::getenv("DOUBLE_DEVICE");
  std::snprintf(name, static_cast<size_t>(size), "%s", asked ? asked : "Double A");
  return device == 3 ? 0 : 1;
}

int cuMemGetInfo_v2(size_t* available, size_t* all) {
  const char* asked = std::getenv("DOUBLE_FREE");
  *all = size_t{80} << 30;
  *available = asked ? std::strtoull(asked, nullptr, 10) : *all;
  return 0;
}

} // extern "C"
