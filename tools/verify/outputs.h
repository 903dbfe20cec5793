// The files that a program writes, by the user's globs: moved aside after each run, so that none is taken for
// the next one's; what stood there before comes back at the end.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <sys/stat.h>

namespace detshim {

/// One file of a run.
struct OutputFile {
  enum Kind {
    regular,
    link,     ///< to another output, or to nothing: compared by its text
    open_end, ///< a link to a file that is none of the outputs
    other,    ///< a pipe, a socket, a device
  };
  std::string name;             ///< as seen from the working directory
  std::filesystem::path stored; ///< where it is now
  Kind kind = regular;
  std::string target; ///< of a link
  std::size_t pattern = 0;
  std::uint64_t size = 0;
};

/// True if next to nothing fits there, or no further file.
bool is_full(const std::filesystem::path& folder);

class Outputs {
public:
  /// `patterns` as in glob(7), with {a,b}; a folder stands for all files in it. Files in `own_folder` are
  /// never outputs.
  Outputs(std::vector<std::string> patterns, const std::filesystem::path& own_folder);

  /// Puts back what put_aside() took, if put_back() was not called.
  ~Outputs();
  Outputs(const Outputs&) = delete;
  Outputs& operator=(const Outputs&) = delete;

  const std::vector<std::string>& patterns() const { return patterns_; }

  /// Moves what stands there now to `folder`, until put_back().
  void put_aside(const std::filesystem::path& folder);

  /// A folder in which there is no room for outputs, or where the working directory has none. To be asked
  /// before take(), which may make room.
  std::optional<std::filesystem::path> full_disk() const;

  /// Moves what a run has made to `folder`; folders are as before the run then.
  std::vector<OutputFile> take(const std::filesystem::path& folder);

  /// True if something stands there: written after the run had ended.
  bool has_any() const { return !find().empty(); }

  /// Moves back what stood there before. What is in its place goes to `folder`; returns how many such files
  /// there were.
  std::size_t put_back(const std::filesystem::path& folder);

private:
  struct Found {
    std::string name;
    std::filesystem::path path;
    std::size_t pattern;
  };
  struct OldFolder {
    struct stat status;
    bool is_ours; ///< its times are given back too
  };
  std::vector<Found> find() const;
  bool is_own(const std::filesystem::path& path) const;
  void note_folders();
  void remove_new_folders(const std::vector<Found>& moved) const;
  void make_old_folders();
  void restore_folders() const;

  std::vector<std::string> patterns_;
  std::filesystem::path own_folder_;
  std::map<std::filesystem::path, OldFolder> folders_; ///< that were there before the first run
  std::vector<std::pair<std::filesystem::path, std::filesystem::path>> aside_; ///< from, to
  std::filesystem::path last_folder_;
};

} // namespace detshim
