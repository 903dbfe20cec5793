// What the parts that write lines of the log have in common.
#pragma once

#include "common/sys.h"
#include "common/text.h"
#include "core/base/modules.h"

#include <cstddef>
#include <cstdint>
#include <ctime>

namespace detshim {

/// One line, in log_file::line_room.
using Line = TextWriter;

inline void add_text(Line& line, const char* key, const char* text, size_t limit = 512) {
  line.add(",\"").add(key).add("\":\"").add_json(text, limit).add('"');
}

/// When the line is written, for a reader's strip in time: it decides nothing, and is never compared. By
/// system call, since a program may answer for clock_gettime itself.
inline void add_time(Line& line) {
  timespec now = {};
  sys::call(SYS_clock_gettime, CLOCK_MONOTONIC, sys::address(&now));
  constexpr uint64_t nanoseconds = 1'000'000'000;
  line.add(",\"time\":\"")
      .add(static_cast<uint64_t>(now.tv_sec) * nanoseconds + static_cast<uint64_t>(now.tv_nsec))
      .add('"');
}

/// Adds the object's build id in hexadecimal; nothing where it has none.
inline void add_build_id(Line& line, const Module& module) {
  size_t length = 0;
  const unsigned char* id = build_id(module, length);
  for (size_t i = 0; id != nullptr && i < length; ++i) line.add_hex(id[i], 2);
}

} // namespace detshim
