// The files that a program writes, by the user's globs: moved aside after each run, so that none is
// taken for the next one's; what stood there before comes back at the end.
#pragma once

#include "verify/output_search.h"
#include "verify/set_aside.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace detshim {

/// One file of a run.
struct OutputFile {
  enum Kind {
    regular,
    link,   ///< compared by its text
    other,  ///< a pipe, a socket, a device
    folder, ///< an empty one: not moved
  };
  std::string name;             ///< as seen from the working directory
  std::filesystem::path stored; ///< where it is now
  Kind kind = regular;
  std::string target;             ///< of a link
  bool leads_outside = false;     ///< of a link: to a file that no output names
  std::set<std::size_t> patterns; ///< that match it
  std::uint64_t size = 0;

  bool holds_something() const { return size > 0 || (kind != regular && kind != folder); }
};

/// True if next to nothing fits there, or no further file.
bool is_full(const std::filesystem::path& folder);

class Outputs {
public:
  /// `own_folder` is where files go that are met in the place of others in the end.
  Outputs(const OutputSearch& search, std::filesystem::path own_folder)
      : search_(search), own_folder_(std::move(own_folder)) {}

  /// Puts back what put_aside() took, if put_back() was not called.
  ~Outputs();
  Outputs& operator=(Outputs&&) = delete; // neither copied nor moved

  /// Moves what stands there now to `folder`, until put_back().
  void put_aside(const std::filesystem::path& folder);

  /// A folder in which there is no room for outputs, or where the working directory has none. To be
  /// asked before take(), which may make room.
  std::optional<std::filesystem::path> full_disk() const;

  /// Moves what a run has made to `folder`; folders are as before the run then. What is behind
  /// links that the run has made stays where it is.
  std::vector<OutputFile> take(const std::filesystem::path& folder);

  /// Why take() may have left some of it; empty if it has all. Not safe to print.
  const std::string& left_alone() const { return left_alone_; }

  /// True if something stands there: written after the run had ended.
  bool has_any() const { return !search_.find().files.empty(); }

  /// Moves back what stood there before. What is in its place goes to `folder`; returns how many
  /// such files there were.
  std::size_t put_back(const std::filesystem::path& folder) { return aside_.put_back(folder); }

private:
  void remove_new_folders(const FoundOutputs& moved) const;
  void restore_folders(const FoundOutputs& outputs);

  const OutputSearch& search_;
  SetAside aside_;
  std::filesystem::path own_folder_;
  std::string left_alone_;
};

} // namespace detshim
