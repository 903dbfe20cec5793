// Bytes of an element of a CUDA library's types.
#pragma once

#include "abi/library_types.h"

#include <cstdint>

namespace detshim {

/// Bytes of an element; 0 for types of less than a byte and for those that are not known. Source:
/// library_types.h of CUDA 13.0.
constexpr uint64_t size_of_type(abi::cudaDataType type) {
  constexpr uint8_t sizes[] = {
      4, 8,  2, 1,        // R_32F, R_64F, R_16F, R_8I
      8, 16, 4, 2,        // C_32F, C_64F, C_16F, C_8I
      1, 2,  4, 8,  4, 8, // R_8U, C_8U, R_32I, C_32I, R_32U, C_32U
      2, 4,               // R_16BF, C_16BF
      0, 0,  0, 0,        // of 4 bits
      2, 4,  2, 4,        // R_16I, C_16I, R_16U, C_16U
      8, 16, 8, 16,       // R_64I, C_64I, R_64U, C_64U
      1, 1,  1,           // R_8F_E4M3, R_8F_E5M2, R_8F_UE8M0
  };
  const auto number = static_cast<unsigned>(type);
  return number < sizeof sizes ? sizes[number] : 0;
}

/// Bytes of ncclDataType_t; 0 for what is not known. Source: nccl.h of NCCL 2.28.
constexpr uint64_t size_of_nccl_type(int type) {
  constexpr uint8_t sizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
  return static_cast<unsigned>(type) < sizeof sizes ? sizes[type] : 0;
}

} // namespace detshim
