// How to get from a frame to that of its caller: the unwinder's tables (.eh_frame; Linux Standard
// Base, 10.6; DWARF 4, 6.4), read for one return address and remembered as one word.
//
// An unwinder that follows every register would have to keep them all. Compilers find a frame from
// the stack pointer or the frame pointer, so these two are enough; a function that does otherwise
// ends the way.
#pragma once

#include <cstdint>

namespace detshim {

/// Of one return address. Offsets are in words of 8 bytes. CFA: the stack pointer in the caller,
/// before the call.
struct CfiRule {
  enum class Cfa : uint64_t {
    none, ///< the outermost frame, or one that cannot be left
    stack_pointer,
    frame_pointer,
    loaded, ///< it is kept at frame pointer + offset, in functions that align their stack
  };
  enum class Kept : uint64_t { unchanged, at_cfa, at_frame_pointer };

  Cfa cfa : 2;
  Kept frame_pointer : 2; ///< where the caller's is
  int64_t cfa_offset : 20;
  int64_t frame_pointer_offset : 20;
  int64_t return_offset : 20; ///< where its return address is, from the CFA
};
static_assert(sizeof(CfiRule) == sizeof(uint64_t));

/// The rule for a frame in which a call returns to `address`. Takes no lock where libc is
/// glibc 2.35 or later; what was asked before is an array's entry.
CfiRule cfi_rule(uintptr_t address);

/// An object was unloaded: another one may get its addresses.
void forget_cfi_rules();
/// How often that was.
uint32_t cfi_rules_forgotten();

} // namespace detshim
