// Which run of which log folder is meant.
#pragma once

#include <optional>
#include <string>

namespace detshim {

struct RunPlace {
  std::string folder;
  std::optional<std::string> run; ///< nothing: the newest in the folder
};

/// `name` is a log folder or, where a folder holds several runs, FOLDER/RUN.
RunPlace find_run(const std::string& name);

} // namespace detshim
