// libc's functions that the library calls by their names, each by libc's own handle.
//
// A name like `qsort` or `getauxval` may be the program's: a function of another type, or a
// sanitizer's, which expects to be called by code that it has prepared. Here each name is defined
// once more, seen by this library alone, and hands on to libc's.
// tests/binary/calls_no_name_of_the_program.sh holds the library to the names that nobody but libc
// may have: one that it refuses gets a row here.
#include "core/base/modules.h"

#include <cstdarg>
#include <cstddef>
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>

namespace detshim {
namespace {

/// One of libc's functions, looked up once; nullptr where this libc has none.
template <typename Function>
Function* of_libc(const char* name, Function*& known) {
  Function* function = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (function != nullptr)
    return function;
  function = reinterpret_cast<Function*>(const_cast<void*>(find_in_libc(name)));
  __atomic_store_n(&known, function, __ATOMIC_RELAXED);
  return function;
}

} // namespace
} // namespace detshim

/// NAME, for this library alone; what comes behind PARAMETERS are the arguments. In C++ it has
/// another name, so that it does not clash with the headers.
#define DETSHIM_OF_LIBC(RESULT, NAME, PARAMETERS, ...)                                             \
  extern "C" __attribute__((visibility("hidden")))                                                 \
  RESULT detshim_own_##NAME PARAMETERS __asm__(#NAME);                                             \
  RESULT detshim_own_##NAME PARAMETERS {                                                           \
    using Function = RESULT PARAMETERS;                                                            \
    static constinit Function* known = nullptr;                                                    \
    return detshim::of_libc(#NAME, known)(__VA_ARGS__);                                            \
  }

using AtExit = void(int, void*);
using Comparison = int(const void*, const void*);
using Signals = sigset_t;
using SignalAction = struct sigaction;
using SpawnAttributes = posix_spawnattr_t;

DETSHIM_OF_LIBC(int*, __errno_location, ())
DETSHIM_OF_LIBC(int, dirfd, (DIR * folder), folder)
DETSHIM_OF_LIBC(unsigned long, getauxval, (unsigned long type), type)
DETSHIM_OF_LIBC(int, on_exit, (AtExit * function, void* argument), function, argument)
DETSHIM_OF_LIBC(int, posix_spawnattr_destroy, (SpawnAttributes * of), of)
DETSHIM_OF_LIBC(int, posix_spawnattr_init, (SpawnAttributes * of), of)
DETSHIM_OF_LIBC(int, posix_spawnattr_setflags, (SpawnAttributes * of, short flags), of, flags)
DETSHIM_OF_LIBC(int, posix_spawnattr_setsigdefault, (SpawnAttributes * of, const Signals* set), of,
                set)
DETSHIM_OF_LIBC(int, posix_spawnattr_setsigmask, (SpawnAttributes * of, const Signals* set), of,
                set)
DETSHIM_OF_LIBC(int, pthread_setspecific, (pthread_key_t key, const void* value), key, value)
DETSHIM_OF_LIBC(int, pthread_sigmask, (int how, const Signals* set, Signals* before), how, set,
                before)
DETSHIM_OF_LIBC(void, qsort, (void* items, size_t count, size_t size, Comparison* compare), items,
                count, size, compare)
DETSHIM_OF_LIBC(void*, sbrk, (intptr_t more), more)
DETSHIM_OF_LIBC(int, setstate_r, (char* state, random_data* data), state, data)
DETSHIM_OF_LIBC(int, sigaction, (int signal, const SignalAction* now, SignalAction* before), signal,
                now, before)
DETSHIM_OF_LIBC(int, sigaddset, (Signals * set, int signal), set, signal)
DETSHIM_OF_LIBC(int, sigemptyset, (Signals * set), set)
DETSHIM_OF_LIBC(int, vsnprintf, (char* text, size_t size, const char* format, va_list values), text,
                size, format, values)

// Before glibc 2.34 it is there only where the program has threads.
extern "C" __attribute__((visibility("hidden"))) int
detshim_own_pthread_key_create(pthread_key_t* key,
                               void (*end)(void*)) __asm__("pthread_key_create");
int detshim_own_pthread_key_create(pthread_key_t* key, void (*end)(void*)) {
  using Function = int(pthread_key_t*, void (*)(void*));
  static constinit Function* known = nullptr;
  Function* const function = detshim::of_libc("pthread_key_create", known);
  return function == nullptr ? -1 : function(key, end);
}
