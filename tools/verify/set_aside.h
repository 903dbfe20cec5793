// What stood where outputs go, kept in a folder until it is put back: by the command that took it,
// or, if that was killed, by one that comes after it.
#pragma once

#include "verify/folder.h"

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <sys/stat.h>

namespace detshim {

/// All paths are absolute and lead through no link; what has become a link since is left alone.
class SetAside {
public:
  struct OldFolder {
    struct stat status;
    bool is_mount_point;
    bool is_ours; ///< its times are given back too
  };
  struct File {
    std::filesystem::path from, to; ///< `to` within the folder that keeps them
  };

  SetAside() = default;
  ~SetAside();
  SetAside(const SetAside&) = delete;
  SetAside& operator=(const SetAside&) = delete;

  /// Moves the files to `keeper`, after a journal is there that reports it. Folders are remembered.
  /// Throws UsageError; what was moved by then is known.
  void take(const std::filesystem::path& keeper, std::map<std::filesystem::path, OldFolder> folders,
            const std::vector<File>& files);

  /// Makes folders that were there and are gone, and gives all of them their modes, owners and
  /// times back. Returns why one is not there again; empty if all are. Not safe to print.
  std::string restore_folders();

  const std::map<std::filesystem::path, OldFolder>& folders() const { return folders_; }

  /// True if a file system has come between: what was there before is not what is there now.
  bool is_mounted_over(std::filesystem::path path) const;

  /// From take() to the first put_back().
  bool is_holding() const { return journal_ >= 0; }

  /// Moves all back; what is in its place goes to `folder_of_late`. Returns how many such files
  /// there were. Throws UsageError, with where they are, if some could not be moved: all others are
  /// back then.
  std::size_t put_back(const std::filesystem::path& folder_of_late);

  enum class Found {
    nothing,
    at_work, ///< that command is alive: nothing was done
    left,    ///< a line says what was done
  };

  /// Puts back what a command that was killed has left in `folder`, where its runs are kept, and
  /// reports that on stderr. Does nothing if nothing was left, if it is another user's, or if
  /// that command is alive. A journal that was copied, and a folder that is not the one it names,
  /// are left alone, and a line reports it. Throws UsageError if something could not be put back,
  /// or while what that command ran still runs.
  static Found recover(const std::filesystem::path& folder);

  /// True if recover() may find something there.
  static bool may_be_left_in(const std::filesystem::path& folder);

private:
  struct LateFiles;

  bool open_journal(const Folder& keeper);
  bool lock_journal() const;
  void refuse_while_program_runs(const std::filesystem::path& folder) const;
  void say_what_is_elsewhere() const;
  void recover_files(const std::filesystem::path& late);
  void remove_new_folders() const;
  void make_missing_folders();
  void clear_folders(LateFiles& late) const;
  void put_file_back(const File& file, LateFiles& late) const;
  void write_journal(const std::vector<File>& files);
  bool read_journal();
  void leave_what_is_elsewhere();
  void append(const std::string& text) const;
  static void give_back(const Folder& folder, const OldFolder& old);

  std::filesystem::path keeper_, here_;
  std::string keeper_identity_; ///< as the journal has it
  std::map<std::filesystem::path, OldFolder> folders_;
  std::vector<File> files_; ///< that are there now
  std::size_t elsewhere_ = 0;
  int journal_ = -1; ///< locked while it is open
};

} // namespace detshim
