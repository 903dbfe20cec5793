// The part of NCCL that hooks need. Source: nccl.h of NCCL 2.28; the values are the same since 2.11.
// tests/abi holds them to the real header where there is one.
#pragma once

#include "abi/library_types.h"

namespace detshim::abi {

using ncclComm_t = struct ncclComm*;
using ncclWindow_t = struct ncclWindow_vidmem*;

/// ncclResult_t
enum class ncclResult : int {
  success = 0,       ///< ncclSuccess
  invalid_usage = 5, ///< ncclInvalidUsage
};

enum class ncclDataType : int {};        ///< ncclDataType_t
enum class ncclRedOp : int {};           ///< ncclRedOp_t: ncclSum = 0 …, made ones from ncclNumOps on
enum class ncclScalarResidence : int {}; ///< ncclScalarResidence_t

/// Travels by value.
struct ncclUniqueId {
  char internal[128];
};

/// Only handed on, by address.
struct ncclConfig_t;

} // namespace detshim::abi
