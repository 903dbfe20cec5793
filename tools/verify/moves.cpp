#include "verify/moves.h"

#include "log_reader/printable.h"
#include "support/exit_status.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace detshim {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& from, const fs::path& to, const std::string& why) {
  throw UsageError("cannot move '" + printable(from.string()) + "' to '" + printable(to.string()) +
                   "': " + why);
}

/// With mode, times and, where it may, owner. A copy that is not whole is taken away again.
void copy_whole(const fs::path& from, const fs::path& to) {
  struct stat status = {};
  if (::lstat(from.c_str(), &status) != 0) fail(from, to, std::strerror(errno));
  try {
    if (S_ISLNK(status.st_mode))
      fs::copy_symlink(from, to);
    else if (!S_ISREG(status.st_mode)) { // a pipe, a socket, a device: its name is all there is
      if (::mknod(to.c_str(), status.st_mode, status.st_rdev) != 0) fail(from, to, std::strerror(errno));
    } else
      fs::copy_file(from, to, fs::copy_options::none);
  } catch (const fs::filesystem_error& error) {
    std::error_code ignored;
    if (error.code() != std::errc::file_exists) fs::remove(to, ignored);
    fail(from, to, error.code().message());
  }
  [[maybe_unused]] const int owner = ::lchown(to.c_str(), status.st_uid, status.st_gid);
  if (!S_ISLNK(status.st_mode)) ::chmod(to.c_str(), status.st_mode & 07777);
  const timespec times[] = {status.st_atim, status.st_mtim};
  ::utimensat(AT_FDCWD, to.c_str(), times, AT_SYMLINK_NOFOLLOW);
}

} // namespace

void move_file(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::create_directories(to.parent_path(), error);
  if (error) fail(from, to, error.message());
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return;
  if (errno == EINVAL || errno == ENOSYS) { // a file system that cannot tell
    if (fs::exists(fs::symlink_status(to))) fail(from, to, std::strerror(EEXIST));
    if (::rename(from.c_str(), to.c_str()) == 0) return;
  }
  if (errno != EXDEV) fail(from, to, std::strerror(errno));
  if (fs::exists(fs::symlink_status(to))) fail(from, to, std::strerror(EEXIST));
  copy_whole(from, to);
  if (!fs::remove(from, error)) fail(from, to, "it was copied and cannot be removed: " + error.message());
}

} // namespace detshim
