// System calls made without libc: they cannot meet a hook (ours or another preload's), they leave
// errno alone, and they are legal in a signal handler and before any constructor.
#pragma once

#include "common/valgrind.h"

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace detshim::sys {

/// Makes the call. For what cannot do without: whatever a filter says.
inline long enter(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0,
                  long f = 0) {
#if defined(__x86_64__)
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  register long x5 __asm__("x5") = f;
  __asm__ volatile("svc 0"
                   : "+r"(x0)
                   : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                   : "memory");
  return x0;
#else
#error "detshim knows the system calls of x86-64 and aarch64"
#endif
}

/// Makes a call, or answers it, where the program has put a filter on itself
/// (shim/core/base/filters.h).
using Gate = long(long number, long a, long b, long c, long d, long e, long f);
extern Gate* gate __attribute__((visibility("hidden")));

/// The kernel's answer: a result, or a negated errno from -4095 to -1.
inline long call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0,
                 long f = 0) {
  Gate* const now = __atomic_load_n(&gate, __ATOMIC_RELAXED);
  return __builtin_expect(now == nullptr, 1) ? enter(number, a, b, c, d, e, f)
                                             : now(number, a, b, c, d, e, f);
}

inline bool failed(long result) { return result < 0 && result > -4096; }

inline long address(const void* p) { return static_cast<long>(reinterpret_cast<uintptr_t>(p)); }

inline int getpid() { return static_cast<int>(call(SYS_getpid)); }
inline int gettid() { return static_cast<int>(call(SYS_gettid)); }

