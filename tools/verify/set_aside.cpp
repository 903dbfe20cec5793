#include "verify/set_aside.h"

#include "support/exit_status.h"
#include "support/wording.h"

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

// The journal: texts, each ended by a null. What is to be moved stands there before anything is; then a mark
// for each that was, in order. One without its mark may be a copy that is not whole.
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
  struct statx its = {};
  ::statx(folder.descriptor(), "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &its);
  std::ostringstream text;
  text << its.stx_dev_major << ' ' << its.stx_dev_minor << ' ' << its.stx_ino << ' ' << its.stx_btime.tv_sec
       << ' ' << its.stx_btime.tv_nsec;
  return text.str();
}

/// Nobody else can have written in it, or put it there.
bool is_ours_alone(const struct stat& status) {
  return status.st_uid == ::geteuid() && (status.st_mode & 022) == 0;
}

/// Not safe to print.
std::string covered(const fs::path& folder) {
  return "'" + folder.string() + "': something was mounted where a folder was";
}

/// By what the kernel knows it: its name says nothing.
bool is_it(const Folder& folder, const SetAside::OldFolder& old) {
  const struct stat now = folder.status();
  return folder.is_open() && now.st_dev == old.status.st_dev && now.st_ino == old.status.st_ino;
}

/// Where the next late file goes: what an interrupted command has put there stays.
fs::path unused(const fs::path& late, std::size_t& number, const fs::path& name) {
  fs::path path;
  do path = late / std::to_string(++number) / name;
  while (is_there(path));
  return path;
}

/// Moves what stands there; of a folder, the files, since not all of it need be on one file system.
void clear(const fs::path& from, const fs::path& to) {
  const Folder folder(from);
  if (!folder.is_open()) {
    move_file(from, to);
    return;
  }
  if (folder.is_mount_point()) throw UsageError("cannot move " + printable(covered(from)));
  for (const std::string& name : folder.names().value_or(std::vector<std::string>()))
    clear(from / name, to / name);
  if (::unlinkat(Folder(from.parent_path()).descriptor(), from.filename().c_str(), AT_REMOVEDIR) != 0)
    throw UsageError("cannot remove " + in_quotes(from.string()) + ": " + std::strerror(errno));
}

} // namespace

SetAside::~SetAside() {
  if (is_holding()) ::close(journal_);
}

void SetAside::append(const std::string& text) const {
  if (const int error = write_all(journal_, text); error != 0)
    throw UsageError("cannot write in " + in_quotes(keeper_.string()) + ": " + std::strerror(error));
}

