// How two runs differ, in words.
#pragma once

#include "artifact_formats/compare.h"

#include <cstddef>
#include <string>

namespace detshim {

/// "'a' and 'b'": of long texts, what is about their first difference; safe to print.
std::string describe_pair(const std::string& one, const std::string& other, std::size_t longest);

/// "line 3: a and b; 2 of 10 lines differ"; safe to print.
std::string describe_difference(const ContentDifference& difference);

} // namespace detshim
