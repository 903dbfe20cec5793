// The part of NCCL that hooks need. Source: nccl.h of NCCL 2.32; the values are the same
// since 2.11. tests/abi holds them to the real header where there is one.
#pragma once

#include "abi/library_types.h"

#include <cstddef>

namespace detshim::abi {

using ncclComm_t = struct ncclComm*;
using ncclWindow_t = struct ncclWindow_vidmem*;

/// ncclResult_t
enum class ncclResult : int {
  success = 0,       ///< ncclSuccess
  invalid_usage = 5, ///< ncclInvalidUsage
  in_progress = 7,   ///< ncclInProgress
};

enum class ncclDataType : int {}; ///< ncclDataType_t
enum class ncclRedOp : int {};    ///< ncclRedOp_t: ncclSum = 0 …, made ones from ncclNumOps on

/// Travels by value.
struct ncclUniqueId {
  char internal[128];
};

/// Of one collective call, since NCCL 2.31; it grows at its end, `size` says where that is.
struct ncclCollConfig_t {
  size_t size;
  unsigned magic; ///< nccl_config_magic
  unsigned version;
  const void* ext;
  int minCTAs;
  int maxCTAs;
  int nvlsCTAs;
  int cgaClusterSize;
  const char* algSelection; ///< which algorithms the call may use; null or empty: NCCL chooses
  int forceAlgSelection;
  int CTAPolicy;
};
inline constexpr unsigned nccl_config_magic = 0xCAFEBEEF;

} // namespace detshim::abi
