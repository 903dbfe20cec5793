// A file that is there whole or not at all.
#pragma once

#include <string>
#include <string_view>

namespace detshim {

/// Writes the text aside and puts it in the place of `file`. Throws UsageError where that cannot be: what was
/// there before is as it was.
void write_whole_file(const std::string& file, std::string_view text);

} // namespace detshim
