// What a snippet stands on. A snippet is one file that draws from one source as programs do:
//
//   SNIPPET {
//     auto draw = FN(rand, LIBC, LIBC_BASE);
//     for (int i = 0; i < 8; ++i) emit(draw());
//   }
//
// It is built once and runs in every framework: see harness/main.cpp. Nothing here allocates, so
// that a snippet may run in a signal handler or in a library's constructor.
#pragma once

#include <stdint.h>

/// Defines the snippet's body.
#define SNIPPET void snippet()
void snippet();

/// Adds one line to the output: a number in hexadecimal, or a text.
void emit(uint64_t value);
void emit(const char* line);

/// The bits of a floating-point value, to be emitted.
inline uint64_t bits(double value) { return __builtin_bit_cast(uint64_t, value); }

/// Ends the program with exit status 1 if `holds` is false.
void check(bool holds, const char* what);

/// A seed as programs make it: the clock in nanoseconds mixed with the process id. All 64 bits
/// vary.
uint64_t clock_seed();

/// The glibc that the versions below belong to.
#define LIBC "libc.so.6"
#ifdef __x86_64__
#define LIBC_BASE "GLIBC_2.2.5" ///< version of the symbols that were there from the start
#define LIBC_2_4 "GLIBC_2.4"
#define LIBC_2_7 "GLIBC_2.7"
#else
#define LIBC_BASE "GLIBC_2.17" ///< aarch64: glibc's first release for it
#define LIBC_2_4 LIBC_BASE
#define LIBC_2_7 LIBC_BASE
#endif

/// The function by dlsym or dlvsym where the framework asks for that, else nullptr.
void* looked_up(const char* name, const char* library, const char* version);

/// The function to call: `name` itself, an ordinary call bound by the linker, or what the
/// framework's way of looking it up yields.
#define FN(name, library, version)                                                                 \
  [](auto... arguments) {                                                                          \
    void* const found = looked_up(#name, library, version);                                        \
    return found ? reinterpret_cast<decltype(&name)>(found)(arguments...) : name(arguments...);    \
  }
