// Decides how a file moves to another folder so that none is lost or overwritten: by a rename that
// replaces nothing, by a second name where the file system has no such rename, and by a copy
// between file systems. A copy must be whole and on the disk before the original goes. A folder is
// opened part by part, and a part that is a link ends the way.
//
// It cannot keep what the other file system does not know, nor an owner that this user may not
// give.
#include "verify/folder.h"

#include "support/exit_status.h"
#include "support/wording.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace detshim {
namespace {

// With O_DIRECTORY, a link is no folder. Step by step that is what openat2 does with
// RESOLVE_NO_SYMLINKS, which old kernels do not have and containers refuse. O_PATH: a folder need
// not be readable to be passed.
constexpr int as_a_folder = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

OwnedDescriptor open_in(const Folder& folder, const std::string& name, int flags) {
  return OwnedDescriptor(::openat(folder.descriptor(), name.c_str(),
                                  flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
}

/// False, and errno, if not all of it reached the disk: the other copy is removed then.
bool copy_bytes(int from, int to) {
  std::vector<char> buffer(1 << 20);
  for (ssize_t got; (got = ::read(from, buffer.data(), buffer.size())) != 0;) {
    if (got < 0)
      return false;
    if (const int error = write_all(to, {buffer.data(), static_cast<std::size_t>(got)});
        error != 0) {
      errno = error;
      return false;
    }
  }
  return ::fsync(to) == 0 || errno == EINVAL;
}

/// Access lists among them. What the other file system does not know is left out.
void copy_attributes(int from, int to) {
  std::vector<char> names(65536), value(65536);
  const ssize_t length = ::flistxattr(from, names.data(), names.size());
  const char* const end = names.data() + std::max<ssize_t>(length, 0);
  for (const char* name = names.data(); name < end; name += std::strlen(name) + 1) {
    const ssize_t size = ::fgetxattr(from, name, value.data(), value.size());
    if (size >= 0)
      ::fsetxattr(to, name, value.data(), static_cast<std::size_t>(size), 0);
  }
}

class Move {
public:
  Move(const fs::path& from, const fs::path& to)
      : from_(from), to_(to), source_(from.parent_path()), target_(to.parent_path(), true),
        name_(from.filename()), new_name_(to.filename()) {
    for (const Folder* const folder : {&source_, &target_})
      if (!folder->is_open())
        fail(folder->why_not());
  }

  void move() const {
    if (::renameat2(source_.descriptor(), name_.c_str(), target_.descriptor(), new_name_.c_str(),
                    RENAME_NOREPLACE) == 0)
      return;
    const bool cannot_tell =
        errno == EINVAL || errno == ENOSYS; // NFS: a second name overwrites nothing either
    if (!cannot_tell && errno != EXDEV)
      fail();
    if (!cannot_tell || ::linkat(source_.descriptor(), name_.c_str(), target_.descriptor(),
                                 new_name_.c_str(), 0) != 0) {
      if (errno == EEXIST)
        fail();
      copy();
    }
    if (::unlinkat(source_.descriptor(), name_.c_str(), 0) == 0)
      return;
    take_copy_away();
  }

private:
  [[noreturn]] void fail(const std::string& why = std::strerror(errno)) const {
    throw UsageError("cannot move " + in_quotes(from_.string()) + " to " + in_quotes(to_.string()) +
                     ": " + printable(why));
  }

  [[noreturn]] void take_copy_away() const {
    const int error = errno;
    ::unlinkat(target_.descriptor(), new_name_.c_str(), 0);
    errno = error;
    fail();
  }

  /// With mode, times, attributes and, where it may, owner. A copy that is not whole is taken away
  /// again.
  void copy() const {
    const std::optional<struct stat> status = source_.status(name_);
    if (!status)
      fail();
    if (S_ISREG(status->st_mode)) {
      copy_file(*status);
    } else if (S_ISLNK(status->st_mode)) {
      const std::optional<std::string> text = source_.link_text(name_);
      if (!text || ::symlinkat(text->c_str(), target_.descriptor(), new_name_.c_str()) != 0)
        fail();
    } else if (::mknodat(target_.descriptor(), new_name_.c_str(), status->st_mode,
                         status->st_rdev) != 0) {
      fail(); // a pipe, a socket, a device: its name is all there is
    }
    const bool has_owner = ::fchownat(target_.descriptor(), new_name_.c_str(), status->st_uid,
                                      status->st_gid, AT_SYMLINK_NOFOLLOW) == 0;
    if (!S_ISLNK(status->st_mode))
      ::fchmodat(target_.descriptor(), new_name_.c_str(),
                 status->st_mode & (has_owner ? 07777U : 0777U), AT_SYMLINK_NOFOLLOW);
    const timespec times[] = {status->st_atim, status->st_mtim};
    ::utimensat(target_.descriptor(), new_name_.c_str(), times, AT_SYMLINK_NOFOLLOW);
  }

  void copy_file(const struct stat& status) const {
    const OwnedDescriptor from = open_in(source_, name_, O_RDONLY);
    struct stat opened = {};
    if (!from || ::fstat(from.number(), &opened) != 0)
      fail();
    if (opened.st_ino != status.st_ino || opened.st_dev != status.st_dev)
      fail("it was replaced meanwhile");
    const OwnedDescriptor to = open_in(target_, new_name_, O_WRONLY | O_CREAT | O_EXCL);
    if (!to)
      fail();
    if (!copy_bytes(from.number(), to.number()))
      take_copy_away();
    copy_attributes(from.number(), to.number());
  }

  const fs::path &from_, &to_;
  Folder source_, target_;
  std::string name_, new_name_;
};

} // namespace

Folder::Folder(const fs::path& path, bool makes_it)
    : descriptor_(::open("/", as_a_folder)), path_("/") {
  for (const fs::path& part : path.relative_path())
    if (is_open() && !part.empty())
      step(part, makes_it);
  path_ = path;
}

Folder::Folder(const Folder& parent, const std::string& name)
    : descriptor_(::openat(parent.descriptor(), name.c_str(), as_a_folder)),
      error_(is_open() ? 0 : errno), path_(parent.path_ / name), failed_at_(path_) {}

void Folder::step(const std::string& name, bool makes_it) {
  path_ /= name;
  OwnedDescriptor next(::openat(descriptor(), name.c_str(), as_a_folder));
  if (!next && errno == ENOENT && makes_it &&
      (::mkdirat(descriptor(), name.c_str(), 0777) == 0 || errno == EEXIST))
    next = OwnedDescriptor(::openat(descriptor(), name.c_str(), as_a_folder));
  if (!next) {
    error_ = errno;
    failed_at_ = path_;
  }
  descriptor_ = std::move(next);
}

std::string Folder::why_not() const {
  return "'" + failed_at_.string() + "': " +
         (error_ == ENOTDIR || error_ == ELOOP ? "a link or a file stands where a folder was"
                                               : std::strerror(error_));
}

bool Folder::is_missing() const { return !is_open() && error_ == ENOENT; }

std::string Folder::open_name() const { return "/proc/self/fd/" + std::to_string(descriptor()); }

struct stat Folder::status() const {
  struct stat status = {};
  ::fstat(descriptor(), &status);
  return status;
}

bool Folder::is_mount_point() const {
  struct statx status = {};
  ::statx(descriptor(), "", AT_EMPTY_PATH, 0, &status);
  return (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

std::optional<struct stat> Folder::status(const std::string& name) const {
  struct stat status = {};
  if (::fstatat(descriptor(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
    return {};
  return status;
}

std::optional<std::string> Folder::link_text(const std::string& name) const {
  char text[PATH_MAX];
  const ssize_t length = ::readlinkat(descriptor(), name.c_str(), text, sizeof text);
  if (length < 0)
    return {};
  return std::string(text, static_cast<std::size_t>(length));
}

std::optional<std::vector<std::string>> Folder::names() const {
  const int readable = ::openat(descriptor(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* const stream = readable < 0 ? nullptr : ::fdopendir(readable);
  if (stream == nullptr)
    return {};
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* const entry = ::readdir(stream)) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..")
      names.push_back(name);
  }
  const int error = errno;
  ::closedir(stream);
  if (error != 0) {
    errno = error;
    return {};
  }
  std::ranges::sort(names);
  return names;
}

bool is_below(const fs::path& path, const fs::path& folder) {
  const auto [rest, ignored] =
      std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return rest == folder.end();
}

void move_file(const fs::path& from, const fs::path& to) { Move(from, to).move(); }

} // namespace detshim
