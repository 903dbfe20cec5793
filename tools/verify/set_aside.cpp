// Decides which of the user's files are put back, and where. After a kill the journal tells. It
// counts only if this user alone can have written it, if its folder is the very one that it names,
// and if no command holds it locked. A file goes back into the folder that it came from, by device
// and inode, or below the working directory if that is still the same. What is in its place is
// moved away, and not deleted.
//
// It cannot know who wrote what is in the way, nor whether a copy without its mark in the journal
// is whole: then the original stays.
#include "verify/set_aside.h"

#include "support/exit_status.h"
#include "support/wording.h"
#include "verify/run_processes.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace detshim {
namespace {

// The journal: texts, each ended by a null. What is to be moved stands there before anything is;
// then a mark for each that was, in order. One without its mark may be a copy that is not whole.
constexpr const char* journal_name = "journal";
constexpr const char* keeper_name = "before";
constexpr const char* keeper_mark = "keeper";
constexpr const char* here_mark = "here";
constexpr const char* folder_mark = "folder";
constexpr const char* file_mark = "file";
constexpr const char* moved_mark = "moved";

bool is_there(const fs::path& path) {
  const Folder folder(path.parent_path());
  return folder.is_open() && folder.status(path.filename()).has_value();
}

/// A copy has another: it cannot be made to have this one.
std::string identity(const Folder& folder) {
  struct statx status = {};
  ::statx(folder.descriptor(), "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &status);
  std::ostringstream text;
  text << status.stx_dev_major << ' ' << status.stx_dev_minor << ' ' << status.stx_ino << ' '
       << status.stx_btime.tv_sec << ' ' << status.stx_btime.tv_nsec;
  return text.str();
}

/// Nobody else can have written in it, or put it there.
bool is_ours_alone(const struct stat& status) {
  return status.st_uid == ::geteuid() && (status.st_mode & 022) == 0;
}

/// Not safe to print.
std::string mounted_over(const fs::path& folder) {
  return "'" + folder.string() + "': something was mounted where a folder was";
}

/// By what the kernel knows it: its name says nothing.
bool is_it(const Folder& folder, const SetAside::OldFolder& old) {
  const struct stat now = folder.status();
  return folder.is_open() && now.st_dev == old.status.st_dev && now.st_ino == old.status.st_ino;
}

/// Moves what stands there; of a folder, the files, since not all of it need be on one file system.
void clear(const fs::path& from, const fs::path& to) {
  const Folder folder(from);
  if (!folder.is_open()) {
    move_file(from, to);
    return;
  }
  if (folder.is_mount_point())
    throw UsageError("cannot move " + printable(mounted_over(from)));
  for (const std::string& name : folder.names().value_or(std::vector<std::string>()))
    clear(from / name, to / name);
  if (::unlinkat(Folder(from.parent_path()).descriptor(), from.filename().c_str(), AT_REMOVEDIR) !=
      0)
    throw UsageError("cannot remove " + in_quotes(from.string()) + ": " + std::strerror(errno));
}

} // namespace

/// Where files go that stand in the place of others.
struct SetAside::LateFiles {
  const fs::path& folder;
  std::size_t number = 0; ///< of the place that was given last
  std::size_t count = 0;  ///< so many were moved

