// Records of the files that a process has loaded.
#pragma once

#include "common/text.h"

#include <cstdint>

namespace detshim {

/// The text behind a text that is closed by a zero.
inline const char* after_text(const char* text) { return text + text_length(text) + 1; }

/// Writes down files, of each its path and its build id, both closed by a zero. `set`: what other
/// processes may refer to; 0 for none. With the log's lock held, and its file open.
void write_modules(const char* begin, const char* end, uint64_t set);

} // namespace detshim
