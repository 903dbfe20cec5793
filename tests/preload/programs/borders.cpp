// Draws into memory that is not there, or only in part, and writes to devices, and prints what it
// is answered: `borders memory` or `borders rights`.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <initializer_list>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

extern "C" ssize_t __read_chk(int, void*, size_t, size_t);

namespace {

constexpr size_t page = 4096;

/// A page that can be written and then one that cannot, both new: `wall` is the second's access, or
/// -1 for none there.
char* before_wall(int wall) {
  auto* at = static_cast<char*>(
      mmap(nullptr, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  if (wall < 0)
    munmap(at + page, 2 * page);
  else
    mprotect(at + page, 2 * page, wall);
  return at + page;
}

void say(const char* way, const char* place, long got) {
  std::printf("%s %s: %ld %s\n", way, place, got, got < 0 ? strerror(errno) : "");
}

/// Each way to draw `size` bytes to an address.
void draw_to(const char* place, int fd, void* (*at)(), size_t size) {
  char good[16];
  say("getrandom", place, getrandom(at(), size, 0));
  say("contrary flags", place,
      getrandom(at(), size, GRND_RANDOM | 4)); // and GRND_INSECURE, which older headers lack
  if (reinterpret_cast<long>(at()) != -1)      // for which glibc's forgets to draw
    say("getentropy", place, getentropy(at(), size > 256 ? 256 : size));
  say("syscall", place, syscall(SYS_getrandom, at(), size, 0));
  say("read", place, read(fd, at(), size));
  say("__read_chk", place, __read_chk(fd, at(), size, size));
  say("pread", place, pread(fd, at(), size, 5000));
  const iovec alone = {at(), size};
  say("readv", place, readv(fd, &alone, 1));
  say("preadv", place, preadv(fd, &alone, 1, 5000));
  const iovec behind[] = {{good, sizeof good}, {at(), size}, {good, sizeof good}};
  say("readv behind", place, readv(fd, behind, 3));
  say("preadv2 behind", place, preadv2(fd, behind, 3, -1, 0));
  say("preadv2 unknown flag", place, preadv2(fd, behind, 1, -1, 0x40000000));
}

void memory() {
  const int fd = open("/dev/urandom", O_RDONLY);
  static char skipped[1000];
  if (read(fd, skipped, sizeof skipped) != sizeof skipped)
    std::exit(1); // beyond what lies ready
  draw_to(
      "nowhere", fd,
      [] {
        return static_cast<void*>(nullptr);
      },
      16);
  draw_to(
      "at no address", fd,
      [] {
        return reinterpret_cast<void*>(-1l);
      },
      16);
  draw_to(
      "unmapped", fd,
      [] {
        return static_cast<void*>(before_wall(-1));
      },
      16);
  draw_to(
      "unmapped, one byte", fd,
      [] {
        return static_cast<void*>(before_wall(-1));
      },
      1);
  draw_to(
      "not to be written", fd,
      [] {
        return static_cast<void*>(before_wall(PROT_READ));
      },
      16);
  draw_to(
      "not to be touched", fd,
      [] {
        return static_cast<void*>(before_wall(PROT_NONE));
      },
      600);
  draw_to(
      "in part", fd,
      [] {
        return static_cast<void*>(before_wall(-1) - 10);
      },
      16);
  draw_to(
      "three bytes of them", fd,
      [] {
        return static_cast<void*>(before_wall(-1) - 3);
      },
      16);
  draw_to(
      "a page of them", fd,
      [] {
        return static_cast<void*>(before_wall(PROT_READ) - page);
      },
      2 * page);
  draw_to(
      "much", fd,
      [] {
        return static_cast<void*>(before_wall(-1) - page);
      },
      size_t{1} << 30);
  draw_to(
      "all", fd,
      [] {
        return static_cast<void*>(before_wall(-1) - page);
      },
      page);
  draw_to(
      "nothing", fd,
      [] {
        return static_cast<void*>(nullptr);
      },
      0);
  const iovec too_long = {skipped, static_cast<size_t>(-1)};
  say("readv", "of a length below zero", readv(fd, &too_long, 1));
  say("readv", "of parts nowhere", readv(fd, reinterpret_cast<iovec*>(before_wall(-1)), 2));
  say("readv", "of parts in part", readv(fd, reinterpret_cast<iovec*>(before_wall(-1) - 16), 2));
  say("readv", "of parts at no address", readv(fd, reinterpret_cast<iovec*>(-1l), 1));
  say("readv", "of no parts", readv(fd, &too_long, 0));
  volatile int below = -1;
  say("readv", "of parts below zero", readv(fd, &too_long, below));
}

/// What a descriptor is for, and how it is written to.
void write_to(const char* how, int fd) {
  char bytes[64] = {};
  const iovec parts[] = {{bytes, 10}, {bytes, 20}};
  say(how, "flags", fcntl(fd, F_GETFL));
  say(how, "write", write(fd, bytes, sizeof bytes));
  say(how, "writev", writev(fd, parts, 2));
  say(how, "pwrite", pwrite(fd, bytes, 5, 100));
  say(how, "write from nowhere", write(fd, before_wall(-1), 5));
  say(how, "read", read(fd, bytes, sizeof bytes));
  const int copy = dup(fd);
  say(how, "write to a copy", write(copy, bytes, sizeof bytes));
  close(copy);
}

void rights() {
  for (const char* device : {"/dev/urandom", "/dev/random", "/dev/../dev/urandom"}) {
    write_to("for reading", open(device, O_RDONLY));
    write_to("for reading, at once", open(device, O_RDONLY | O_NONBLOCK));
    write_to("for writing", open(device, O_WRONLY));
    write_to("for both", open(device, O_RDWR | O_CLOEXEC));
    for (const char* mode : {"r", "r+", "w"})
      if (FILE* const file = std::fopen(device, mode))
        write_to(mode, fileno(file)), std::fclose(file);
    for (const int rights : {O_RDONLY, O_WRONLY, O_RDWR})
      for (const char* mode : {"r", "w", "a", "r+", "w+"}) {
        const int fd = open(device, rights);
        FILE* const file = fdopen(fd, mode);
        say(mode, "of a descriptor", file == nullptr ? -1 : rights);
        file == nullptr ? close(fd) : std::fclose(file);
      }
  }
  // What was written has no effect on what is read.
  const int fd = open("/dev/urandom", O_RDWR);
  char first[32], second[32];
  const bool is_written =
      write(fd, "what somebody writes", 20) == 20 && pwrite(fd, "and here", 8, 30) == 8;
  if (read(fd, first, sizeof first) != sizeof first ||
      pread(fd, second, sizeof second, 0) != sizeof second)
    std::exit(1);
  std::printf("written: %d %d\n", is_written, std::memcmp(first, "what", 4) != 0);
  std::FILE* const bytes = std::fopen("bytes", "w");
  std::fwrite(first, 1, sizeof first, bytes);
  std::fclose(bytes);
}

} // namespace

int main(int count, char** arguments) {
  if (count != 2)
    return 2;
  (std::strcmp(arguments[1], "memory") == 0 ? memory : rights)();
}
