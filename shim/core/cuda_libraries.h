// The CUDA libraries that have hooks. Shared by the library and the command, as core/cryptography.h is.
#pragma once

namespace detshim {

struct CudaLibrary {
  const char* name;       ///< in the hook table and in the log
  const char* file_start; ///< how its files are called, whatever the version
  const char* prefix;     ///< how the functions begin that it exports
};

/// A new library adds a row.
inline constexpr CudaLibrary cuda_libraries[] = {
    {"curand", "libcurand.so", "curand"},
    {"cudnn", "libcudnn", "cudnn"},
    {"cublas", "libcublas.so", "cublas"},
    {"cublaslt", "libcublasLt.so", "cublasLt"},
    {"cusparse", "libcusparse.so", "cusparse"},
    {"cusolver", "libcusolver.so", "cusolver"},
    {"cusolvermg", "libcusolverMg.so", "cusolverMg"},
    {"cufft", "libcufft.so", "cufft"},
    {"nccl", "libnccl.so", "nccl"},
    {"cudart", "libcudart.so", "cuda"},
    {"cuda", "libcuda.so", "cu"},
};
inline constexpr int cuda_library_count = sizeof cuda_libraries / sizeof cuda_libraries[0];

/// How the names of all functions of theirs that are hooked begin.
inline constexpr const char* cuda_name_starts[] = {"cu", "nccl", "pnccl", "__cu"};

} // namespace detshim
