// What the user's own code reads that no seed pins: times of files, the network, timers, the
// kernel's files. Nothing is changed. The call sites are written as the process ends
// (hooks/support/user_call_sites.h), so that a run says what can differ from the next one. Clocks
// and ids: clocks.cpp.
#include "hooks/libc/inputs.h"

#include "common/text.h"
#include "core/identity/children.h"
#include "core/log/file_uses.h"
#include "core/seeds/clock_samples.h"
#include "hooks/runtimes/python_clocks.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

namespace detshim {

bool note_input(UserCall kind, const void* caller) {
  PythonCallSite place;
  const bool is_python = is_input_of_users_python(kind, caller, place);
  if (is_python)
    keep_python_call(kind, caller, place);
  return note_user_call(kind, caller) || is_python;
}

void note_file_of_system(const char* path, const void* caller) {
  if (path == nullptr || (!starts_with(path, "/proc") && !starts_with(path, "/sys/")))
    return;
  for (const char* fixed : {"/sys/devices/system/", "/proc/filesystems", "/proc/mounts"})
    if (starts_with(path, fixed))
      return; // while the machine is up
  if (starts_with(path, "/proc/self/") && is_tool_of_system())
    return; // of itself
  if (note_input(UserCall::system, caller) && ends_with(path, "/boot_id"))
    note_file_use(FileUse::read, path); // which stays, until it is another
}

void note_file_time(const char* path, const void* caller, UserCall kind) {
  // What imports ask about, thousands of times: to look for the line that asks takes 30 us.
  if (path != nullptr && starts_with(path, "/proc/"))
    note_other_reading(); // what is numbered anew in each run
  if (path == nullptr || contains(path, "/python") || contains(path, "-packages") ||
      ends_with(path, ".py"))
    return;
  note_input(kind, caller);
}

namespace {

/// Python's shutil asks whether the two files of a copy are one, and what the new one is then like,
/// by os.path too. What it does hangs on neither.
bool is_question_of_a_copy() {
  int number = 0;
  bool is_path = false, is_copy = false;
  each_python_frame(3, [&](const PythonFrame& frame) {
    is_copy |= (number == 0 || is_path) && ends_with(frame.file, "/shutil.py");
    is_path = contains(frame.file, "genericpath") || contains(frame.file, "posixpath");
    ++number;
  });
  return is_copy;
}

} // namespace

int note_status(int answer, int folder, const char* path, const struct stat* status) {
  // A path that the kernel could not read is none. Of a Python module its content tells.
  if (path == nullptr || (answer != 0 && errno != ENOENT) || ends_with(path, ".py"))
    return answer;
  if (!notes_file_uses() || is_question_of_a_copy())
    return answer;
  if (answer == 0)
    note_file_use(FileUse::status, path, status, folder);
  else
    note_absent_file(path, folder);
  return answer;
}

void note_status_of_open(int fd, const void* caller) {
  if (options().pins() && note_user_call(UserCall::open_file_time, caller))
    note_open_file_use(FileUse::status, fd);
}

void note_listed_folder(const char* path, const void* caller) {
  note_file_of_system(path, caller);
  // An import reads the names in each folder of sys.path; what comes of it is opened. So does who
  // asks for the version of a package.
  if (notes_file_uses() && !is_import_of_python(caller) &&
      !contains(innermost_python_frame().file, "/importlib/metadata/"))
    note_file_use(FileUse::listed, path);
}

namespace {

template <typename Call>
int status_of(const Call& call, const char* path, struct stat* status) {
  const int answer = call.real(path, status);
  if (!options().pins() || !call.is_hooked())
    return answer;
  note_path(path, answer, [&] {
    note_file_time(path, call.caller());
  });
  return note_status(answer, AT_FDCWD, path, status);
}

template <typename Call>
int status_at(const Call& call, int folder, const char* path, struct stat* status, int flags) {
  const int answer = call.real(folder, path, status, flags);
  if (!options().pins() || !call.is_hooked())
    return answer;
  note_path(path, answer, [&] {
    note_file_time(path, call.caller());
  });
  return note_status(answer, folder, path, status);
}

template <typename Call>
int access_of(const Call& call, const char* path, int mode) {
  const int answer = call.real(path, mode);
  return options().pins() && call.is_hooked() ? note_status(answer, AT_FDCWD, path, nullptr)
                                              : answer;
}

/// Where a link leads, and what else is kept with a file.
template <FileUse use, typename Call, typename... Arguments>
auto read_of_file(const Call& call, const char* path, Arguments... arguments) {
  const auto answer = call.real(path, arguments...);
  if (!options().pins() || !call.is_hooked())
    return answer;
  note_path(path, answer, [&] {
    note_file_use(use, path);
    if (same_text(path, "/proc/self"))
      note_input(UserCall::name, call.caller()); // its id
  });
  return answer;
}

template <typename Call, typename... Arguments>
ssize_t read_link_at(const Call& call, int folder, const char* path, Arguments... arguments) {
  const ssize_t answer = call.real(folder, path, arguments...);
  if (options().pins() && call.is_hooked())
    note_path(path, answer, [&] {
      note_file_use(FileUse::link, path, nullptr, folder);
    });
  return answer;
}

/// A file that gets a name without being opened: it was written under another one.
template <typename Call>
int note_named(const Call& call, int answer, const char* name, int folder = AT_FDCWD) {
  if (answer == 0 && options().pins() && call.is_hooked())
    note_file_use(FileUse::written, name, nullptr, folder);
  return answer;
}
template <typename Call>
int name_file(const Call& call, const char* from, const char* name) {
  return note_named(call, call.real(from, name), name);
}
template <typename Call>
int name_link(const Call& call, const char* to, int folder, const char* name) {
  return note_named(call, call.real(to, folder, name), name, folder);
}
template <typename Call, typename... Flags>
int name_at(const Call& call, int before, const char* from, int folder, const char* name,
            Flags... flags) {
  return note_named(call, call.real(before, from, folder, name, flags...), name, folder);
}

/// A file that a child will have open, which is opened inside libc.
template <typename Call>
int open_for_child(const Call& call, posix_spawn_file_actions_t* actions, int fd, const char* path,
                   int flags, mode_t mode) {
  const int access = flags & O_ACCMODE;
  if (options().pins() && call.is_hooked())
    note_file_use(access == O_RDONLY       ? FileUse::read
                  : (flags & O_TRUNC) != 0 ? FileUse::written
                                           : FileUse::changed,
                  path);
  return call.real(actions, fd, path, flags, mode);
}

template <UserCall kind, typename Call, typename... Arguments>
auto read_input(const Call& call, Arguments... arguments) {
  if (options().pins() && call.is_hooked())
    note_input(kind, call.caller());
  return call.real(arguments...);
}

/// The port that the kernel has chosen, if there is one: Python asks for each socket's address.
template <typename Call>
int read_port(const Call& call, int fd, sockaddr* address, socklen_t* size) {
  const int answer = call.real(fd, address, size);
  if (answer != 0 || !options().pins() || !call.is_hooked())
    return answer;
  sockaddr_in known = {}; // IPv6 has its port in the same place
  constexpr size_t begin = sizeof known.sin_family + sizeof known.sin_port;
  if (copy_readable(reinterpret_cast<uintptr_t>(address), &known, begin) == begin &&
      (known.sin_family == AF_INET || known.sin_family == AF_INET6) && known.sin_port != 0)
    note_input(UserCall::network, call.caller());
  return answer;
}

/// What comes first, a descriptor or the time: a wait for none, or without a limit, is no question.
template <typename Call>
void note_limit(const Call& call, bool waits_for_some, bool has_limit) {
  if (waits_for_some && has_limit && options().pins() && call.is_hooked())
    note_input(UserCall::timer, call.caller());
}
template <typename Call, typename... Size>
int poll_for(const Call& call, pollfd* files, nfds_t count, int limit, Size... size) {
  note_limit(call, count > 0, limit > 0);
  if (PythonCallSite place; count > 0 && limit == 0 && options().pins() && call.is_hooked() &&
                            asks_at_once(call.caller(), place))
    keep_python_call(UserCall::timer, call.caller(), place);
  return call.real(files, count, limit, size...);
}
template <typename Call>
int wait_for_events(const Call& call, int fd, epoll_event* events, int room, int limit) {
  note_limit(call, true, limit > 0);
  return call.real(fd, events, room, limit);
}
template <typename Call>
int select_within(const Call& call, int count, fd_set* read, fd_set* write, fd_set* except,
                  timeval* limit) {
  timeval time = {};
  const bool has_limit =
      copy_readable(reinterpret_cast<uintptr_t>(limit), &time, sizeof time) == sizeof time;
  note_limit(call, count > 0, has_limit && (time.tv_sec != 0 || time.tv_usec != 0));
  return call.real(count, read, write, except, limit);
}

/// Says of a child whether it has ended yet.
template <typename Call>
pid_t ask_for_end(const Call& call, pid_t child, int* status, int flags) {
  const pid_t ended = call.real(child, status, flags);
  if (ended > 0)
    note_ended_child(ended, (flags & WNOHANG) != 0);
  if (ended == 0 && options().pins() && call.is_hooked())
    note_input(UserCall::timer, call.caller());
  return ended;
}

/// How much memory there is. The system's tools take as much as is good (sort), and tell nobody.
template <typename Call, typename... Arguments>
auto read_memory(const Call& call, Arguments... arguments) {
  return is_tool_of_system() ? call.real(arguments...)
                             : read_input<UserCall::system>(call, arguments...);
}

/// Free memory; what else a system says of itself stays while it is up.
template <typename Call>
long read_configuration(const Call& call, int name) {
  return name == _SC_AVPHYS_PAGES ? read_memory(call, name) : call.real(name);
}

constexpr Description noted = {
    .action = Action::observe,
    .summary = "Noted where the user's own code calls it: it differs in each run."};
constexpr Description used = {.action = Action::observe,
                              .summary = "Noted among the files that the run used."};
using Status = Call<int(const char* path, struct stat* status)>;
using StatusAt = Call<int(int folder, const char* path, struct stat* status, int flags)>;
using Access = Call<int(const char* path, int mode)>;
using OfThree = Call<int(long, long, long)>;
using Poll = Call<int(pollfd* files, nfds_t count, int limit)>;
using PollChecked = Call<int(pollfd* files, nfds_t count, int limit, size_t size)>;
using WaitForEvents = Call<int(int fd, epoll_event* events, int room, int limit)>;
using Select = Call<int(int count, fd_set* read, fd_set* write, fd_set* except, timeval* limit)>;
using OfSocket = Call<int(int fd, sockaddr* address, socklen_t* size)>;
using OfFour = Call<int(long, long, long, long)>;
using Receive = Call<ssize_t(long, long, long, long, long, long)>;
using End = Call<pid_t(pid_t child, int* status, int flags)>;
using Timer = Call<int(__itimer_which_t which, const itimerval* time, itimerval* before)>;
using SetTimer = Call<int(timer_t timer, int flags, const itimerspec* time, itimerspec* before)>;
using Alarm = Call<unsigned(unsigned seconds)>;
using Usage = Call<int(__rusage_who_t who, rusage* used)>;
using Answer = Call<int(void* place)>;
using FileSystem = Call<int(const char* path, struct statvfs* answer)>;
using Asked = Call<long()>;
using Configuration = Call<long(int name)>;
using Load = Call<int(double* loads, int count)>;
using OfTwo = Call<int(long, long)>;
using Name = Call<char*(char* name)>;
using NameIn = Call<char*(const char* folder, const char* start)>;
using ReadLink = Call<ssize_t(const char* path, char* buffer, size_t size)>;
using ReadLinkAt = Call<ssize_t(int folder, const char* path, char* buffer, size_t size)>;
using ReadLinkChecked = Call<ssize_t(const char* path, char* buffer, size_t size, size_t room)>;
using ReadLinkAtChecked =
    Call<ssize_t(int folder, const char* path, char* buffer, size_t size, size_t room)>;
using ReadAttribute = Call<ssize_t(const char* path, const char* name, void* value, size_t size)>;
using ListAttributes = Call<ssize_t(const char* path, char* names, size_t size)>;
using OpenForChild = Call<int(posix_spawn_file_actions_t* actions, int fd, const char* path,
                              int flags, mode_t mode)>;
using Naming = Call<int(const char* from, const char* name)>;
using LinkAt = Call<int(const char* to, int folder, const char* name)>;
using NamingAt = Call<int(int before, const char* from, int folder, const char* name)>;
using NamingWith = Call<int(int before, const char* from, int folder, const char* name, int flags)>;

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_TEMPLATE_HOOKS(libc, Naming, rename, link, name_file, used);
DETSHIM_TEMPLATE_HOOK(libc, Naming, symlink, name_file, used);
DETSHIM_TEMPLATE_HOOK(libc, LinkAt, symlinkat, name_link, used);
DETSHIM_TEMPLATE_HOOK(libc, NamingAt, renameat, name_at, used);
DETSHIM_TEMPLATE_HOOKS(libc, NamingWith, renameat2, linkat, name_at, used);
DETSHIM_TEMPLATE_HOOKS(libc, Status, stat, stat64, status_of, noted);
DETSHIM_TEMPLATE_HOOKS(libc, Status, lstat, lstat64, status_of, noted);
DETSHIM_TEMPLATE_HOOKS(libc, StatusAt, fstatat, fstatat64, status_at, noted);
DETSHIM_TEMPLATE_HOOK(libc, Access, access, access_of, noted);
DETSHIM_TEMPLATE_HOOKS(libc, OfThree, connect, accept, read_input<UserCall::network>, noted);
DETSHIM_TEMPLATE_HOOK(libc, OfSocket, getsockname, read_port, noted);
DETSHIM_TEMPLATE_HOOK(libc, OfFour, accept4, read_input<UserCall::network>, noted);
DETSHIM_TEMPLATE_HOOK(libc, Receive, recvfrom, read_input<UserCall::network>, noted);
DETSHIM_TEMPLATE_HOOK(libc, Timer, setitimer, read_input<UserCall::timer>, noted);
DETSHIM_TEMPLATE_HOOK(libc, End, waitpid, ask_for_end, noted);
DETSHIM_TEMPLATE_HOOK(libc, SetTimer, timer_settime, read_input<UserCall::timer>, noted);
DETSHIM_TEMPLATE_HOOK(libc, OfFour, timerfd_settime, read_input<UserCall::timer>, noted);
DETSHIM_TEMPLATE_HOOK(libc, Poll, poll, poll_for, noted);
DETSHIM_TEMPLATE_HOOK(libc, PollChecked, __poll_chk, poll_for, noted);
DETSHIM_TEMPLATE_HOOK(libc, WaitForEvents, epoll_wait, wait_for_events, noted);
DETSHIM_TEMPLATE_HOOK(libc, Select, select, select_within, noted);
DETSHIM_TEMPLATE_HOOK(libc, Alarm, alarm, read_input<UserCall::timer>, noted);
DETSHIM_TEMPLATE_HOOK(libc, Usage, getrusage, read_input<UserCall::system>, noted);
DETSHIM_TEMPLATE_HOOK(libc, Answer, sysinfo, read_memory, noted);
DETSHIM_TEMPLATE_HOOKS(libc, Answer, ftime, adjtimex, read_input<UserCall::system>, noted);
DETSHIM_TEMPLATE_HOOKS(libc, Answer, ntp_gettime, ntp_gettimex, read_input<UserCall::system>,
                       noted);
DETSHIM_TEMPLATE_HOOKS(libc, Asked, sched_getcpu, get_avphys_pages, read_input<UserCall::system>,
                       noted);
DETSHIM_TEMPLATE_HOOKS(libc, FileSystem, statvfs, statvfs64, read_input<UserCall::system>, noted);
DETSHIM_TEMPLATE_HOOK(libc, Configuration, sysconf, read_configuration, noted);
DETSHIM_TEMPLATE_HOOK(libc, Load, getloadavg, read_input<UserCall::system>, noted);
DETSHIM_TEMPLATE_HOOKS(libc, OfThree, shmget, semget, read_input<UserCall::name>, noted);
DETSHIM_TEMPLATE_HOOK(libc, OfTwo, msgget, read_input<UserCall::name>, noted);
DETSHIM_TEMPLATE_HOOK(libc, OfTwo, ualarm, read_input<UserCall::timer>, noted);
DETSHIM_TEMPLATE_HOOKS(libc, Answer, mkstemp, mkstemp64, read_input<UserCall::name>, noted);
DETSHIM_TEMPLATE_HOOKS(libc, Name, mkdtemp, mktemp, read_input<UserCall::name>, noted);
DETSHIM_TEMPLATE_HOOK(libc, Name, tmpnam, read_input<UserCall::name>, noted);
DETSHIM_TEMPLATE_HOOK(libc, NameIn, tempnam, read_input<UserCall::name>, noted);
DETSHIM_TEMPLATE_HOOK(libc, ReadLink, readlink, read_of_file<FileUse::link>, used);
DETSHIM_TEMPLATE_HOOK(libc, ReadLinkAt, readlinkat, read_link_at, used);
DETSHIM_TEMPLATE_HOOK(libc, ReadLinkChecked, __readlink_chk, read_of_file<FileUse::link>, used);
DETSHIM_TEMPLATE_HOOK(libc, ReadLinkAtChecked, __readlinkat_chk, read_link_at, used);
DETSHIM_TEMPLATE_HOOKS(libc, ReadAttribute, getxattr, lgetxattr, read_of_file<FileUse::attributes>,
                       used);
DETSHIM_TEMPLATE_HOOKS(libc, ListAttributes, listxattr, llistxattr,
                       read_of_file<FileUse::attributes>, used);
DETSHIM_TEMPLATE_HOOK(libc, OpenForChild, posix_spawn_file_actions_addopen, open_for_child, used);
DETSHIM_TEMPLATE_HOOKS(libc, Answer, aio_write, aio_write64, read_input<UserCall::timer>, noted);
DETSHIM_TEMPLATE_HOOKS(libc, Answer, aio_read, aio_read64, read_input<UserCall::timer>, noted);