void SetAside::write_journal(const std::vector<File>& files) {
  const Folder keeper(keeper_, true);
  if (keeper.is_open() && ::chmod(keeper.open_name().c_str(), 0700) == 0)
    journal_ =
        ::openat(keeper.descriptor(), journal_name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (journal_ < 0)
    throw UsageError("cannot write in " + in_quotes(keeper_.string()) + ": " + std::strerror(errno));
  ::flock(journal_, LOCK_EX | LOCK_NB);
  std::ostringstream text;
  text << keeper_mark << '\0' << identity(keeper) << '\0' << here_mark << '\0' << fs::current_path().string()
       << '\0';
  for (const auto& [path, old] : folders_) {
    const struct stat& its = old.status;
    text << folder_mark << '\0' << path.string() << '\0' << its.st_dev << ' ' << its.st_ino << ' '
         << its.st_mode << ' ' << its.st_uid << ' ' << its.st_gid << ' ' << its.st_atim.tv_sec << ' '
         << its.st_atim.tv_nsec << ' ' << its.st_mtim.tv_sec << ' ' << its.st_mtim.tv_nsec << ' '
         << old.is_ours << ' ' << old.is_mount_point << '\0';
  }
  for (const File& file : files)
    text << file_mark << '\0' << file.from.string() << '\0' << file.to.string() << '\0';
  append(text.str());
  ::fdatasync(journal_);
}

bool SetAside::read_journal() {
  std::string text = read_all(journal_);
  text.erase(text.rfind('\0') == std::string::npos ? 0 : text.rfind('\0') + 1); // a kill may have cut it
  std::istringstream input(text);
  const auto next = [&input] {
    std::string one;
    std::getline(input, one, '\0');
    return one;
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
      struct stat& its = old.status;
      std::istringstream numbers(next());
      numbers >> its.st_dev >> its.st_ino >> its.st_mode >> its.st_uid >> its.st_gid >> its.st_atim.tv_sec >>
          its.st_atim.tv_nsec >> its.st_mtim.tv_sec >> its.st_mtim.tv_nsec >> old.is_ours;
      const bool is_whole = !numbers.fail();
      numbers >> old.is_mount_point; // earlier versions do not say
      if (is_whole) folders_.emplace(path, old);
    } else if (mark == file_mark) {
      const fs::path from = next(), to = next();
      if (input) files_.push_back({from, to});
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
  std::erase_if(folders_, [&](const auto& one) { // a program may have made one below `here_` anew
    return !is_kept_here ||
           !(is_it(Folder(one.first), one.second) || (is_here && is_below(one.first, here_)));
  });
  elsewhere_ =
      std::erase_if(files_, [&](const File& file) { return !folders_.contains(file.from.parent_path()); });
}

bool SetAside::is_covered(fs::path path) const {
  for (;; path = path.parent_path()) {
    const auto old = folders_.find(path);
    const Folder now(path);
    if (old != folders_.end() && now.is_open() &&
        (now.status().st_dev != old->second.status.st_dev ||
         (now.is_mount_point() && !old->second.is_mount_point)))
      return true;
    if (!path.has_relative_path()) return false;
  }
}

void SetAside::take(const fs::path& keeper, std::map<fs::path, OldFolder> folders,
                    const std::vector<File>& files) {
  keeper_ = keeper;
  folders_ = std::move(folders);
  if (files.empty()) return;
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
  if (!is_it(folder, old)) return;
  const std::string name = folder.open_name();
  const struct stat now = folder.status();
  if (now.st_uid != old.status.st_uid || now.st_gid != old.status.st_gid) [[maybe_unused]]
    const int owner = ::chown(name.c_str(), old.status.st_uid, old.status.st_gid);
  if (folder.status().st_mode != old.status.st_mode) // chown may have changed it
    ::chmod(name.c_str(), old.status.st_mode & 07777);
  if (!old.is_ours) return;
  const timespec times[] = {old.status.st_atim, old.status.st_mtim};
  ::utimensat(AT_FDCWD, name.c_str(), times, 0);
}

std::string SetAside::restore_folders() {
  std::vector<fs::path> anew; // and what is in one made anew, though it may have got the old one's number
  for (const auto& [path, old] : folders_) {
    const Folder now(path);
    const bool is_old = is_it(now, old) && std::ranges::find(anew, path.parent_path()) == anew.end();
    if (now.is_open() && !is_covered(path) && !is_old) anew.push_back(path);
  }
  for (auto at = anew.rbegin(); at != anew.rend(); ++at) // the innermost first
    ::unlinkat(Folder(at->parent_path()).descriptor(), at->filename().c_str(), AT_REMOVEDIR);
  for (auto& [path, old] : folders_) {
    if (is_covered(path) || !Folder(path).is_missing()) continue;
    const Folder made(path, true);
    const struct stat its = made.status();
    if (its.st_uid != ::geteuid() || made.names() != std::vector<std::string>())
      continue; // swapped meanwhile
    old.status.st_dev = its.st_dev;
    old.status.st_ino = its.st_ino;
    old.is_ours = true;
  }
  std::string why_not;
  for (const auto& [path, old] : folders_) { // the outermost first: what is in it can be reached then
    const Folder folder(path);
    const bool is_other = is_covered(path);
    if (folder.is_open() && !is_other)
      give_back(folder, old);
    else if (why_not.empty())
      why_not = is_other ? covered(path) : folder.why_not();
  }
  return why_not;
}

std::size_t SetAside::put_back(const fs::path& late) {
  std::size_t number = 0, met = 0;
  std::string first_failure;
  for (const auto& [path, old] : folders_) { // of a run that was killed
    const Folder parent(path.parent_path());
    const auto status = parent.is_open() ? parent.status(path.filename()) : std::nullopt;
    if (!is_holding() || !status || !S_ISREG(status->st_mode) || is_covered(path)) continue;
    try {
      move_file(path, unused(late, number, path.filename()));
      ++met;
    } catch (const UsageError&) { // the files that were in it will say so
    }
  }
  restore_folders();
  std::size_t left = 0;
  for (; !files_.empty(); files_.pop_back()) {
    const File& file = files_.back();
    try {
      if (is_covered(file.from.parent_path()))
        throw UsageError("cannot move to " + in_quotes(file.from.string()) + ": " +
                         printable(covered(file.from.parent_path())));
      if (is_there(file.from)) {
        clear(file.from, unused(late, number, file.from.filename()));
        ++met;
      }
      move_file(keeper_ / file.to, file.from);
    } catch (const UsageError& error) {
      if (++left == 1) first_failure = error.what();
    }
  }
  restore_folders();
  if (left + elsewhere_ == 0 && is_holding()) ::unlinkat(Folder(keeper_).descriptor(), journal_name, 0);
  if (is_holding()) ::close(std::exchange(journal_, -1));
  if (left > 0) // the journal knows of them
    throw UsageError(first_failure + "; " + counted(left, "file") + " that stood there before " +
                     (left == 1 ? "is" : "are") + " in " + in_quotes(keeper_.string()));
  return met;
}

bool SetAside::may_be_left_in(const fs::path& folder) {
  return is_there(folder / keeper_name / journal_name);
}

void SetAside::recover(const fs::path& folder) {
  const Folder runs(folder);
  if (!runs.is_open()) return;
  const Folder keeper(runs, keeper_name);
  if (!keeper.is_open() || !is_ours_alone(keeper.status())) return;
  SetAside left;
  left.keeper_ = keeper.path();
  left.journal_ = ::openat(keeper.descriptor(), journal_name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  struct stat status = {};
  if (left.journal_ < 0 || ::fstat(left.journal_, &status) != 0 || !is_ours_alone(status) ||
      !S_ISREG(status.st_mode))
    return;
  if (::flock(left.journal_, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK)
      spdlog::warn("what a command set aside may still be in {}: whether it is alive cannot be told ({})",
                   in_quotes(left.keeper_.string()), std::strerror(errno));
    return;
  }
  if (!left.read_journal()) {
    ::unlinkat(keeper.descriptor(), journal_name, 0);
    return;
  }
  left.leave_what_is_elsewhere();
  if (left.elsewhere_ > 0)
    spdlog::warn(
        "{} in {} {} not put back: a folder was moved, copied or made anew since; remove {} when you "
        "have what you need",
        counted(left.elsewhere_, "file"), in_quotes(left.keeper_.string()),
        left.elsewhere_ == 1 ? "is" : "are", in_quotes((left.keeper_ / journal_name).string()));
  const std::size_t count = left.files_.size();
  if (count == 0) return;
  const fs::path late = folder / "unfinished";
  std::size_t met = 0;
  try {
    met = left.put_back(late);
  } catch (const UsageError& error) {
    throw UsageError(std::string(error.what()) +
                     ", set aside by an earlier command: put it back and remove " +
                     in_quotes((left.keeper_ / journal_name).string()));
  }
  spdlog::info("{} put back that an earlier command had set aside in {}{}", counted(count, "file"),
               in_quotes(left.keeper_.string()),
               met > 0 ? fmt::format("; {} that stood there meanwhile: in {}", met, in_quotes(late.string()))
                       : "");
}

} // namespace detshim
