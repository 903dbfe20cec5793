// What a verdict is made of.
#pragma once

#include "log_reader/log.h"
#include "log_reader/summary.h"
#include "verdict/loaded_code.h"

#include <algorithm>
#include <string>

namespace detshim {

struct VerdictInputs {
  const Log& log;
  const Summary& summary;
  const LoadedCode& code;
};

template <typename Range, typename Value>
bool contains(const Range& range, const Value& value) {
  return std::ranges::find(range, value) != range.end();
}

/// The file of "/usr/bin/train+0x11b9".
inline std::string file_of_place(const std::string& at) { return at.substr(0, at.rfind("+0x")); }

} // namespace detshim
