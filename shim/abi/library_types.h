// What several CUDA libraries share. Source: library_types.h and driver_types.h of CUDA 13.0; the same since
// CUDA 8. tests/abi holds it to the real headers where there are any.
#pragma once

namespace detshim::abi {

using cudaStream_t = struct CUstream_st*;

/// cudaDataType_t: only handed on and shown as a number.
enum class cudaDataType : int {};

/// libraryPropertyType, for a library's version.
enum class libraryProperty : int { major_version = 0, minor_version = 1, patch_level = 2 };

} // namespace detshim::abi
