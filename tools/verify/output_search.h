// What the user's globs lead to. Links to folders are followed as they stood when the search began,
// and never as they stand later, and so with mounts: what a program does with links leads nowhere
// else.
#pragma once

#include "verify/folder.h"

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <sys/stat.h>

namespace detshim {

/// All paths but names are absolute, and lead through no link.
struct FoundOutputs {
  struct File {
    std::string name;               ///< as the user's glob has it, from the working directory
    std::filesystem::path path;     ///< where it lies
    std::set<std::size_t> patterns; ///< that match it
  };
  struct PassedFolder {
    struct stat status;
    bool is_mount_point;
    bool is_ours = false; ///< an output, or on the way to one within the working directory
    bool is_output = false;
    bool holds_outputs = false;          ///< files in it may be outputs
    std::string empty_name = {};         ///< as a file's, of an output that holds nothing
    std::set<std::size_t> patterns = {}; ///< that match that
  };
  std::vector<File> files; ///< by their names
  std::map<std::filesystem::path, PassedFolder> folders;
  std::vector<std::filesystem::path>
      new_links; ///< that a glob matches, and that lead out of `folders`
  std::vector<std::filesystem::path> new_mounts;
};

class OutputSearch {
public:
  /// `patterns` as in glob(7); a folder, or a link to one that is named without wildcards, means
  /// all files in it. Nothing in `own_folder` is found. Throws UsageError where a link must not
  /// be followed: one that another user has made to a folder that is not that user's.
  OutputSearch(std::vector<std::string> patterns, const std::filesystem::path& own_folder);

  const std::vector<std::string>& patterns() const { return patterns_; }
  const std::filesystem::path& here() const { return here_; }

  /// The patterns, and where links lead to, what is behind them: for who must know of the same
  /// files.
  std::vector<std::string> all_patterns() const;

  /// True if a file of that path, which leads through no link, is one of the outputs or would be.
  bool would_find(const std::filesystem::path& file) const;

  /// Throws UsageError if a folder cannot be read.
  FoundOutputs find() const;

  /// A link that does not lead any more where it led.
  std::optional<std::filesystem::path> changed_link() const;

private:
  class Walk;
  void note_link(const std::filesystem::path& link, const std::string& pattern);

  std::vector<std::string> patterns_, behind_links_;
  std::filesystem::path here_;
  struct stat own_;
  std::map<std::filesystem::path, std::filesystem::path> links_; ///< to where they lead
  std::set<std::filesystem::path> mounts_;
};

} // namespace detshim
