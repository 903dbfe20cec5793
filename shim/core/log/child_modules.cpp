// Decides by /proc/PID/maps, while the child still lives: what is mapped to be executed from a
// file, and is not loaded here. The build ids of such files are not read; a reader takes them from
// the files.
//
// It cannot know what a child unloaded before, nor see one in another namespace of processes.
#include "core/log/child_modules.h"

#include "common/sys.h"
#include "common/text.h"
#include "core/base/hash.h"
#include "core/base/modules.h"
#include "core/base/text_pages.h"
#include "core/log/log_file.h"
#include "core/log/module_records.h"
#include "core/log/records.h"

#include <fcntl.h>
#include <sys/wait.h>

namespace detshim {
namespace {

bool is_child(pid_t pid) {
  return !sys::failed(sys::call(SYS_waitid, P_PID, pid, 0, WEXITED | WNOHANG | WNOWAIT, 0));
}

/// The text of the child's maps, closed by a zero; false if it cannot be read.
bool read_maps(pid_t pid, TextPages& text) {
  Text<32> path;
  path.add("/proc/").add(static_cast<uint64_t>(pid)).add("/maps");
  const int fd = sys::openat(AT_FDCWD, path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  constexpr size_t step = 16384;
  long got = 0;
  while (text.reserve(text.length() + step)) {
    got = sys::read(fd, text.data() + text.length(), step - 1);
    if (got <= 0)
      break;
    text.set_length(text.length() + static_cast<size_t>(got));
  }
  sys::close(fd);
  return got == 0 && text.add("", 1);
}

uintptr_t address_at(const char* digits) {
  uintptr_t address = 0;
  for (; *digits != '-' && *digits != 0; ++digits)
    address =
        address * 16 + static_cast<uintptr_t>(*digits <= '9' ? *digits - '0' : *digits - 'a' + 10);
  return address;
}

/// Calls visit(path, address) for each file of which the maps have code, once for each run of
/// lines: "55d0-55d1 r-xp 00000000 08:01 1234   /usr/lib/libz.so" (proc(5)).
template <typename Visit>
void each_file(TextPages& maps, Visit visit) {
  const char* last = "";
  for (char* line = maps.data(); *line != 0;) {
    char* end = line;
    while (*end != '\n' && *end != 0)
      ++end;
    const bool is_last = *end == 0;
    *end = 0;
    const char* permissions = line;
    while (*permissions != ' ' && *permissions != 0)
      ++permissions;
    const char* path = permissions;
    while (*path != '/' && *path != 0)
      ++path;
    const bool has_code = end - permissions > 3 && permissions[3] == 'x';
    if (has_code && *path != 0 && !same_text(path, last))
      visit(last = path, address_at(line));
    line = is_last ? end : end + 1;
  }
}

/// The name of this library's file; empty if it is not known. Its path may be another one to the
/// kernel, by a link.
const char* own_name() {
  const char* name = "";
  each_module([&](const Module& module) {
    if (is_own(module))
      name = file_name(module.path);
    return *name != 0;
  });
  return name;
}

/// True if this process has that file there: it had, when it forked the child. The loader's paths
/// are not the kernel's (`numpy/../numpy.libs/`).
bool is_loaded_here(const char* path, uintptr_t address) {
  Module module;
  if (!find_module(reinterpret_cast<const void*>(address), module))
    return false;
  char loaded[512];
  module_path(module, loaded, sizeof loaded);
  return same_text(file_name(loaded), file_name(path));
}

/// What was written down last: the workers of a pool have the same loaded.
constinit uint64_t last_written = 0;

void write_down(const TextPages& files) {
  const uint64_t set = fnv1a(files.data(), files.length());
  if (files.length() == 0 || set == last_written)
    return;
  last_written = set;
  log_file::with_lock([&files] {
    if (log_file::is_open())
      write_modules(files.data(), files.data() + files.length(), 0);
  });
}

} // namespace

void record_modules_of_child(pid_t pid) {
  TextPages maps;
  TextPages files; // that are not loaded here, with empty ids
  bool has_library = false;
  if (has_log() && is_child(pid) && read_maps(pid, maps)) {
    const char* const own = own_name();
    each_file(maps, [&](const char* path, uintptr_t address) {
      has_library |= same_text(file_name(path), own);
      if (!is_loaded_here(path, address) && files.add(path, text_length(path) + 1))
        files.add("", 1);
    });
  }
  if (has_library)
    write_down(files);
  maps.clear();
  files.clear();
}

} // namespace detshim