  /// What an interrupted command has put there stays.
  fs::path next_place(const fs::path& name) {
    fs::path path;
    do
      path = folder / std::to_string(++number) / name;
    while (is_there(path));
    return path;
  }
};

SetAside::~SetAside() {
  if (is_holding())
    ::close(journal_);
}

void SetAside::append(const std::string& text) const {
  if (const int error = write_all(journal_, text); error != 0)
    throw UsageError("cannot write in " + in_quotes(keeper_.string()) + ": " +
                     std::strerror(error));
}

void SetAside::write_journal(const std::vector<File>& files) {
  const Folder keeper(keeper_, true);
  if (keeper.is_open() && ::chmod(keeper.open_name().c_str(), 0700) == 0)
    journal_ = ::openat(keeper.descriptor(), journal_name,
                        O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (journal_ < 0)
    throw UsageError("cannot write in " + in_quotes(keeper_.string()) + ": " +
                     std::strerror(errno));
  ::flock(journal_, LOCK_EX | LOCK_NB);
  std::ostringstream text;
  text << keeper_mark << '\0' << identity(keeper) << '\0' << here_mark << '\0'
       << fs::current_path().string() << '\0';
  for (const auto& [path, old] : folders_) {
    const struct stat& status = old.status;
    text << folder_mark << '\0' << path.string() << '\0' << status.st_dev << ' ' << status.st_ino
         << ' ' << status.st_mode << ' ' << status.st_uid << ' ' << status.st_gid << ' '
         << status.st_atim.tv_sec << ' ' << status.st_atim.tv_nsec << ' ' << status.st_mtim.tv_sec
         << ' ' << status.st_mtim.tv_nsec << ' ' << old.is_ours << ' ' << old.is_mount_point
         << '\0';
  }
  for (const File& file : files)
    text << file_mark << '\0' << file.from.string() << '\0' << file.to.string() << '\0';
  append(text.str());
  ::fdatasync(journal_);
}

bool SetAside::read_journal() {
  std::string text = read_all(journal_);
  text.erase(
      text.rfind('\0') == std::string::npos ? 0 : text.rfind('\0') + 1); // a kill may have cut it
  std::istringstream input(text);
  const auto next = [&input] {
    std::string entry;
    std::getline(input, entry, '\0');
    return entry;
  };
  std::size_t moved = 0;
  for (std::string mark = next(); input; mark = next()) {
    if (mark == keeper_mark) {
      keeper_identity_ = next();
    } else if (mark == here_mark) {
      here_ = next();
    } else if (mark == folder_mark) {
      const fs::path path = next();
      OldFolder old = {};
      struct stat& status = old.status;
      std::istringstream numbers(next());
      numbers >> status.st_dev >> status.st_ino >> status.st_mode >> status.st_uid >>
          status.st_gid >> status.st_atim.tv_sec >> status.st_atim.tv_nsec >>
          status.st_mtim.tv_sec >> status.st_mtim.tv_nsec >> old.is_ours;
      const bool is_whole = !numbers.fail();
      numbers >> old.is_mount_point; // earlier versions do not say
      if (is_whole)
        folders_.emplace(path, old);
    } else if (mark == file_mark) {
      const fs::path from = next(), to = next();
      if (input)
        files_.push_back({from, to});
    } else {
      ++moved;
    }
  }
  std::size_t number = 0;
  std::erase_if(files_, [&](const File& file) {
    const bool is_moved = number++ < moved;
    return !is_there(keeper_ / file.to) || (!is_moved && is_there(file.from));
  });
  return !files_.empty();
}

void SetAside::leave_what_is_elsewhere() {
  const bool is_kept_here = identity(Folder(keeper_)) == keeper_identity_;
  const auto here = folders_.find(here_);
  const bool is_here = here != folders_.end() && is_it(Folder(here->first), here->second);
  std::erase_if(folders_, [&](const auto& entry) { // a program may have made one below `here_` anew
    return !is_kept_here ||
           !(is_it(Folder(entry.first), entry.second) || (is_here && is_below(entry.first, here_)));
  });
  elsewhere_ = std::erase_if(files_, [&](const File& file) {
    return !folders_.contains(file.from.parent_path());
  });
}

bool SetAside::is_mounted_over(fs::path path) const {
  for (;; path = path.parent_path()) {
    const auto old = folders_.find(path);
    const Folder now(path);
    if (old != folders_.end() && now.is_open() &&
        (now.status().st_dev != old->second.status.st_dev ||
         (now.is_mount_point() && !old->second.is_mount_point)))
      return true;
    if (!path.has_relative_path())
      return false;
  }
}

void SetAside::take(const fs::path& keeper, std::map<fs::path, OldFolder> folders,
                    const std::vector<File>& files) {
  keeper_ = keeper;
  folders_ = std::move(folders);
  if (files.empty())
    return;
  write_journal(files);
  for (const File& file : files) {
    move_file(file.from, keeper_ / file.to);
    files_.push_back(file);
    append(std::string(moved_mark) + '\0');
  }
  ::fdatasync(journal_);
}

/// Only to the very folder: another, renamed there meanwhile, may be somebody else's.
void SetAside::give_back(const Folder& folder, const OldFolder& old) {
  if (!is_it(folder, old))
    return;
  const std::string name = folder.open_name();
  const struct stat now = folder.status();
  if (now.st_uid != old.status.st_uid || now.st_gid != old.status.st_gid) [[maybe_unused]]
    const int owner = ::chown(name.c_str(), old.status.st_uid, old.status.st_gid);
  if (folder.status().st_mode != old.status.st_mode) // chown may have changed it
    ::chmod(name.c_str(), old.status.st_mode & 07777);
  if (!old.is_ours)
    return;
  const timespec times[] = {old.status.st_atim, old.status.st_mtim};
  ::utimensat(AT_FDCWD, name.c_str(), times, 0);
}

/// What stands where a folder of before stood, and is another one. Those that are empty go.
void SetAside::remove_new_folders() const {
  std::vector<fs::path>
      anew; // and what is in one made anew, though it may have got the old one's number
  for (const auto& [path, old] : folders_) {
    const Folder now(path);
    const bool is_old =
        is_it(now, old) && std::ranges::find(anew, path.parent_path()) == anew.end();
    if (now.is_open() && !is_mounted_over(path) && !is_old)
      anew.push_back(path);
  }
  for (auto at = anew.rbegin(); at != anew.rend(); ++at) // the innermost first
    ::unlinkat(Folder(at->parent_path()).descriptor(), at->filename().c_str(), AT_REMOVEDIR);
}

void SetAside::make_missing_folders() {
  for (auto& [path, old] : folders_) {
    if (is_mounted_over(path) || !Folder(path).is_missing())
      continue;
    const Folder made(path, true);
    const struct stat status = made.status();
    if (status.st_uid != ::geteuid() || made.names() != std::vector<std::string>())
      continue; // swapped meanwhile
    old.status.st_dev = status.st_dev;
    old.status.st_ino = status.st_ino;
    old.is_ours = true;
  }
}

std::string SetAside::restore_folders() {
  remove_new_folders();
  make_missing_folders();
  std::string why_not;
  for (const auto& [path, old] :
       folders_) { // the outermost first: what is in it can be reached then
    const Folder folder(path);
    const bool is_other = is_mounted_over(path);
    if (folder.is_open() && !is_other)
      give_back(folder, old);
    else if (why_not.empty())
      why_not = is_other ? mounted_over(path) : folder.why_not();
  }
  return why_not;
}

/// Moves files away that stand where a folder stood: a run that was killed made them.
void SetAside::clear_folders(LateFiles& late) const {
  for (const auto& [path, old] : folders_) {
    const Folder parent(path.parent_path());
    const auto status = parent.is_open() ? parent.status(path.filename()) : std::nullopt;
    if (!status || !S_ISREG(status->st_mode) || is_mounted_over(path))
      continue;
    try {
      move_file(path, late.next_place(path.filename()));
      ++late.count;
    } catch (const UsageError&) { // moving the files that were in it fails too, and is told
    }
  }
}

/// Throws UsageError where it cannot be moved.
void SetAside::put_file_back(const File& file, LateFiles& late) const {
  if (is_mounted_over(file.from.parent_path()))
    throw UsageError("cannot move to " + in_quotes(file.from.string()) + ": " +
                     printable(mounted_over(file.from.parent_path())));
  if (is_there(file.from)) {
    clear(file.from, late.next_place(file.from.filename()));
    ++late.count;
  }
  move_file(keeper_ / file.to, file.from);
}

std::size_t SetAside::put_back(const fs::path& folder_of_late) {
  LateFiles late{folder_of_late};
  if (is_holding())
    clear_folders(late);
  restore_folders();
  std::string first_failure;
  std::size_t left = 0;
  for (; !files_.empty(); files_.pop_back()) {
    try {
      put_file_back(files_.back(), late);
    } catch (const UsageError& error) {
      if (++left == 1)
        first_failure = error.what();
    }
  }
  restore_folders();
  if (left + elsewhere_ == 0 && is_holding())
    ::unlinkat(Folder(keeper_).descriptor(), journal_name, 0);
  if (is_holding())
    ::close(std::exchange(journal_, -1));
  if (left > 0) // the journal knows of them
    throw UsageError(first_failure + "; " + counted(left, "file") + " that stood there before " +
                     (left == 1 ? "is" : "are") + " in " + in_quotes(keeper_.string()));
  return late.count;
}

bool SetAside::may_be_left_in(const fs::path& folder) {
  return is_there(folder / keeper_name / journal_name);
}

bool SetAside::open_journal(const Folder& keeper) {
  if (!keeper.is_open() || !is_ours_alone(keeper.status()))
    return false;
  keeper_ = keeper.path();
  journal_ =
      ::openat(keeper.descriptor(), journal_name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  struct stat status = {};
  return journal_ >= 0 && ::fstat(journal_, &status) == 0 && is_ours_alone(status) &&
         S_ISREG(status.st_mode);
}

/// False while the command that wrote the journal is alive, or may be.
bool SetAside::lock_journal() const {
  if (::flock(journal_, LOCK_EX | LOCK_NB) == 0)
    return true;
  if (errno != EWOULDBLOCK)
    spdlog::warn(
        "what a command set aside may still be in {}: whether it is alive cannot be told ({})",
        in_quotes(keeper_.string()), std::strerror(errno));
  return false;
}

void SetAside::refuse_while_program_runs(const fs::path& folder) const {
  if (const std::optional<std::string> process = running_on(folder))
    throw UsageError("process " + printable(*process) +
                     " of a command that was killed still writes: end it, and " +
                     "`detshim verify --restore` puts back what was set aside in " +
                     in_quotes(keeper_.string()));
}

void SetAside::say_what_is_elsewhere() const {
  if (elsewhere_ > 0)
    spdlog::warn("{} in {} {} not put back: a folder was moved, copied or made anew since; remove "
                 "{} when you have what you need",
                 counted(elsewhere_, "file"), in_quotes(keeper_.string()),
                 elsewhere_ == 1 ? "is" : "are", in_quotes((keeper_ / journal_name).string()));
}

/// Puts all files back, and tells the user.
void SetAside::recover_files(const fs::path& late) {
  const std::size_t count = files_.size();
  std::size_t met = 0;
  try {
    met = put_back(late);
  } catch (const UsageError& error) {
    throw UsageError(std::string(error.what()) +
                     ", set aside by an earlier command: put it back and remove " +
                     in_quotes((keeper_ / journal_name).string()));
  }
  const std::string meanwhile = met == 0 ? ""
                                         : fmt::format("; {} that stood there meanwhile: in {}",
                                                       met, in_quotes(late.string()));
  spdlog::info("{} put back that an earlier command had set aside in {}{}", counted(count, "file"),
               in_quotes(keeper_.string()), meanwhile);
}

SetAside::Found SetAside::recover(const fs::path& folder) {
  const Folder runs(folder);
  if (!runs.is_open())
    return Found::nothing;
  const Folder keeper(runs, keeper_name);
  SetAside left;
  if (!left.open_journal(keeper))
    return Found::nothing;
  if (!left.lock_journal())
    return Found::at_work;
  if (!left.read_journal()) {
    ::unlinkat(keeper.descriptor(), journal_name, 0);
    return Found::nothing;
  }
  left.refuse_while_program_runs(folder);
  left.leave_what_is_elsewhere();
  left.say_what_is_elsewhere();
  if (left.files_.empty())
    return left.elsewhere_ > 0 ? Found::left : Found::nothing;
  left.recover_files(folder / "unfinished");
  return Found::left;
}

} // namespace detshim
