// What the parts that write lines of the log have in common.
#pragma once

#include "common/record_schema.h"
#include "common/sys.h"
#include "common/text.h"
#include "core/base/modules.h"

#include <cstddef>
#include <cstdint>
#include <ctime>

namespace detshim {

/// One line, in log_file::line_room.
using Line = TextWriter;

/// When a record is written, for a reader's strip in time: it decides nothing, and is never
/// compared. In nanoseconds, by system call, since a program may answer for clock_gettime itself.
inline uint64_t record_time() {
  timespec now = {};
  sys::call(SYS_clock_gettime, CLOCK_MONOTONIC, sys::address(&now));
  constexpr uint64_t nanoseconds = 1'000'000'000;
  return static_cast<uint64_t>(now.tv_sec) * nanoseconds + static_cast<uint64_t>(now.tv_nsec);
}

/// Adds one entry of `env`: `was` is nullptr where the variable was unset.
inline void add_change(Line& line, const char* name, const char* was, const char* now) {
  line.add("{\"name\":\"").add(name).add('"');
  if (was != nullptr)
    line.add(",\"was\":\"").add_json(was, 200).add('"');
  line.add(",\"now\":\"").add_json(now, 300).add("\"}");
}

/// Adds the object's build id in hexadecimal; nothing where it has none.
inline void add_build_id(Line& line, const Module& module) {
  size_t length = 0;
  const unsigned char* id = build_id(module, length);
  for (size_t i = 0; id != nullptr && i < length; ++i)
    line.add_hex(id[i], 2);
}

} // namespace detshim
