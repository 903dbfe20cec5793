// The parts of a call record by which records are sorted into processes and threads, found without parsing
// the line: of two equal runs no record has to be.
#pragma once

#include "log_reader/record.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace detshim {

struct QuickCall {
  std::uint64_t number = 0; ///< in its thread
  std::string_view thread;
  Action action = Action::none;
  std::string_view body; ///< all that is compared as it stands: from the library to the place
  std::optional<std::uint64_t> counter;
  std::uint64_t process = 0; ///< Line::process
};

/// Nothing for a line that is no call record, or not of the shape in which the library writes them.
std::optional<QuickCall> quick_call(std::string_view line);

} // namespace detshim
