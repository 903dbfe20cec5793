// Whose code a line of source, or a file of machine code, is: the user's, or that of a library
// which the user called.
#pragma once

#include <string_view>

namespace detshim {

/// True for a source of the system, of a toolkit or of a package, and for a header of a library
/// that is known to wrap others (cudnn_frontend, Thrust, Boost …).
bool is_library_source(std::string_view file);

/// True for a file that a distribution, a toolkit or a package brought.
bool is_library_file(std::string_view file);

} // namespace detshim
