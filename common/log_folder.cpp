#include "common/log_folder.h"

#include "common/sys.h"
#include "common/text.h"

namespace detshim {
namespace {

/// Where the last `unfollowed` components of `path` begin; makes the folders before them if `make`.
char* split(char* path, int unfollowed, bool make) {
  char* rest = path + text_length(path);
  for (; unfollowed > 0 && rest > path; --unfollowed)
    do
      --rest;
    while (rest > path && *rest != '/');
  for (char* at = path + 1; make && at <= rest; ++at) {
    if (*at != '/')
      continue;
    *at = 0;
    sys::mkdirat(AT_FDCWD, path, 0700);
    *at = '/';
  }
  return rest;
}

/// Cuts what "name/" and "name/." have behind the name: they would follow a link that "name" is.
void cut_end(char* path) {
  size_t length = text_length(path);
  const auto ends_in_nothing = [&] {
    return path[length - 1] == '/' || (path[length - 1] == '.' && path[length - 2] == '/');
  };
  while (length > 1 && ends_in_nothing())
    --length;
  path[length] = 0;
}

constexpr int folder_flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

/// Opens the folder of that name in `folder`, which is closed. Below 0 where it cannot be.
int open_next(int folder, const char* name, bool make, bool& made) {
  const int status = make ? sys::mkdirat(folder, name, 0700) : 0;
  made = make && status == 0;
  const int next = sys::openat(folder, name, folder_flags | O_NOFOLLOW);
  if (folder >= 0)
    sys::close(folder);
  const bool is_status_the_reason = next < 0 && status < 0 && status != -EEXIST;
  return is_status_the_reason ? status : next;
}

} // namespace

int open_log_folder(char* path, bool is_default, bool make, bool& made) {
  cut_end(path);
  char* rest = split(path, is_default ? 2 : 1, make);
  int folder = AT_FDCWD;
  if (*rest == '/') {
    *rest++ = 0;
    folder = sys::openat(AT_FDCWD, *path != 0 ? path : "/", folder_flags);
    if (folder < 0)
      return folder;
  }
  while (*rest != 0) {
    char* end = rest;
    while (*end != 0 && *end != '/')
      ++end;
    const bool is_last = *end == 0;
    *end = 0;
    folder = open_next(folder, rest, make, made);
    if (folder < 0)
      return folder;
    rest = is_last ? end : end + 1;
  }
  return folder;
}

void link_latest(int folder, const char* run, int pid) {
  Text<64> temporary;
  temporary.add("../.latest-").add(static_cast<uint64_t>(pid));
  sys::call(SYS_unlinkat, folder, sys::address(temporary.c_str()), 0);
  if (sys::failed(
          sys::call(SYS_symlinkat, sys::address(run), folder, sys::address(temporary.c_str()))))
    return;
  sys::call(SYS_renameat2, folder, sys::address(temporary.c_str()), folder,
            sys::address("../latest"), 0);
  // Nobody wants logs in a repository.
  const int ignored = sys::openat(folder, "../.gitignore",
                                  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (ignored < 0)
    return;
  constexpr size_t length = 2;
  if (sys::may_grow_to(length))
    sys::write(ignored, "*\n", length);
  sys::close(ignored);
}

bool is_own_file(int fd) {
  struct stat state;
  return sys::fstat(fd, state) == 0 && S_ISREG(state.st_mode) && (state.st_mode & 077) == 0 &&
         state.st_nlink <= 1 && state.st_uid == static_cast<uid_t>(sys::call(SYS_geteuid));
}

int open_own_file(int folder, const char* name, int flags, bool& made) {
  constexpr int not_ours = -EEXIST;
  flags |= O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  int fd = sys::openat(folder, name, flags | O_CREAT | O_EXCL, 0600);
  made = fd >= 0;
  if (fd != not_ours)
    return fd;
  fd = sys::openat(folder, name, flags);
  if (fd < 0)
    return not_ours;
  if (is_own_file(fd))
    return fd;
  sys::close(fd);
  return not_ours;
}

int claim_file(int folder, const char* run, const char* suffix) {
  Text<96> name;
  name.add(run).add('.').add(suffix);
  return sys::openat(folder, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                     0600);
}

} // namespace detshim
