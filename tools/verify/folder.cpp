#include "verify/folder.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

namespace detshim {
namespace {

namespace fs = std::filesystem;

// With O_DIRECTORY, a link is no folder. Step by step that is what openat2 does with RESOLVE_NO_SYMLINKS,
// which old kernels do not have and containers refuse. O_PATH: a folder need not be readable to be passed.
constexpr int how = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

} // namespace

Folder::Folder(const fs::path& path, bool makes_it) : descriptor_(::open("/", how)), path_("/") {
  for (const fs::path& part : path.relative_path())
    if (is_open() && !part.empty()) step(part, makes_it);
  path_ = path;
}

Folder::Folder(const Folder& parent, const std::string& name)
    : descriptor_(::openat(parent.descriptor(), name.c_str(), how)), error_(is_open() ? 0 : errno),
      path_(parent.path_ / name), failed_at_(path_) {}

void Folder::step(const std::string& name, bool makes_it) {
  path_ /= name;
  OwnedDescriptor next(::openat(descriptor(), name.c_str(), how));
  if (!next && errno == ENOENT && makes_it &&
      (::mkdirat(descriptor(), name.c_str(), 0777) == 0 || errno == EEXIST))
    next = OwnedDescriptor(::openat(descriptor(), name.c_str(), how));
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
  struct statx its = {};
  ::statx(descriptor(), "", AT_EMPTY_PATH, 0, &its);
  return (its.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

std::optional<struct stat> Folder::status(const std::string& name) const {
  struct stat status = {};
  if (::fstatat(descriptor(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return {};
  return status;
}

std::optional<std::string> Folder::link_text(const std::string& name) const {
  char text[PATH_MAX];
  const ssize_t length = ::readlinkat(descriptor(), name.c_str(), text, sizeof text);
  if (length < 0) return {};
  return std::string(text, static_cast<std::size_t>(length));
}

std::optional<std::vector<std::string>> Folder::names() const {
  const int readable = ::openat(descriptor(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* const stream = readable < 0 ? nullptr : ::fdopendir(readable);
  if (stream == nullptr) return {};
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* const entry = ::readdir(stream)) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
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
  const auto [rest, ignored] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return rest == folder.end();
}

} // namespace detshim
