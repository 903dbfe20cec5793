#include "core/log_folder.h"

#include "core/sys.h"
#include "core/text.h"

namespace detshim {
namespace {

/// Where the last `unfollowed` components of `path` begin; makes the folders before them if `make`.
char* split(char* path, int unfollowed, bool make) {
  char* rest = path + text_length(path);
  for (; unfollowed > 0 && rest > path; --unfollowed) do
      --rest;
    while (rest > path && *rest != '/');
  for (char* at = path + 1; make && at <= rest; ++at) {
    if (*at != '/') continue;
    *at = 0;
    sys::mkdirat(AT_FDCWD, path, 0700);
    *at = '/';
  }
  return rest;
}

} // namespace

int open_log_folder(char* path, bool is_default, bool make, bool& made) {
  size_t length = text_length(path); // "name/" and "name/." would follow a link that "name" is
  while (length > 1 && (path[length - 1] == '/' || (path[length - 1] == '.' && path[length - 2] == '/')))
    --length;
  path[length] = 0;
  char* rest = split(path, is_default ? 2 : 1, make);
  constexpr int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
  int folder = AT_FDCWD;
  if (rest > path) {
    *rest = 0;
    folder = sys::openat(AT_FDCWD, path, flags);
    if (folder < 0) return folder;
    ++rest;
  } else if (*rest == '/') {
    folder = sys::openat(AT_FDCWD, "/", flags);
    ++rest;
  }
  while (*rest != 0) {
    char* end = rest;
    while (*end != 0 && *end != '/') ++end;
    const bool last = *end == 0;
    *end = 0;
    const int status = make ? sys::mkdirat(folder, rest, 0700) : 0;
    made = make && status == 0;
    const int next = sys::openat(folder, rest, flags | O_NOFOLLOW);
    if (folder >= 0) sys::close(folder);
    if (next < 0) return status < 0 && status != -17 /* EEXIST */ ? status : next;
    folder = next;
    rest = last ? end : end + 1;
  }
  return folder;
}

void link_latest(int folder, const char* run, int pid) {
  Text<64> temporary;
  temporary.add("../.latest-").add(static_cast<uint64_t>(pid));
  sys::call(SYS_unlinkat, folder, sys::address(temporary.c_str()), 0);
  if (sys::failed(sys::call(SYS_symlinkat, sys::address(run), folder, sys::address(temporary.c_str()))))
    return;
  sys::call(SYS_renameat2, folder, sys::address(temporary.c_str()), folder, sys::address("../latest"), 0);
}

int claim_file(int folder, const char* run, const char* suffix) {
  Text<96> name;
  name.add(run).add('.').add(suffix);
  return sys::openat(folder, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
}

} // namespace detshim
