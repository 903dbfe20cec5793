// Moves a file without ever losing or overwriting one.
#pragma once

#include <filesystem>

namespace detshim {

/// Moves a file, a symbolic link or a special file, to another file system too; makes the folders that `to`
/// needs. Both are absolute, and lead through no link. Throws UsageError if it cannot, or if something stands
/// there; then `from` is as it was.
void move_file(const std::filesystem::path& from, const std::filesystem::path& to);

} // namespace detshim
