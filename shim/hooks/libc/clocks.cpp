// Clocks and ids: noted as they are read, never changed.
//
// A fake clock hangs programs, so detshim leaves clocks real. But a program that seeds itself from
// one must be found out, and what was read shows whether a seed comes from a clock:
// core/seeds/clock_samples.h. So a hook here does not count as a draw, writes no record and makes
// no system call; where the user's code reads one is written at the end
// (hooks/support/user_call_sites.h).
//
// The exceptions are functions of interpreters that are known to do nothing but seed
// (hooks/runtimes/seeding_functions.h), and the user's own lines of Python
// (hooks/runtimes/python_clocks.h).
#include "core/seeds/clock_samples.h"
#include "hooks/libc/raw_calls.h"
#include "hooks/runtimes/python_clocks.h"
#include "hooks/runtimes/python_pools.h"
#include "hooks/runtimes/seeding_functions.h"
#include "hooks/support/frozen_clocks.h"
#include "hooks/support/user_call_sites.h"
#include "loader/hook.h"
#include "loader/python_draws.h"

#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

namespace detshim {
namespace {

/// Notes what was read, where the mode may ask about it later.
template <typename Call>
void note(const Call& call, Source source, int64_t a, int64_t b = 0) {
  if (options().off() || !call.is_hooked())
    return;
  note_clock_sample(source, static_cast<uint64_t>(a), static_cast<uint64_t>(b), call.caller());
  note_user_call(UserCall::clock, call.caller());
}

/// What a known seeding function gets instead of an id.
constexpr pid_t no_id = 0;

/// The seeding function that calls and gets a clock of its own, if one does; said where what it
/// seeds still differs.
template <typename Call>
const SeedingFunction* seeding_function_of(const Call& call, const void* const* frame = nullptr) {
  if (call.passes())
    return nullptr;
  const SeedingFunction* function = frame == nullptr
                                        ? seeding_function_at(call.caller())
                                        : seeding_function_behind(call.caller(), frame);
  if (function == nullptr)
    return nullptr;
  const SeedingAnswer answer = answer_to(*function);
  if (answer.why != Reason::none)
    call.record(Action::nondeterministic, answer.why, {});
  return answer.has_own_clock ? function : nullptr;
}

/// True where the user has named the call site: then the reading follows from the seed, and is no
/// sample.
template <typename Call>
bool freezes(const Call& call) {
  if (call.passes())
    return false;
  const bool is_of_batches = options().forces() && is_clock_of_batches();
  if (!is_of_batches && !is_frozen(call.caller()))
    return false;
  call.record(Action::pin, is_of_batches ? Reason::batches_by_time : Reason::frozen_clock, {});
  return true;
}

/// Readings of which nobody else gets anything.
template <Source source, typename Call, typename... Arguments>
auto read(const Call& call, Arguments... arguments) {
  auto value = call.real(arguments...);
  if (freezes(call)) {
    value =
        static_cast<decltype(value)>(source == Source::id ? frozen_id() : frozen_time(true).tv_sec);
    return value;
  }
  note(call, source, value);
  note_python_clock(call, source == Source::id ? PythonReading::id : PythonReading::other_clock);
  return value;
}

/// This process's, or its parent's.
template <typename Call>
pid_t read_process_id(const Call& call) {
  if (seeding_function_of(call) != nullptr)
    return no_id;
  if (freezes(call))
    return frozen_id();
  const pid_t id = call.real();
  if (is_users_temporary_name() && !call.passes())
    return -id; // which tempfile keeps and compares, no more
  note(call, Source::id, id);
  note_python_clock(call, PythonReading::id);
  return id;
}

constexpr Description notes_a_clock = {.action = Action::nondeterministic,
                                       .summary = "Noted: tells which seeds come from a clock. "
                                                  "Changed for no one but functions that are known "
                                                  "to seed from it."};
constexpr Description notes_an_id = {.action = Action::nondeterministic,
                                     .summary = "Noted: tells which seeds come from an id. Changed "
                                                "for no one but functions that are known to "
                                                "seed from it."};
using Ticks = Call<clock_t()>;
using Times = Call<clock_t(tms* used)>;
using Id = Call<pid_t()>;
using IdOf = Call<pid_t(pid_t process)>;

} // namespace

void note_reading_by_number(const RawCall& call, long number, long b, long result) {
  const bool is_id = number == SYS_getpid || number == SYS_getppid || number == SYS_gettid;
  if (is_id)
    note_python_clock(call, PythonReading::id);
  if (number != SYS_clock_gettime || result != 0)
    return note(call, is_id ? Source::id : Source::ticks, result);
  const auto& now = *reinterpret_cast<const timespec*>(b);
  note(call, Source::nanoseconds, now.tv_sec, now.tv_nsec);
}

} // namespace detshim

