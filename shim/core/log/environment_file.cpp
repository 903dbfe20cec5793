// Decides whether what lies under a descriptor is the environment that `detshim run` handed over,
// by its seals and its first bytes, and under which name it is kept. The usual name is free if this
// process made the folder, or if what has that name is of this run and machine. A file is there
// whole or not at all.
//
// It cannot know whether the program has put something alike under that number.
#include "core/log/environment_file.h"

#include "common/run_agreements.h"
#include "common/sys.h"
#include "common/text.h"
#include "core/identity/process.h"
#include "core/log/log_file.h"

namespace detshim {
namespace {

constexpr const char* usual_name = "environment.json";

/// The size of what was handed over; 0 where nothing was, or where the program has something else
/// there.
long handed_over() {
  constexpr int fd = environment_descriptor;
  if (sys::fcntl(fd, F_GET_SEALS) != environment_seals)
    return 0;
  constexpr size_t length = sizeof environment_beginning - 1;
  char beginning[length + 1] = {};
  struct stat state;
  if (sys::pread(fd, beginning, length, 0) != static_cast<long>(length) ||
      !same_text(beginning, environment_beginning) || sys::fstat(fd, state) != 0)
    return 0;
  return state.st_size <= largest_environment_handed_over ? state.st_size : 0;
}

/// By reads and writes: a filter that the program has put on may know no sendfile.
bool copy(int to, long size, char* room, size_t room_size) {
  Text<64> beginning;
  beginning.add("{\"run\":\"").add(process().run).add("\",");
  const auto length = static_cast<long>(beginning.length());
  if (!sys::may_grow_to(static_cast<uint64_t>(length + size)) ||
      sys::write(to, beginning.c_str(), beginning.length()) != length)
    return false;
  for (long at = 0; at < size;) {
    const long part = sys::pread(environment_descriptor, room, room_size, at);
    if (part <= 0 || sys::write(to, room, static_cast<size_t>(part)) != part)
      return false;
    at += part;
  }
  return true;
}

/// True if another process of this run on this machine has written it under the usual name: both
/// stand in front, in what is handed over and in what the command makes of it.
bool usual_one_is_ours(int folder, const char* node) {
  const int fd = sys::openat(folder, usual_name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0)
    return false;
  char beginning[256];
  const long size = sys::pread(fd, beginning, sizeof beginning - 1, 0);
  sys::close(fd);
  if (size <= 0)
    return false;
  beginning[size] = 0;
  Text<48> run;
  run.add('"').add(process().run).add('"');
  Text<80> host;
  host.add('"').add(node).add('"');
  return contains(beginning, run.c_str()) && contains(beginning, host.c_str());
}

bool is_there(int folder, const char* name) {
  return !sys::failed(sys::call(SYS_faccessat, folder, sys::address(name), F_OK));
}

/// renameat2(2); RENAME_NOREPLACE is not known to every file system, and who comes second brings
/// the same.
void rename(int folder, const char* from, const char* to) {
  constexpr long no_replace = 1;
  const auto try_it = [&](long flags) {
    return sys::call(SYS_renameat2, folder, sys::address(from), folder, sys::address(to), flags);
  };
  long status = try_it(no_replace);
  if (status == -EINVAL)
    status = try_it(0);
  if (sys::failed(status))
    sys::call(SYS_unlinkat, folder, sys::address(from), 0);
}

} // namespace

bool has_environment_of_run() { return handed_over() != 0; }

void drop_environment() {
  if (handed_over() != 0)
    sys::close(environment_descriptor);
}

void keep_environment(int folder, bool made, char* room, size_t room_size) {
  const long size = handed_over();
  if (size == 0)
    return;
  char node[65];
  log_file::name_of_node(node);
  Text<160> name;
  if (made || usual_one_is_ours(folder, node)) {
    name.add(usual_name);
  } else {
    name.add("environment.").add(process().run).add('.').add(node).add(".json");
  }
  if (!is_there(folder, name.c_str())) {
    Text<48> part;
    part.add(".environment-").add(static_cast<uint64_t>(process().pid));
    constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
    const int fd = sys::openat(folder, part.c_str(), flags, 0600);
    if (fd >= 0) {
      const bool is_whole = copy(fd, size, room, room_size);
      sys::close(fd);
      if (is_whole)
        rename(folder, part.c_str(), name.c_str());
      else
        sys::call(SYS_unlinkat, folder, sys::address(part.c_str()), 0);
    }
  }
  sys::close(environment_descriptor); // those that this process starts need it no more
}

} // namespace detshim
