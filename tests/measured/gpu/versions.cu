// Prints what a report must say: the device, the driver, and of every library its version and the
// file it came from.
#include "gpu.h"

#include <cublasLt.h>
#include <cublas_v2.h>
#include <cudnn.h>
#include <curand.h>
#include <cusolverDn.h>
#include <cusparse.h>
#ifdef DETSHIM_GPU_NCCL
#include <nccl.h>
#endif

#include <dlfcn.h>

namespace {

template <class Function>
void say(const char* name, const std::string& version, Function* function) {
  Dl_info info{};
  const bool known = dladdr(reinterpret_cast<void*>(function), &info) != 0;
  std::printf("%s %s (%s)\n", name, version.c_str(), known ? info.dli_fname : "?");
}

/// The form that most libraries count in: 13010 is 13.1.
std::string dotted(long long number, int major, int minor) {
  return std::to_string(number / major) + "." + std::to_string(number % major / minor) + "." +
         std::to_string(number % minor);
}

template <class Get>
std::string properties(Get get) {
  int major = 0, minor = 0, patch = 0;
  CHECK(get(MAJOR_VERSION, &major));
  CHECK(get(MINOR_VERSION, &minor));
  CHECK(get(PATCH_LEVEL, &patch));
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

} // namespace

int main(int argc, char** argv) {
  gpu::start(argc, argv);
  cudaDeviceProp device{};
  int driver = 0, runtime = 0;
  CHECK(cudaGetDeviceProperties(&device, 0));
  CHECK(cudaDriverGetVersion(&driver));
  CHECK(cudaRuntimeGetVersion(&runtime));
  std::printf("device %s, compute capability %d.%d, %d multiprocessors\n", device.name,
              device.major, device.minor, device.multiProcessorCount);
  std::printf("CUDA of the driver %d.%d\n", driver / 1000, driver % 1000 / 10);
  std::printf("CUDA runtime in the programs %d.%d\n", runtime / 1000, runtime % 1000 / 10);
  say("cuRAND", properties(curandGetProperty), &curandGetProperty);
  say("cuDNN", dotted(static_cast<long long>(cudnnGetVersion()), 10000, 100), &cudnnGetVersion);
  say("cuBLAS", properties(cublasGetProperty), &cublasGetProperty);
  say("cuBLASLt", dotted(static_cast<long long>(cublasLtGetVersion()), 10000, 100),
      &cublasLtGetVersion);
  say("cuSPARSE", properties(cusparseGetProperty), &cusparseGetProperty);
  say("cuSOLVER", properties(cusolverGetProperty), &cusolverGetProperty);
#ifdef DETSHIM_GPU_NCCL
  int nccl = 0;
  CHECK(ncclGetVersion(&nccl));
  say("NCCL", dotted(nccl, 10000, 100), &ncclGetVersion);
#endif
  return 0;
}
