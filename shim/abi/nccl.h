// The part of NCCL that hooks need. Source: nccl.h of NCCL 2.32; the values are the same since 2.11.
// tests/abi holds them to the real header where there is one.
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

enum class ncclDataType : int {};        ///< ncclDataType_t
enum class ncclRedOp : int {};           ///< ncclRedOp_t: ncclSum = 0 …, made ones from ncclNumOps on
enum class ncclScalarResidence : int {}; ///< ncclScalarResidence_t

/// Travels by value.
struct ncclUniqueId {
  char internal[128];
};

/// As of NCCL 2.32; earlier versions end earlier, `size` says where. A number that is not set is
/// nccl_config_unset, a pointer null.
struct ncclConfig_t {
  size_t size;
  unsigned magic; ///< nccl_config_magic
  unsigned version;
  int blocking;
  int cgaClusterSize;
  int minCTAs;
  int maxCTAs;
  const char* netName;
  int splitShare;
  int trafficClass;
  const char* commName;
  int collnetEnable;
  int CTAPolicy;
  int shrinkShare;
  int nvlsCTAs;
  int nChannelsPerNetPeer;
  int nvlinkCentricSched;
  int graphUsageMode; ///< from here on since 2.29
  int numRmaCtx;
  int maxP2pPeers;
  int graphStreamOrdering;
  int launchOrderImplicit; ///< from here on since 2.31
  int numRmaSig;
  int rmaEagerInit;
  int hostCftMode;
  int nvlsHostMode;
};

/// Of one collective call, since NCCL 2.31; like ncclConfig_t it grows at its end.
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
inline constexpr int nccl_config_unset = -2147483647 - 1; ///< NCCL_CONFIG_UNDEF_INT

} // namespace detshim::abi
