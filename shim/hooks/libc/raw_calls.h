// System calls by their numbers, through libc's syscall(): what it shares with the functions of
// their names.
#pragma once

#include "loader/hook.h"

#include <cstddef>

namespace detshim {

namespace hooks {
using syscall_signature = long(long number, ...);
DETSHIM_DECLARE_HOOK(syscall);
} // namespace hooks

using RawCall = Call<hooks::syscall_signature>;

long getrandom_by_number(const RawCall& call, void* buffer, size_t size, unsigned flags);
/// SYS_seccomp and SYS_prctl.
long filter_by_number(const RawCall& call, long number, unsigned long a, unsigned long b,
                      unsigned long c, unsigned long d, unsigned long e);
/// SYS_execve and SYS_execveat.
long execute_by_number(const RawCall& call, long number, long a, long b, long c, long d, long e);
/// SYS_openat and SYS_open: a random device is replaced as by the functions.
long open_by_number(const RawCall& call, long number, long a, long b, long c, long d);
/// Of a clock or an id, which gave `result`.
void note_reading_by_number(const RawCall& call, long number, long b, long result);

} // namespace detshim
