// NVIDIA's libraries that have no hooks, recognised as what they are: their kernels are none of the program's
// own.
#pragma once

#include <array>
#include <string_view>

namespace detshim {

enum class NvidiaLibraryKind {
  harmless, ///< computes nothing that a program's results are made of
  linker,   ///< links kernels: for cuSPARSE, cuSOLVER and cuFFT, which load it themselves, or for the program
  open,     ///< computes, and NVIDIA does not say whether it repeats, or says that it chooses by time
};

struct NvidiaLibrary {
  std::string_view file_start; ///< how its files are called, whatever the version
  NvidiaLibraryKind kind;
};

inline constexpr auto nvidia_libraries = std::to_array<NvidiaLibrary>({
    {"libnvJitLink.so", NvidiaLibraryKind::linker},
    {"libcufile", NvidiaLibraryKind::harmless},
    {"libcupti.so", NvidiaLibraryKind::harmless},
    {"libnvperf_", NvidiaLibraryKind::harmless},
    {"libcheckpoint.so", NvidiaLibraryKind::harmless},
    {"libpcsamplingutil.so", NvidiaLibraryKind::harmless},
    {"libnvToolsExt.so", NvidiaLibraryKind::harmless},
    {"libcufftw.so", NvidiaLibraryKind::harmless}, // hands on to cuFFT
    {"libcudss_", NvidiaLibraryKind::harmless},    // layers between it and MPI, NCCL or OpenMP
    {"libcusparseLt.so", NvidiaLibraryKind::open},
    {"libcutensor", NvidiaLibraryKind::open},
    {"libcudss.so", NvidiaLibraryKind::open},
    {"libnvshmem_host.so", NvidiaLibraryKind::open},
    {"libnvshmem_", NvidiaLibraryKind::harmless}, // bootstraps and transports
    {"nvshmem_", NvidiaLibraryKind::harmless},
});

/// What a file of that name (without its folder) is; nullptr for any other.
constexpr const NvidiaLibrary* find_nvidia_library(std::string_view file) {
  for (const NvidiaLibrary& library : nvidia_libraries)
    if (file.starts_with(library.file_start)) return &library;
  return nullptr;
}

} // namespace detshim
