// Calls with pointers into memory that cannot be read or written: prints what each answers, and
// errno.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

extern char** environ;

namespace {

constexpr size_t page = 4096;
constexpr char program[] = "/bin/true";

/// A page that can be used, and behind it one that cannot.
struct Pages {
  char* begin = static_cast<char*>(
      mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  char* closed = begin + page;

  Pages() { mprotect(closed, page, PROT_NONE); }

  /// The text where the first page ends. Without `has_end` it would go on in the second.
  char* at_end(const char* text, bool has_end) const {
    const size_t size = strlen(text) + (has_end ? 1 : 0);
    return static_cast<char*>(memcpy(closed - size, text, size));
  }
};

int device = -1; // a random device
int nothing = -1;
char word[64];
char* arguments[] = {word, nullptr};
struct stat state;
struct statx more_state;
struct statvfs file_system;

int wait_for(int error, pid_t child) {
  int status = 0;
  if (error == 0)
    waitpid(child, &status, 0);
  return error != 0 ? error : status;
}

int spawn(const char* path, char* const* argv, char* const* environment) {
  pid_t child = -1;
  const int error = posix_spawn(&child, path, nullptr, nullptr, argv, environment);
  return wait_for(error, child);
}

/// Closes what was opened: a number that stays would be another one in each call.
long closed_again(long fd) {
  if (fd >= 0)
    close(static_cast<int>(fd));
  return fd >= 0 ? 0 : fd;
}

long is_open(FILE* file) {
  if (file != nullptr)
    fclose(file);
  return file != nullptr;
}

char* const* as_texts(const char* at) { return reinterpret_cast<char* const*>(at); }

struct Case {
  const char* name;
  long (*call)(const char* at);
};

/// What the kernel alone reads: a text at that place.
constexpr Case texts[] = {
    {"open",
     [](const char* at) {
       return closed_again(open(at, O_RDONLY));
     }},
    {"open to make it",
     [](const char* at) {
       return closed_again(open(at, O_RDWR | O_CREAT | O_EXCL, 0600));
     }},
    {"open with bad flags",
     [](const char* at) {
       return closed_again(open(at, O_TMPFILE | O_RDONLY, 0600));
     }},
    {"openat",
     [](const char* at) {
       return closed_again(openat(AT_FDCWD, at, O_RDONLY));
     }},
    {"openat of no folder",
     [](const char* at) {
       return closed_again(openat(-1, at, O_RDONLY));
     }},
    {"creat",
     [](const char* at) {
       return closed_again(creat(at, 0600));
     }},
    {"fopen",
     [](const char* at) {
       return is_open(fopen(at, "r"));
     }},
    {"freopen",
     [](const char* at) {
       return is_open(freopen(at, "r", fopen("/dev/null", "r")));
     }},
    {"access",
     [](const char* at) {
       return long{access(at, R_OK)};
     }},
    {"access with bad mode",
     [](const char* at) {
       return long{access(at, 99)};
     }},
    {"faccessat",
     [](const char* at) {
       return long{faccessat(AT_FDCWD, at, R_OK, 0)};
     }},
    {"stat",
     [](const char* at) {
       return long{stat(at, &state)};
     }},
    {"lstat",
     [](const char* at) {
       return long{lstat(at, &state)};
     }},
    {"fstatat",
     [](const char* at) {
       return long{fstatat(AT_FDCWD, at, &state, 0)};
     }},
    {"fstatat with bad flags",
     [](const char* at) {
       return long{fstatat(AT_FDCWD, at, &state, 0x40000000)};
     }},
    {"statx",
     [](const char* at) {
       return long{statx(AT_FDCWD, at, 0, STATX_ALL, &more_state)};
     }},
    {"statx of a descriptor",
     [](const char* at) {
       return long{statx(device, at, AT_EMPTY_PATH, STATX_ALL, &more_state)};
     }},
    {"statvfs",
     [](const char* at) {
       return long{statvfs(at, &file_system)};
     }},
    {"readlink",
     [](const char* at) {
       return long{readlink(at, word, sizeof word)};
     }},
    {"readlink into nothing",
     [](const char* at) {
       return long{readlink(at, word, 0)};
     }},
    {"readlinkat",
     [](const char* at) {
       return long{readlinkat(AT_FDCWD, at, word, sizeof word)};
     }},
    {"getxattr",
     [](const char* at) {
       return long{getxattr(at, "user.x", word, sizeof word)};
     }},
    {"lgetxattr",
     [](const char* at) {
       return long{lgetxattr(at, "user.x", word, sizeof word)};
     }},
    {"listxattr",
     [](const char* at) {
       return long{listxattr(at, word, sizeof word)};
     }},
    {"chdir",
     [](const char* at) {
       return long{chdir(at)};
     }},
    {"chroot",
     [](const char* at) {
       return long{chroot(at)};
     }},
    {"rename",
     [](const char* at) {
       return long{rename(at, at)};
     }},
    {"renameat",
     [](const char* at) {
       return long{renameat(AT_FDCWD, at, AT_FDCWD, at)};
     }},
    {"renameat2",
     [](const char* at) {
       return long{renameat2(AT_FDCWD, at, AT_FDCWD, at, 0)};
     }},
    {"link",
     [](const char* at) {
       return long{link(at, at)};
     }},
    {"linkat",
     [](const char* at) {
       return long{linkat(AT_FDCWD, at, AT_FDCWD, at, 0)};
     }},
    {"symlink",
     [](const char* at) {
       return long{symlink(at, at)};
     }},
    {"symlinkat",
     [](const char* at) {
       return long{symlinkat(at, AT_FDCWD, at)};
     }},
    {"unlink",
     [](const char* at) {
       return long{unlink(at)};
     }},
    {"execve",
     [](const char* at) {
       return long{execve(at, arguments, environ)};
     }},
    {"execv",
     [](const char* at) {
       return long{execv(at, arguments)};
     }},
    {"execl",
     [](const char* at) {
       return long{execl(at, word, nullptr)};
     }},
    {"execveat",
     [](const char* at) {
       return long{execveat(AT_FDCWD, at, arguments, environ, 0)};
     }},
    {"SYS_execve",
     [](const char* at) {
       return syscall(SYS_execve, at, arguments, environ);
     }},
    {"posix_spawn",
     [](const char* at) {
       return long{spawn(at, arguments, environ)};
     }},
};

/// The same, where a program would take the text if it could be read.
constexpr Case taken[] = {
    {"execve of an argument",
     [](const char* at) {
       const char* const with_text[] = {program, at, nullptr};
       return long{execve(program, const_cast<char* const*>(with_text), environ)};
     }},
    {"execl of an argument",
     [](const char* at) {
       return long{execl(program, program, at, nullptr)};
     }},
    {"execvp of an argument",
     [](const char* at) {
       const char* const with_text[] = {program, at, nullptr};
       return long{execvp("true", const_cast<char* const*>(with_text))};
     }},
    {"execve of a variable",
     [](const char* at) {
       const char* const with_text[] = {at, nullptr};
       return long{execve(program, arguments, const_cast<char* const*>(with_text))};
     }},
    {"posix_spawn of an argument",
     [](const char* at) {
       const char* const with_text[] = {program, at, nullptr};
       return long{spawn(program, const_cast<char* const*>(with_text), environ)};
     }},
    {"execve of arguments",
     [](const char* at) {
       return long{execve(program, as_texts(at), environ)};
     }},
    {"execve of variables",
     [](const char* at) {
       return long{execve(program, arguments, as_texts(at))};
     }},
    {"execv of arguments",
     [](const char* at) {
       return long{execv(program, as_texts(at))};
     }},
    {"execveat of arguments",
     [](const char* at) {
       return long{execveat(AT_FDCWD, program, as_texts(at), environ, 0)};
     }},
    {"SYS_execve of variables",
     [](const char* at) {
       return syscall(SYS_execve, program, arguments, as_texts(at));
     }},
    {"posix_spawn of variables",
     [](const char* at) {
       return long{spawn(program, arguments, as_texts(at))};
     }},
    {"system",
     [](const char* at) {
       return long{system(at)};
     }},
};

void* writable(const char* at) { return const_cast<char*>(at); }

/// What the kernel reads or fills.
constexpr Case data[] = {
    {"read of the device",
     [](const char* at) {
       return long{read(device, writable(at), 8)};
     }},
    {"pread of the device",
     [](const char* at) {
       return long{pread(device, writable(at), 8, 0)};
     }},
    {"readv of no parts",
     [](const char* at) {
       return long{readv(device, static_cast<const iovec*>(writable(at)), 1)};
     }},
    {"readv of a part",
     [](const char* at) {
       const iovec part = {writable(at), 8};
       return long{readv(device, &part, 1)};
     }},
    {"preadv of no parts",
     [](const char* at) {
       return long{preadv(device, static_cast<const iovec*>(writable(at)), 1, 0)};
     }},
    {"preadv2 of no parts",
     [](const char* at) {
       return long{preadv2(device, static_cast<const iovec*>(writable(at)), 1, -1, 0)};
     }},
    {"getrandom",
     [](const char* at) {
       return long{getrandom(writable(at), 300, 0)};
     }},
    {"SYS_getrandom",
     [](const char* at) {
       return syscall(SYS_getrandom, at, 8, 0);
     }},
    {"getentropy",
     [](const char* at) {
       return long{getentropy(writable(at), 16)};
     }},
    {"SYS_clock_gettime",
     [](const char* at) {
       return syscall(SYS_clock_gettime, CLOCK_MONOTONIC, at);
     }},
    {"fstat",
     [](const char* at) {
       return long{fstat(device, static_cast<struct stat*>(writable(at)))};
     }},
    {"stat into",
     [](const char* at) {
       return long{stat("/", static_cast<struct stat*>(writable(at)))};
     }},
    {"statx into",
     [](const char* at) {
       return long{
           statx(device, "", AT_EMPTY_PATH, STATX_ALL, static_cast<struct statx*>(writable(at)))};
     }},
    {"readlink into",
     [](const char* at) {
       return long{readlink("/proc/self/exe", static_cast<char*>(writable(at)), 9)};
     }},
    {"waitpid",
     [](const char* at) {
       return long{waitpid(-1, static_cast<int*>(writable(at)), 0)};
     }},
    {"write",
     [](const char* at) {
       return long{write(STDOUT_FILENO, at, 8)};
     }},
    {"writev of no parts",
     [](const char* at) {
       return long{writev(STDOUT_FILENO, static_cast<const iovec*>(writable(at)), 1)};
     }},
    {"writev of a part",
     [](const char* at) {
       const iovec part = {writable(at), 8};
       return long{writev(STDOUT_FILENO, &part, 1)};
     }},
    {"write to nothing",
     [](const char* at) {
       return long{write(nothing, at, 8)};
     }},
    {"writev to nothing",
     [](const char* at) {
       const iovec part = {writable(at), 8};
       return long{writev(nothing, &part, 1)};
     }},
};

void say(const Case& tried, const char* at, const char* where) {
  errno = 0;
  const long answer = tried.call(at);
  const int error = errno;
  printf("%s, %s: %ld %d\n", tried.name, where, answer, error);
  fflush(stdout);
}

} // namespace

int main() {
  const Pages pages;
  device = open("/dev/urandom", O_RDONLY);
  nothing = open("/dev/null", O_WRONLY);
  strcpy(word, "word");

  for (const Case& tried : texts) {
    say(tried, pages.closed, "no memory");
    say(tried, pages.at_end("/proc/1/nothing", false), "no end");
    say(tried, pages.at_end("/no/such/file", true), "no file, an end at the page's");
    say(tried, pages.at_end("/", true), "an end at the page's");
    say(tried, nullptr, "null");
  }
  for (const Case& tried : taken)
    say(tried, pages.closed, "no memory");
  for (const Case& tried : data)
    say(tried, pages.closed, "no memory");
}
