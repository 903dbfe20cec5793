#include "log_diff/run_place.h"

#include "log_reader/log.h"

#include <cstddef>
#include <filesystem>
#include <system_error>

namespace detshim {

RunPlace find_run(const std::string& name) {
  std::error_code error;
  if (std::filesystem::is_directory(name, error)) return {name, std::nullopt};
  const std::size_t slash = name.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : name.substr(0, slash);
  const std::string run = slash == std::string::npos ? name : name.substr(slash + 1);
  if (run.empty() || record_files(folder).empty()) return {name, std::nullopt};
  return {folder, run};
}

} // namespace detshim
