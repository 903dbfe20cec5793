// How the name of a process is made from that of another. The supervisor (tools/supervisor) names
// the processes that the library is not in by it.
#pragma once

#include "common/run_variable.h"
#include "common/text.h"

#include <cstdint>

namespace detshim {

// Labels of derivation, apart from all ordinals.
inline constexpr uint64_t label_wrapper = 0x7772617000000000;
inline constexpr uint64_t label_exec = 0x6578656300000000;
inline constexpr uint64_t label_unannounced = 0x756E616E00000000;
inline constexpr uint64_t label_hidden = 0x6869646400000000;
inline constexpr uint64_t label_event = 0x6576656E00000000;
inline constexpr uint64_t label_rest = 0x7265737400000000; ///< a thread that draws at its very end
inline constexpr uint64_t label_child = 0x6368696C00000000;
inline constexpr uint64_t label_command = 0x636F6D6D00000000;  ///< of a command line
inline constexpr uint64_t label_sighted = 0x7369676800000000;  ///< given by the supervisor, in its own order
inline constexpr uint64_t label_launcher = 0x6C61756E00000000; ///< a launcher that is a rank itself
inline constexpr uint64_t label_drawn_seed = 0x6472617700000000; ///< of a job, where the user gave none

/// Appends to a path; a long one is cut and closed with its key, which tells it apart all the same.
inline void extend_path(PathText& path, const char* separator, uint64_t ordinal, uint64_t key) {
  Text<sizeof(PathText) + 24> text;
  for (const char* c = path; *c != 0 && *c != '~'; ++c) text.add(*c);
  text.add(separator);
  if (ordinal != 0) text.add(ordinal);
  if (text.length() > 40 || contains(path, "~")) {
    text.shorten(40);
    text.add('~').add_hex(key, 16);
  }
  __builtin_memcpy(path, text.c_str(), text.length() + 1);
}

} // namespace detshim
