// `syscall` is a stub in assembly that hands every number on by a jump, but those in the table
// here. System calls that return twice or change the stack must not pass through a C frame; before
// those, too, it asks.
#include "hooks/libc/raw_calls.h"

#include "core/identity/shared_page.h"

#include <sys/syscall.h>

DETSHIM_STUB(libc, long, syscall, (long number, ...), .action = Action::pin,
             .fields = {"program"_in, "rank"_in},
             .summary =
                 "SYS_getrandom draws from this thread's stream; calls that open, execute, read a "
                 "clock or set a filter act as the functions.");

using namespace detshim;

namespace {

constexpr unsigned long most = 512; // numbers

/// A bit for each number that C answers.
struct Answered {
  unsigned long bits[most / 64];
};
constexpr Answered answered() {
  Answered all = {};
  for (const int number : {SYS_getrandom, SYS_seccomp, SYS_prctl, SYS_execve, SYS_execveat,
                           SYS_getpid, SYS_getppid, SYS_gettid, SYS_clock_gettime, SYS_gettimeofday,
#ifdef SYS_time
                           SYS_time,
#endif
#ifdef SYS_open
                           SYS_open,
#endif
                           SYS_openat, SYS_times})
    all.bits[static_cast<unsigned>(number) / 64] |= 1UL << (number % 64);
  return all;
}

bool is_open(long number) {
#ifdef SYS_open
  if (number == SYS_open)
    return true;
#endif
  return number == SYS_openat;
}

} // namespace

extern "C" {
extern const Answered detshim_answered_calls = answered();
const void* detshim_real_syscall = nullptr;

/// Called before a number that may fork, and before the first call of all.
const void* detshim_prepare_syscall(long number) {
  bool forks = number == SYS_clone || number == SYS_clone3;
#if defined(SYS_fork)
  forks |= number == SYS_fork;
#endif
  if (forks && !options().off() && !hooks::syscall.disabled)
    share_page();
  if (hooks::syscall.real == nullptr)
    find_real(hooks::syscall);
  __atomic_store_n(&detshim_real_syscall, hooks::syscall.real, __ATOMIC_RELEASE);
  return detshim_real_syscall;
}

long detshim_answer_syscall(long number, long a, long b, long c, long d, long e, long f) {
  const RawCall call(hooks::syscall, __builtin_return_address(0));
  const auto word = [](long argument) {
    return static_cast<unsigned long>(argument);
  };
  if (number == SYS_getrandom)
    return getrandom_by_number(call, reinterpret_cast<void*>(a), word(b), static_cast<unsigned>(c));
  if (number == SYS_seccomp || number == SYS_prctl)
    return filter_by_number(call, number, word(a), word(b), word(c), word(d), word(e));
  if (number == SYS_execve || number == SYS_execveat)
    return execute_by_number(call, number, a, b, c, d, e);
  if (is_open(number))
    return open_by_number(call, number, a, b, c, d);
  const long result = call.real(number, a, b, c, d, e, f);
  note_reading_by_number(call, number, b, result);
  return result;
}
}
