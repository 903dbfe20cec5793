#include "verify/moves.h"

#include "log_reader/printable.h"
#include "support/descriptor.h"
#include "support/exit_status.h"
#include "support/files.h"
#include "verify/folder.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace detshim {
namespace {

namespace fs = std::filesystem;

OwnedDescriptor open_in(const Folder& folder, const std::string& name, int flags) {
  return OwnedDescriptor(
      ::openat(folder.descriptor(), name.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
}

/// False, and errno, if not all of it came to the disk: the other copy is removed then.
bool copy_bytes(int from, int to) {
  std::vector<char> buffer(1 << 20);
  for (ssize_t got; (got = ::read(from, buffer.data(), buffer.size())) != 0;) {
    if (got < 0) return false;
    if (const int error = write_all(to, {buffer.data(), static_cast<std::size_t>(got)}); error != 0) {
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
    if (size >= 0) ::fsetxattr(to, name, value.data(), static_cast<std::size_t>(size), 0);
  }
}

class Move {
public:
  Move(const fs::path& from, const fs::path& to)
      : from_(from), to_(to), source_(from.parent_path()), target_(to.parent_path(), true),
        name_(from.filename()), new_name_(to.filename()) {
    for (const Folder* const folder : {&source_, &target_})
      if (!folder->is_open()) fail(folder->why_not());
  }

  void move() const {
    if (::renameat2(source_.descriptor(), name_.c_str(), target_.descriptor(), new_name_.c_str(),
                    RENAME_NOREPLACE) == 0)
      return;
    const bool cannot_tell =
        errno == EINVAL || errno == ENOSYS; // NFS: a second name overwrites nothing either
    if (!cannot_tell && errno != EXDEV) fail();
    if (!cannot_tell ||
        ::linkat(source_.descriptor(), name_.c_str(), target_.descriptor(), new_name_.c_str(), 0) != 0) {
      if (errno == EEXIST) fail();
      copy();
    }
    if (::unlinkat(source_.descriptor(), name_.c_str(), 0) == 0) return;
    const int error = errno;
    remove_copy();
    errno = error;
    fail();
  }

private:
  [[noreturn]] void fail(const std::string& why = std::strerror(errno)) const {
    throw UsageError("cannot move " + in_quotes(from_.string()) + " to " + in_quotes(to_.string()) + ": " +
                     printable(why));
  }

  void remove_copy() const { ::unlinkat(target_.descriptor(), new_name_.c_str(), 0); }

  /// With mode, times, attributes and, where it may, owner. A copy that is not whole is taken away again.
  void copy() const {
    const std::optional<struct stat> status = source_.status(name_);
    if (!status) fail();
    if (S_ISREG(status->st_mode)) {
      copy_file(*status);
    } else if (S_ISLNK(status->st_mode)) {
      const std::optional<std::string> text = source_.link_text(name_);
      if (!text || ::symlinkat(text->c_str(), target_.descriptor(), new_name_.c_str()) != 0) fail();
    } else if (::mknodat(target_.descriptor(), new_name_.c_str(), status->st_mode, status->st_rdev) != 0) {
      fail(); // a pipe, a socket, a device: its name is all there is
    }
    const bool has_owner = ::fchownat(target_.descriptor(), new_name_.c_str(), status->st_uid, status->st_gid,
                                      AT_SYMLINK_NOFOLLOW) == 0;
    if (!S_ISLNK(status->st_mode))
      ::fchmodat(target_.descriptor(), new_name_.c_str(), status->st_mode & (has_owner ? 07777U : 0777U),
                 AT_SYMLINK_NOFOLLOW);
    const timespec times[] = {status->st_atim, status->st_mtim};
    ::utimensat(target_.descriptor(), new_name_.c_str(), times, AT_SYMLINK_NOFOLLOW);
  }

  void copy_file(const struct stat& status) const {
    const OwnedDescriptor from = open_in(source_, name_, O_RDONLY);
    struct stat opened = {};
    if (!from || ::fstat(from.number(), &opened) != 0) fail();
    if (opened.st_ino != status.st_ino || opened.st_dev != status.st_dev) fail("it was replaced meanwhile");
    const OwnedDescriptor to = open_in(target_, new_name_, O_WRONLY | O_CREAT | O_EXCL);
    if (!to) fail();
    if (!copy_bytes(from.number(), to.number())) {
      const int error = errno;
      remove_copy();
      errno = error;
      fail();
    }
    copy_attributes(from.number(), to.number());
  }

  const fs::path &from_, &to_;
  Folder source_, target_;
  std::string name_, new_name_;
};

} // namespace

void move_file(const fs::path& from, const fs::path& to) { Move(from, to).move(); }

} // namespace detshim
