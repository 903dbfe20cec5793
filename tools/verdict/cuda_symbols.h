// The functions of CUDA's libraries that the hooks were written against (the lists in
// known_functions/, built in), and what a file has to do with those libraries, and with
// std::random_device, by its symbols.
#pragma once

#include "scanner/elf_file.h"

#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace detshim {

enum class ClassVerdict {
  harmless,
  told, ///< by another function's hook
  unverified,
};

/// What functions without a hook have in common.
struct FunctionClass {
  std::string_view name;
  ClassVerdict verdict;
  std::string_view reason;
};

struct KnownFunction {
  std::string_view name, function_class;
};

/// One library, of all versions that were looked at.
struct KnownFunctions {
  std::string_view library; ///< the hook table's name of it
  std::string_view version; ///< the last of them, as the library itself says it
  std::vector<FunctionClass> classes;
  std::vector<KnownFunction> functions; ///< by name

  bool has(std::string_view name) const;

  /// The class of a function that has no hook; nullptr for one that has, or that is not known.
  const FunctionClass* class_of(std::string_view name) const;
};

/// All libraries of which there is a list. cudart and cuda are none of them: the runtime reaches
/// the driver by lookups that are answered, and the driver's hooks force nothing.
const std::vector<KnownFunctions>& known_functions();

/// The list of one library, or nullptr.
const KnownFunctions* known_functions(std::string_view library);

/// True if `version` is later than `than`, both numbers separated by dots; nothing else counts as
/// later than anything: what cannot be read is not known.
bool is_later(std::string_view version, std::string_view than);

/// NVIDIA's libraries that have no hooks, recognised as what they are: their kernels are none of
/// the program's own.
enum class NvidiaLibraryKind {
  harmless, ///< computes nothing that a program's results are made of
  open, ///< computes, and NVIDIA does not say whether it repeats, or says that it chooses by time
};

struct NvidiaLibrary {
  std::string_view file_start; ///< how its files are called, whatever the version
  NvidiaLibraryKind kind;
};

inline constexpr auto nvidia_libraries = std::to_array<NvidiaLibrary>({
    {"libnvJitLink.so", NvidiaLibraryKind::harmless},
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
    if (file.starts_with(library.file_start))
      return &library;
  return nullptr;
}

/// Functions of a CUDA library that a file defines though it is not that library.
struct LinkedCopy {
  std::string library, first; ///< first: of its functions, by name
  std::size_t functions = 0;
};

struct CudaSymbols {
  std::string file;
  std::string library; ///< that the file is (a part of); empty: none
  std::vector<LinkedCopy> copies;
  std::vector<std::string> unknown; ///< exported by the library, and in no list of known functions
  std::set<std::string>
      asks_for;             ///< taken from elsewhere, named like a CUDA library's, and in no list
  bool has_kernels = false; ///< code for a GPU, in a library that is not NVIDIA's
  bool has_symbol_table = false; ///< without one, whose code that is cannot be told
  bool names_random_device =
      false; ///< it may have a copy of std::random_device, by its functions' names

  bool is_empty() const {
    return library.empty() && copies.empty() && asks_for.empty() && !has_kernels;
  }
};

/// The CUDA library that a file of that name is (a part of), in the hook table's words; empty for
/// any other.
std::string cuda_library_of(const std::string& file);

/// True if a function of that name is, or may be, a part of libstdc++'s std::random_device.
bool is_of_random_device(std::string_view function);

CudaSymbols read_cuda_symbols(const ElfFile& file);

} // namespace detshim
