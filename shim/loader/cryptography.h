// Whose entropy stays the kernel's, whatever the mode.
#pragma once

#include "common/reasons.h"
#include "core/base/hook_table.h"

#include <cstdint>

namespace detshim {

/// What its caller says of a draw.
enum class Purpose : uint8_t { any, no_key };

/// Why a draw is left to the kernel.
struct KeptEntropy {
  Reason why = Reason::none; ///< none: it is not left to the kernel
  bool may_be_no_key =
      false; ///< other code in that object may have drawn, and then its results differ
};

/// Whether the code at that address gets the kernel's entropy from that hook: it belongs to a
/// cryptography library or has one in it, or the user has named it.
KeptEntropy why_entropy_is_kept(const Hook& hook, const void* caller, Purpose purpose);

} // namespace detshim
