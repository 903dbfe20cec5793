// The sentences behind the reason codes of a log (common/reasons.h). No decision reads them.
#pragma once

#include "common/reasons.h"

#include <string>
#include <string_view>

namespace detshim {

/// The reason that a log's code represents; Reason::none for a code that this version does not
/// know.
Reason reason_of(std::string_view code);

/// What the code says to a person; the code itself where this version does not know it.
std::string text_of_code(std::string_view code);

/// What a person can do about it; "" where nothing is said.
std::string remedy_of_code(std::string_view code);

} // namespace detshim