inline int openat(int folder, const char* path, int flags, unsigned mode = 0) {
  return static_cast<int>(call(SYS_openat, folder, address(path), flags, static_cast<long>(mode)));
}
inline int close(int fd) { return static_cast<int>(call(SYS_close, fd)); }
inline long read(int fd, void* data, size_t size) {
  return call(SYS_read, fd, address(data), static_cast<long>(size));
}
inline long pread(int fd, void* data, size_t size, long offset) {
  return call(SYS_pread64, fd, address(data), static_cast<long>(size), offset);
}
inline long write(int fd, const void* data, size_t size) {
  return call(SYS_write, fd, address(data), static_cast<long>(size));
}
inline long pwrite(int fd, const void* data, size_t size, long offset) {
  return call(SYS_pwrite64, fd, address(data), static_cast<long>(size), offset);
}
inline int mkdirat(int folder, const char* path, unsigned mode) {
  return static_cast<int>(call(SYS_mkdirat, folder, address(path), static_cast<long>(mode)));
}
inline long lseek(int fd, long offset, int whence) { return call(SYS_lseek, fd, offset, whence); }
/// Returns early where a signal comes.
inline void sleep(long nanoseconds) {
  const struct timespec time = {nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
  call(SYS_nanosleep, address(&time), 0);
}
inline int fcntl(int fd, int command, long argument = 0) {
  return static_cast<int>(call(SYS_fcntl, fd, command, argument));
}
inline int dup3(int from, int to, int flags) {
  return static_cast<int>(call(SYS_dup3, from, to, flags));
}
inline int memfd_create(const char* name, unsigned flags) {
  return static_cast<int>(call(SYS_memfd_create, address(name), static_cast<long>(flags)));
}

constexpr uint64_t microseconds(const timespec& time) {
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000 +
         static_cast<uint64_t>(time.tv_nsec) / 1000;
}
/// The time of day, in microseconds since 1970.
inline uint64_t now() {
  timespec time = {};
  call(SYS_clock_gettime, CLOCK_REALTIME, address(&time));
  return microseconds(time);
}

/// 0 and the file's state, or a negated errno.
inline int fstat(int fd, struct stat& state) {
#if defined(SYS_fstat)
  return static_cast<int>(call(SYS_fstat, fd, address(&state)));
#else
  return static_cast<int>(call(SYS_newfstatat, fd, address(""), address(&state), AT_EMPTY_PATH));
#endif
}

/// The same for a name.
inline int stat(const char* path, struct stat& state) {
  return static_cast<int>(call(SYS_newfstatat, AT_FDCWD, address(path), address(&state), 0));
}

/// The same as can_read(), by copying from there. Takes twice as long, and not every filter allows
/// it.
inline bool can_copy(uintptr_t address, size_t size) {
  struct {
    uint64_t begin, size;
  } const from = {address, size};
  uint64_t copy = 0;
  const struct {
    uint64_t begin, size;
  } to = {static_cast<uint64_t>(reinterpret_cast<uintptr_t>(&copy)), size};
  return call(SYS_process_vm_readv, getpid(), sys::address(&to), 1, sys::address(&from), 1, 0) ==
         static_cast<long>(size);
}

/// True if the page that holds the address can be read. Asks by a call that the library makes
/// anyway, and that does nothing: the kernel reads the set of signals before it finds that it is
/// not to be used in any known way.
inline bool can_read(uintptr_t address) {
  constexpr long no_way = -1;
  constexpr uintptr_t size_of_set = 8; // one that begins at a multiple of it lies in one page
  const uintptr_t set = address / size_of_set * size_of_set;
  if (is_in_valgrind())
    return can_copy(set, size_of_set); // it would say that it does not know such a way
  return call(SYS_rt_sigprocmask, no_way, static_cast<long>(set), 0, size_of_set) == -EINVAL;
}

/// Text of a symbolic link, null-terminated; its length, or a negated errno.
inline long readlink(const char* path, char* text, size_t size) {
  const long length =
      call(SYS_readlinkat, AT_FDCWD, address(path), address(text), static_cast<long>(size - 1));
  if (!failed(length))
    text[length] = 0;
  return length;
}

/// True if a file may grow to `end` bytes under the process's limit: past it, the kernel would not
/// only refuse but kill the program with SIGXFSZ.
inline bool may_grow_to(uint64_t end) {
  struct {
    uint64_t current, highest;
  } limit = {};
  return failed(call(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, address(&limit))) || end <= limit.current;
}

/// Memory from the kernel (zeroed), or nullptr. With MAP_SHARED, forked children have it in common
/// with this process.
inline void* map(size_t size, long sharing = MAP_PRIVATE) {
  const long p = call(SYS_mmap, 0, static_cast<long>(size), PROT_READ | PROT_WRITE,
                      sharing | MAP_ANONYMOUS, -1, 0);
  return failed(p) ? nullptr : reinterpret_cast<void*>(static_cast<uintptr_t>(p));
}
inline void unmap(void* p, size_t size) { call(SYS_munmap, address(p), static_cast<long>(size)); }

/// Keeps signal handlers away while it lives: what it guards is changed in steps, and a handler may
/// draw, or leave by longjmp. Signals that the thread's own instruction raises stay as they are,
/// because blocked they would kill.
class SignalsBlocked {
public:
  SignalsBlocked() {
    constexpr auto bit = [](int signal) {
      return uint64_t{1} << (signal - 1);
    };
    const uint64_t all =
        ~(bit(SIGILL) | bit(SIGTRAP) | bit(SIGBUS) | bit(SIGFPE) | bit(SIGSEGV) | bit(SIGSYS));
    call(SYS_rt_sigprocmask, SIG_BLOCK, address(&all), address(&before_), sizeof before_);
  }
  ~SignalsBlocked() { call(SYS_rt_sigprocmask, SIG_SETMASK, address(&before_), 0, sizeof before_); }
  SignalsBlocked& operator=(SignalsBlocked&&) = delete; // neither copied nor moved

private:
  uint64_t before_ = 0;
};

/// True if the kernel puts this process's code, stack and heap where they were in its last run:
/// personality(2).
inline bool has_fixed_layout() {
  constexpr long ask = 0xffffffff;
  return (call(SYS_personality, ask) & ADDR_NO_RANDOMIZE) != 0;
}

[[noreturn]] inline void exit_group(int status) {
  for (;;)
    enter(SYS_exit_group, status);
}

} // namespace detshim::sys
