// Records once a process which CUDA library answers, in which version.
#pragma once

#include "abi/library_types.h"
#include "loader/hook.h"

namespace detshim {

/// Writes the `library` record of a hook's library the first time that one of its hooks is called in a
/// process. `recorded_in` is the library's own: the process that has the record, by its generation;
/// `version(text)` appends what the library tells of itself.
template <typename Version>
void record_library_once(const Hook& hook, uint32_t& recorded_in, Version version) {
  if (recorded_in == generation()) return;
  recorded_in = generation();
  Module module;
  if (!find_module(hook.real, module)) return;
  char path[600];
  module_path(module, path, sizeof path);
  Text<32> text;
  version(text);
  record_library(hook.info().library, path, text.length() != 0 ? text.c_str() : nullptr);
}

/// A library whose version a function of its own tells: one such as curandGetVersion(int*), or, by parts,
/// cublasGetProperty(libraryPropertyType, int*). Of all their status types, 0 is success.
struct VersionedLibrary {
  char getter[24]; ///< empty: it has none
  bool in_parts = false;
  uint32_t recorded_in = 0; ///< see record_library_once
  uint64_t known_in = 0;    ///< 1 + the epoch of `version`
  char version[24] = {};
};

inline constinit VersionedLibrary cublas_library = {"cublasGetProperty", true};
inline constinit VersionedLibrary cublaslt_library = {"cublasLtGetProperty", true};
inline constinit VersionedLibrary cufft_library = {"cufftGetVersion"};
inline constinit VersionedLibrary curand_library = {"curandGetVersion"};
inline constinit VersionedLibrary cusolver_library = {"cusolverGetVersion"};
inline constinit VersionedLibrary cusolvermg_library = {""};
inline constinit VersionedLibrary cusparse_library = {"cusparseGetProperty", true};
inline constinit VersionedLibrary nccl_library = {"ncclGetVersion"};

/// Appends the version: "10400", or in parts "13.1.0". Nothing where the library cannot be asked.
void add_version(const Hook& hook, VersionedLibrary& library, TextWriter& text);

void record_library(const Hook& hook, VersionedLibrary& library);

template <typename Call>
void record_library_once(const Call& call, VersionedLibrary& library) {
  if (library.recorded_in != generation()) record_library(call.hook(), library);
}

} // namespace detshim
