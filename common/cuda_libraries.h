// The CUDA libraries that have hooks.
#pragma once

#include "common/text.h"

namespace detshim {

/// Arrays and not pointers, which the loader would have to write at every start of every program.
struct CudaLibrary {
  char name[12];   ///< in the hook table and in the log
  char prefix[12]; ///< how the functions begin that it exports
  /// How its files are called, whatever the version. Not shorter: a user's own libcudnn_mine.so is
  /// not NVIDIA's, and what it calls is to be hooked.
  char file_starts[14][24];
  char version_function[24] = {}; ///< that tells its version; empty: it has none
};

/// A new library adds a row.
inline constexpr CudaLibrary cuda_libraries[] = {
    {"curand", "curand", {"libcurand.so"}, "curandGetVersion"},
    {"cudnn",
     "cudnn",
     {"libcudnn.so", "libcudnn_graph.so", "libcudnn_ops.so", "libcudnn_cnn.so", "libcudnn_adv.so",
      "libcudnn_ext.so", "libcudnn_heuristic.so", "libcudnn_engines_", // those of cuDNN 8:
      "libcudnn_ops_infer.so", "libcudnn_ops_train.so", "libcudnn_cnn_infer.so",
      "libcudnn_cnn_train.so", "libcudnn_adv_infer.so", "libcudnn_adv_train.so"},
     "cudnnGetVersion"},
    {"cublas", "cublas", {"libcublas.so"}, "cublasGetProperty"},
    {"cublaslt", "cublasLt", {"libcublasLt.so"}, "cublasLtGetProperty"},
    {"cusparse", "cusparse", {"libcusparse.so"}, "cusparseGetProperty"},
    {"cusolver", "cusolver", {"libcusolver.so"}, "cusolverGetVersion"},
    {"cusolvermg", "cusolverMg", {"libcusolverMg.so"}},
    {"cufft", "cufft", {"libcufft.so"}, "cufftGetVersion"},
    {"nccl", "nccl", {"libnccl.so"}, "ncclGetVersion"},
    {"cudart", "cuda", {"libcudart.so"}, "cudaRuntimeGetVersion"},
    {"cuda", "cu", {"libcuda.so"}, "cuDriverGetVersion"},
};
inline constexpr int cuda_library_count = sizeof cuda_libraries / sizeof cuda_libraries[0];

/// True if a file of that name (without its folder) is (a part of) the library.
constexpr bool is_file_of(const CudaLibrary& library, const char* file) {
  for (const char* start : library.file_starts)
    if (*start != 0 && starts_with(file, start))
      return true;
  return false;
}

} // namespace detshim