using namespace detshim;

DETSHIM_HOOK(libc, time_t, time, (time_t * to), notes_a_clock) {
  DETSHIM_ENTER(time);
  if (freezes(call)) {
    const time_t seconds = frozen_time(false).tv_sec;
    if (to != nullptr)
      *to = seconds;
    return seconds;
  }
  if (const SeedingFunction* function = seeding_function_of(call)) {
    const time_t seconds = seconds_for(*function);
    if (to != nullptr)
      *to = seconds;
    return seconds;
  }
  const time_t now = call.real(to);
  note(call, Source::seconds, now);
  note_python_clock(call, PythonReading::time, {true, now});
  return now;
}

DETSHIM_HOOK(libc, int, gettimeofday, (timeval * now, void* zone), notes_a_clock) {
  DETSHIM_ENTER(gettimeofday);
  const int status = call.real(now, zone);
  if (now != nullptr && freezes(call)) {
    const timespec frozen = frozen_time(false);
    *now = {.tv_sec = frozen.tv_sec, .tv_usec = frozen.tv_nsec / 1000};
    return status;
  }
  if (const SeedingFunction* function = seeding_function_of(call);
      function != nullptr && now != nullptr) {
    *now = {.tv_sec = seconds_for(*function), .tv_usec = 0};
    return status;
  }
  if (status == 0 && now != nullptr) {
    note(call, Source::microseconds, now->tv_sec, now->tv_usec);
    note_python_clock(call, PythonReading::time, {true, now->tv_sec, now->tv_usec * 1000});
  }
  return status;
}

DETSHIM_HOOK(libc, int, clock_gettime, (clockid_t clock, timespec* now), notes_a_clock) {
  DETSHIM_ENTER(clock_gettime);
  const int status = call.real(clock, now);
  if (status != 0)
    return status;
  if (freezes(call)) {
    *now = frozen_time(clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE &&
                       clock != CLOCK_TAI);
    return status;
  }
  if (clock == CLOCK_REALTIME) {
    const auto* const own_frame = static_cast<const void* const*>(__builtin_frame_address(0));
    const auto* const callers_frame = static_cast<const void* const*>(*own_frame);
    if (const SeedingFunction* function = seeding_function_of(call, callers_frame)) {
      *now = {.tv_sec = seconds_for(*function), .tv_nsec = 0};
      return status;
    }
  }
  note(call, Source::nanoseconds, now->tv_sec, now->tv_nsec);
  note_python_clock(call,
                    clock == CLOCK_REALTIME ? PythonReading::time : PythonReading::other_clock,
                    {true, now->tv_sec, now->tv_nsec});
  return status;
}

DETSHIM_HOOK(libc, int, timespec_get, (timespec * now, int base), notes_a_clock) {
  DETSHIM_ENTER(timespec_get);
  const int status = call.real(now, base);
  if (status != 0 && freezes(call)) {
    *now = frozen_time(false);
    return status;
  }
  if (status != 0)
    note(call, Source::nanoseconds, now->tv_sec, now->tv_nsec);
  return status;
}

DETSHIM_TEMPLATE_HOOK(libc, Ticks, clock, read<Source::ticks>, notes_a_clock);
DETSHIM_TEMPLATE_HOOK(libc, Times, times, read<Source::ticks>, notes_a_clock);
DETSHIM_TEMPLATE_HOOKS(libc, Id, gettid, getpgrp, read<Source::id>, notes_an_id);
DETSHIM_TEMPLATE_HOOKS(libc, IdOf, getpgid, getsid, read<Source::id>, notes_an_id);

DETSHIM_TEMPLATE_HOOKS(libc, Id, getpid, getppid, read_process_id, notes_an_id);
