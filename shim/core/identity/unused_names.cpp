// Decides from the log folder whether a process with that name, or one made of it, has drawn: by
// the names of the files there and by the actions in their counts. What was only seen leaves a name
// unused. Where that cannot be told the name counts as used: a path that may be cut, files that
// cannot be opened, a folder that takes no log, and a shared file in which this process has drawn
// itself.
//
// It cannot know of a process whose log lies in another folder.
#include "core/identity/unused_names.h"

#include "common/counts_file.h"
#include "common/describe.h"
#include "common/sys.h"
#include "common/text.h"
#include "core/base/folder_entries.h"
#include "core/identity/process.h"
#include "core/identity/shared_page.h"

#include <fcntl.h>
#include <sys/vfs.h>

namespace detshim {
namespace {

constexpr size_t longest_folder = 1024; // of which there are two copies on a small stack

/// A log's file is named <rank>-<path>-<pid>: what stands behind the rank.
const char* path_in(const char* name) {
  while (*name >= '0' && *name <= '9')
    ++name;
  return *name == '-' ? name + 1 : "";
}

/// True if the name at `path` is that one, or made of it by a further step: 0.2, 0.2.1 and 0.2w1,
/// not 0.21. A wrapper's own name is 0w, and behind others 0w1, 0w2.
bool is_made_of(const char* path, const PathText& name, uint64_t handoffs) {
  if (!starts_with(path, name))
    return false;
  const char* step = path + text_length(name);
  if (*step >= '0' && *step <= '9')
    return false;
  if (*step != 'w')
    return true;
  uint64_t number = 0;
  while (*++step >= '0' && *step <= '9')
    number = number * 10 + static_cast<uint64_t>(*step - '0');
  return number >= handoffs;
}

/// True if what is counted in that file was drawn, given or let go ahead: what was only seen leaves
/// a process's name alone. Also where the file cannot be read.
bool has_drawn(int counts) {
  for (uint64_t first = 0;; ++first) {
    CountsEntry entry;
    const long size = sys::pread(counts, &entry, sizeof entry, offset_of_count(first));
    if (size < 0)
      return true;
    if (size != sizeof entry || entry.action == 0)
      return false;
    const auto action = static_cast<Action>(entry.action);
    const bool was_seen_only =
        entry.action == process_entry || action == Action::observe || action == Action::uncovered;
    if (!was_seen_only)
      return true;
  }
}

/// The same of the process whose records that file holds. Not of another run's, which may have used
/// the folder.
bool has_process_drawn(int folder, const char* records) {
  constexpr size_t ending = sizeof ".jsonl" - 1;
  Text<160> name;
  name.add(records, text_length(records) - ending).add(".counts");
  const int file =
      sys::openat(folder, name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0)
    return true;
  CountsHeader header;
  const bool is_read = sys::pread(file, &header, sizeof header, 0) == sizeof header;
  const CountsHeader own = counts_header(process().run);
  const bool is_of_run = is_read && __builtin_memcmp(header.run, own.run, sizeof own.run) == 0;
  const bool drew = !is_read || (is_of_run && has_drawn(file));
  sys::close(file);
  return drew;
}

/// True for <rank>-<path>-<pid>, with whatever ending, of this process.
bool is_own_file_name(const char* name) {
  const char* id = path_in(name);
  while (*id != 0 && *id != '-')
    ++id;
  Text<32> own;
  own.add('-').add(static_cast<uint64_t>(process().pid));
  const char next = starts_with(id, own.c_str()) ? id[own.length()] : '0';
  return next < '0' || next > '9';
}

/// True if a forked child has drawn, or may have: it counts in its parent's files.
bool has_forked_child_drawn(int folder) {
  if (shared_page == nullptr)
    return false;
  const auto state = __atomic_load_n(&shared_page->files, __ATOMIC_ACQUIRE);
  if (state == SharedPage::none)
    return false;
  const bool is_own = is_own_file_name(shared_page->stem);
  if (is_own && __atomic_load_n(&shared_page->has_joined, __ATOMIC_RELAXED) == 0)
    return false;
  if (identity::own.drawn || state != SharedPage::published || folder < 0)
    return true; // which counts are whose is not told
  Text<176> name;
  name.add(shared_page->stem).add(".counts");
  const int file =
      sys::openat(folder, name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0)
    return true;
  const bool drew = has_drawn(file);
  sys::close(file);
  return drew;
}

/// True if the folder that the log's would be made in has no room, or must not be changed.
bool is_log_refused() {
  const char* const folder = process().log_folder;
  size_t length = process().log_folder_length;
  Text<longest_folder + 1> path;
  for (;;) {
    while (length > 1 && folder[length - 1] != '/')
      --length;
    path.shorten(0);
    path.add(folder, length);
    if (!sys::failed(sys::call(SYS_faccessat, AT_FDCWD, sys::address(path.c_str()), F_OK)))
      break;
    if (length <= 1)
      return true;
    --length;
  }
  struct statfs system;
  return sys::failed(sys::call(SYS_faccessat, AT_FDCWD, sys::address(path.c_str()), W_OK)) ||
         sys::failed(sys::call(SYS_statfs, sys::address(path.c_str()), sys::address(&system))) ||
         system.f_bavail == 0;
}

} // namespace

bool is_name_used(const PathText& path, uint64_t handoffs) {
  const bool may_be_cut =
      text_length(path) > sizeof path / 2; // what is made of it then does not show it
  if (may_be_cut || process().log_folder_length > longest_folder)
    return true;
  Text<longest_folder + 1> text;
  text.add(process().log_folder, process().log_folder_length).c_str();
  const int folder = sys::openat(AT_FDCWD, text.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  bool is_used = has_forked_child_drawn(folder);
  if (folder == -ENOENT)
    return is_used || is_log_refused();
  if (folder < 0)
    return true;
  each_entry(folder, [&](const char* name) {
    is_used = is_used || (is_made_of(path_in(name), path, handoffs) && ends_with(name, ".jsonl") &&
                          !is_own_file_name(name) && has_process_drawn(folder, name));
    return is_used;
  });
  sys::close(folder);
  return is_used;
}

} // namespace detshim
