// What a verdict is made of.
#pragma once

#include "log_reader/log.h"
#include "log_reader/summary.h"
#include "support/lists.h"
#include "support/reason_texts.h"
#include "verdict/loaded_code.h"

#include <algorithm>
#include <initializer_list>
#include <string>

namespace detshim {

struct VerdictInputs {
  const Log& log;
  const Summary& summary;
  const LoadedCode& code;
};

/// True if a record of the symbol has one of those reasons.
inline bool has_reason(const SymbolSummary& symbol, std::initializer_list<Reason> reasons) {
  return std::ranges::any_of(symbol.reasons,
                             [&](const std::string& code) { return contains(reasons, reason_of(code)); });
}

/// The file of "/usr/bin/train+0x11b9".
inline std::string file_of_place(const std::string& at) { return at.substr(0, at.rfind("+0x")); }

} // namespace detshim
