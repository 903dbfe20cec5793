// The part of cuRAND's host interface that hooks need. Source: curand.h of CUDA 13.0; the values
// are the same since CUDA 11. tests/abi holds them to the real header where there is one.
#pragma once

#include "abi/library_types.h"

namespace detshim::abi {

using curandGenerator_t = struct curandGenerator_st*;

enum class curandStatus : int {
  success = 0,      ///< CURAND_STATUS_SUCCESS
  type_error = 103, ///< CURAND_STATUS_TYPE_ERROR
};

/// curandRngType: pseudo-random types are 100 to 199, quasi-random ones 200 and above.
enum class curandRngType : int {
  pseudo_default = 100,
  pseudo_philox4_32_10 = 161,
  quasi_default = 200
};

/// curandOrdering
enum class curandOrdering : int {
  pseudo_default = 101, ///< CURAND_ORDERING_PSEUDO_DEFAULT
  pseudo_dynamic = 104, ///< CURAND_ORDERING_PSEUDO_DYNAMIC: adapts to the GPU
};

} // namespace detshim::abi
