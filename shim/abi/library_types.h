// What several CUDA libraries share. Source: library_types.h and driver_types.h of CUDA 13.0; the
// same since CUDA 8. tests/abi holds it to the real headers where there are any.
#pragma once

namespace detshim::abi {

using cudaStream_t = struct CUstream_st*;

/// cudaDataType_t: only handed on and shown as a number.
enum class cudaDataType : int {};

} // namespace detshim::abi
