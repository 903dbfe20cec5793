#include "log_diff/run_place.h"

#include "log_reader/log.h"

#include <filesystem>

namespace detshim {

RunPlace find_run(const std::string& name) {
  std::error_code error;
  if (std::filesystem::is_directory(name, error)) return {name, std::nullopt};
  const std::filesystem::path path(name);
  const std::string folder = path.has_parent_path() ? path.parent_path().string() : ".";
  if (!path.has_filename() || record_files(folder).empty()) return {name, std::nullopt};
  return {folder, path.filename()};
}

} // namespace detshim
