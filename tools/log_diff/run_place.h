// Which run of which log folder is meant.
#pragma once

#include "log_reader/log.h"

#include <filesystem>
#include <optional>
#include <string>

namespace detshim {

struct RunPlace {
  std::string folder;
  std::optional<std::string> run; ///< nothing: the newest in the folder
};

/// `name` is a log folder or, where a folder holds several runs, FOLDER/RUN.
inline RunPlace find_run(const std::string& name) {
  std::error_code error;
  if (std::filesystem::is_directory(name, error)) return {name, std::nullopt};
  const std::size_t slash = name.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : name.substr(0, slash);
  const std::string run = slash == std::string::npos ? name : name.substr(slash + 1);
  if (run.empty() || record_files(folder).empty()) return {name, std::nullopt};
  return {folder, run};
}

} // namespace detshim
