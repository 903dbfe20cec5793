// Where the scripts lie that a run's processes named by paths of their own.
#pragma once

#include "log_reader/log.h"

#include <string>

namespace detshim {

/// The file that a process meant by `name`: an argument, or a file of Python's frames. A relative one lies
/// below its working directory; where the log does not say that, the folder above detshim-log and this one
/// are tried. Empty if there is none.
std::string find_script(const Log& log, const Start& start, const std::string& name);

/// The same for a name that some process of the run used.
std::string find_script(const Log& log, const std::string& name);

} // namespace detshim
