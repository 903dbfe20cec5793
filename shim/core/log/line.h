// What the parts that write lines of the log have in common.
#pragma once

#include "common/text.h"
#include "core/base/modules.h"

#include <cstddef>

namespace detshim {

/// One line, in log_file::line_room.
using Line = TextWriter;

inline void add_text(Line& line, const char* key, const char* text, size_t limit = 512) {
  line.add(",\"").add(key).add("\":\"").add_json(text, limit).add('"');
}

/// Adds the object's build id in hexadecimal; nothing where it has none.
inline void add_build_id(Line& line, const Module& module) {
  size_t length = 0;
  const unsigned char* id = build_id(module, length);
  for (size_t i = 0; id != nullptr && i < length; ++i) line.add_hex(id[i], 2);
}

} // namespace detshim
