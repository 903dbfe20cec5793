// As much of the driver as loads code and launches what is in it; nothing runs. All functions have
// one handle, as those of modules may have that were loaded one behind the other. Signatures:
// cuda.h of CUDA 13.0.
#include <string>

namespace {
std::string launched;
} // namespace

extern "C" {

int cuInit(unsigned) { return 0; }
int cuDriverGetVersion(int* version) { return *version = 13000, 0; }
int cuModuleLoadData(void** module, const void*) { return *module = &launched, 0; }
int cuModuleLoad(void** module, const char*) { return *module = &launched, 0; }
int cuModuleUnload(void*) { return 0; }
int cuModuleGetFunction(void** function, void*, const char* name) {
  launched = name;
  *function = &launched;
  return 0;
}
int cuGraphAddKernelNode(void**, void*, const void*, unsigned long, const void*) { return 0; }
int cuGraphExecKernelNodeSetParams_v2(void*, void*, const void*) { return 0; }
int cuLaunchGrid(void*, int, int) { return 0; }
int cuFuncGetName(const char** name, void*) { return *name = launched.c_str(), 0; }
int cuLaunchKernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   void*, void**, void**) {
  return 0;
}

} // extern "C"
