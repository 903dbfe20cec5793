// The native frames behind a call: who called the function that called a hook, and so on outwards.
// Found by the unwinder's tables, so it does not matter how code was compiled, nor whether it has
// debug information; code made at run time, which has no tables that we could read, ends the way.
//
// Memory is read only where it is. The first thread's stack is known; of another thread's each page
// is tried once, and of a stack that may go away before its thread does (a coroutine's, a signal
// handler's) each time.
#pragma once

#include <cstdint>

namespace detshim {

/// Return addresses, innermost first, without the caller's own. Where a function calls itself, the
/// same address again is left out.
struct NativeFrames {
  static constexpr int limit = 32;
  uintptr_t addresses[limit];
  int count = 0;
};

/// Finds the frames behind that of `caller`, a return address into the code that called the hook
/// that calls this, at most `most` of them. None where it is no such.
void find_native_frames(const void* caller, NativeFrames& frames, int most = NativeFrames::limit);

/// A number that tells those frames apart from others; 0 where there are none. Where the return
/// addresses lie that were found at the last such calls they are compared, which takes a fraction
/// of the way to find them.
uint64_t native_frames_key(const void* caller);

} // namespace detshim
