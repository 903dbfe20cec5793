// A folder by a descriptor. No link is followed on the way to it, so what others put there
// meanwhile leads nowhere else, whoever runs this. And files that are moved between such folders,
// without ever losing or overwriting one.
#pragma once

#include "support/files.h"

#include <optional>
#include <string>
#include <vector>

#include <sys/stat.h>

namespace detshim {

class Folder {
public:
  /// `path` is absolute. With `makes_it`, parts that are missing are made.
  explicit Folder(const std::filesystem::path& path, bool makes_it = false);
  Folder(const Folder& parent, const std::string& name);

  bool is_open() const { return static_cast<bool>(descriptor_); }
  /// Why it is not open, with the part of its path that is to blame. Not safe to print.
  std::string why_not() const;
  bool is_missing() const;

  const std::filesystem::path& path() const { return path_; }
  int descriptor() const { return descriptor_.number(); } ///< of O_PATH
  /// A name by which calls reach it that take no such descriptor.
  std::string open_name() const;

  /// Of the folder itself.
  struct stat status() const;
  /// Something is mounted there, be it another folder of the same file system. False before
  /// Linux 5.8.
  bool is_mount_point() const;
  /// Of what stands there, be it a link; nothing if there is nothing.
  std::optional<struct stat> status(const std::string& name) const;
  /// What a link says; nothing if there is no link.
  std::optional<std::string> link_text(const std::string& name) const;
  /// All that is in it, in order; nothing, and errno, if it cannot be read.
  std::optional<std::vector<std::string>> names() const;

private:
  void step(const std::string& name, bool makes_it);

  OwnedDescriptor descriptor_;
  int error_ = 0;
  std::filesystem::path path_, failed_at_;
};

bool is_below(const std::filesystem::path& path, const std::filesystem::path& folder);

/// Moves a file, a symbolic link or a special file, to another file system too; makes the folders
/// that `to` needs. Both are absolute, and lead through no link. Throws UsageError if it cannot, or
/// if something stands there; then `from` is as it was.
void move_file(const std::filesystem::path& from, const std::filesystem::path& to);

} // namespace detshim
