// The part of cuFFT that hooks need. Source: cufft.h and cufftXt.h of CUDA 13.0. tests/abi holds it
// to the real headers where there are any.
#pragma once

namespace detshim::abi {

using cufftHandle = int;

enum class cufftResult : int { success = 0 }; ///< CUFFT_SUCCESS

enum class cufftXtCallbackType : int {
}; ///< CUFFT_CB_LD_COMPLEX = 0 …: which side of which transform

} // namespace detshim::abi
