// The part of cuTENSOR that hooks need. Source: cutensor.h and cutensor/types.h of cuTENSOR 1.7.0 and 2.8.1.
// tests/abi holds them to the real header where there is one.
#pragma once

namespace detshim::abi {

/// cutensorStatus_t
enum class cutensorStatus : int {
  success = 0,
  not_supported = 15 /**< CUTENSOR_STATUS_NOT_SUPPORTED */
};

using cutensorOperationDescriptor_t = struct cutensorOperationDescriptor*;

/// cutensorAutotuneMode_t
enum class cutensorAutotuneMode : int { none = 0, incremental = 1 };

/// CUTENSOR_PLAN_PREFERENCE_AUTOTUNE_MODE; in version 1 CUTENSOR_CONTRACTION_FIND_AUTOTUNE_MODE. A
/// cutensorAutotuneMode.
inline constexpr int cutensor_autotune_mode = 0;
/// CUTENSOR_OPERATION_DESCRIPTOR_BLOCKSPARSE_REPRODUCIBLE, since 2.8: an int32_t.
inline constexpr int cutensor_blocksparse_reproducible = 14;

} // namespace detshim::abi
