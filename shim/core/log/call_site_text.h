// Places of calls, as records name them. With the log's lock held.
#pragma once

#include "core/base/native_frames.h"
#include "core/log/line.h"
#include "core/python/frames.h"

namespace detshim {

/// Before the first call from an object: which build of it this is. Of the caller and of the frames
/// behind. What is `held` is written together with the next line (log_file::write).
void write_builds(const void* caller, const NativeFrames& frames, bool held = true);

/// Where a call came from: module and offset, which address-space randomisation does not change.
void add_call_site(Line& line, const void* caller);

/// Who called the caller: each frame as in add_call_site(), without the path where it is that of
/// the frame before. As many as leave room for the rest of the line.
void add_frames(Line& line, const void* caller, const NativeFrames& frames);

} // namespace detshim
