// What was found out about files, kept from one command to the next in $XDG_CACHE_HOME/detshim, or
// ~/.cache/detshim. Nothing depends on it: what is not there, cannot be read or was not written by this very
// program is found out anew, and a folder that cannot be written in is done without.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

struct stat;

namespace detshim {

class FileCache {
public:
  /// `maker`: what else the results depend on, such as the versions of libraries. This program's own version
  /// and file always count.
  explicit FileCache(const std::string& maker);

  /// What was kept under `kind` for that file as it is now; nothing if there is none. The file is known by
  /// its name, inode, size, the times of its last write and its last change, and `build`, its build id: the
  /// last change (ctime) is not the user's to set, so a file that was written to since is another one.
  std::optional<std::string> find(std::string_view kind, const std::string& file, const struct stat& status,
                                  const std::string& build) const;

  /// Keeps it in place of what was kept for another file of that name. Not for a file that was changed just
  /// now: a further change might leave the same times.
  void keep(std::string_view kind, const std::string& file, const struct stat& status,
            const std::string& build, std::string_view result) const;

private:
  std::string entry(std::string_view kind, const std::string& file) const;
  std::string key(std::string_view kind, const std::string& file, const struct stat& status,
                  const std::string& build) const;

  std::string folder_, maker_; ///< without a folder, nothing is kept
};

} // namespace detshim
