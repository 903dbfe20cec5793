#include "verdict/script_files.h"

#include <filesystem>
#include <system_error>
#include <vector>

namespace detshim {
namespace {

namespace fs = std::filesystem;

std::string first_that_is_there(const std::vector<fs::path>& files) {
  std::error_code failed;
  for (const fs::path& file : files)
    if (fs::is_regular_file(file, failed)) return file.string();
  return {};
}

} // namespace

std::string find_script(const Log& log, const Start& start, const std::string& name) {
  const std::string& folder_of_process = start.working_directory;
  if (fs::path(name).is_absolute()) return first_that_is_there({name});
  if (!folder_of_process.empty()) return first_that_is_there({fs::path(folder_of_process) / name});
  std::error_code failed;
  const fs::path folder = fs::absolute(log.folder, failed).lexically_normal();
  return first_that_is_there({name, folder.parent_path() / name, folder.parent_path().parent_path() / name});
}

std::string find_script(const Log& log, const std::string& name) {
  for (const Process& process : log.processes)
    for (const Start& start : process.starts)
      if (std::string file = find_script(log, start, name); !file.empty()) return file;
  return {};
}

} // namespace detshim
