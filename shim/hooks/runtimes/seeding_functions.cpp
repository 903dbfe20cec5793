#include "hooks/runtimes/seeding_functions.h"

#include "common/philox.h"
#include "common/sys.h"
#include "common/text.h"
#include "core/base/modules.h"
#include "core/base/thread_memory.h"
#include "core/identity/process.h"
#include "core/identity/thread.h"
#include "core/policy/options.h"

namespace detshim {

/// Told by its name, or else by its code.
struct SeedingFunction {
  const char* name = nullptr;     ///< exported by its program
  bool has_constants = false;     ///< its code holds a constant of foldhash's
  bool mixes_own_address = false; ///< by exclusive or, with what it reads
  bool mixes_addresses = false;   ///< of its stack, in a hash
};

namespace {

constexpr SeedingFunction functions[] = {
    {.name = "seedrand", .mixes_own_address = true}, // bash: $RANDOM (lib/sh/random.c)
    // Rust's hashbrown, polars: generate_global_seed (foldhash's seed.rs)
    {.has_constants = true, .mixes_addresses = true},
};

constexpr size_t longest = 8192; // of such a function's code

/// True if the code holds one of the 64-bit numbers that foldhash mixes seeds with: the fraction of
/// pi, as Blowfish has it. Of functions that ask for a clock, no other does.
bool holds_fraction_of_pi([[maybe_unused]] CodeRange code) {
#if defined(__x86_64__)
  constexpr uint64_t parts[] = {0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0,
                                0x082efa98ec4e6c89, 0x452821e638d01377, 0xbe5466cf34e90c6c,
                                0xc0ac29b7c97c50dd, 0x3f84d5b5b5470917, 0x9216d5d98979fb1b};
  if (code.end - code.begin > static_cast<ptrdiff_t>(longest))
    return false;
  for (const unsigned char* at = code.begin; code.end - at >= 10; ++at) {
    if ((at[0] & 0xFE) != 0x48 || (at[1] & 0xF8) != 0xB8)
      continue; // mov $64, register
    uint64_t number;
    __builtin_memcpy(&number, at + 2, sizeof number);
    for (const uint64_t part : parts)
      if (number == part)
        return true;
  }
#endif
  return false;
}

/// True if the function keeps a frame pointer, as Rust's standard library does: its frame is then
/// where its caller's register says.
bool keeps_frame_pointer([[maybe_unused]] CodeRange code) {
#if defined(__x86_64__)
  constexpr unsigned char prologue[] = {0x55, 0x48, 0x89, 0xE5}; // push %rbp; mov %rsp, %rbp
  return code.end - code.begin >= static_cast<ptrdiff_t>(sizeof prologue) &&
         __builtin_memcmp(code.begin, prologue, sizeof prologue) == 0;
#else
  return false;
#endif
}

/// True if it is the function whose code that is.
bool is_at(const SeedingFunction& function, const Module& module, const char* caller) {
  if (function.has_constants)
    return holds_fraction_of_pi(function_at(caller - 1));
  const void* start = module.symbol(function.name);
  return start != nullptr && function_at(start).holds(caller - 1);
}

const SeedingFunction* look_up(const void* caller) {
  Module module;
  if (!find_module(caller, module))
    return nullptr;
  for (const SeedingFunction& function : functions)
    if (is_at(function, module, static_cast<const char*>(caller)))
      return &function;
  return nullptr;
}

/// What a thread found of its last callers.
struct Callers {
  struct {
    const void* caller;
    const SeedingFunction* function;
  } functions[4];
  struct {
    const void* caller;
    bool has_frame;
  } frames[4];
};
DETSHIM_THREAD_MEMORY Callers callers_of_thread = {};

size_t place_of(const void* caller) { return reinterpret_cast<uintptr_t>(caller) / 4 % 4; }

} // namespace

const SeedingFunction* seeding_function_at(const void* caller) {
  auto& place = of_this_thread(callers_of_thread).functions[place_of(caller)];
  if (place.caller != caller)
    place = {caller, look_up(caller)};
  return place.function;
}

const SeedingFunction* seeding_function_behind(const void* caller, const void* const* frame) {
  auto& place = of_this_thread(callers_of_thread).frames[place_of(caller)];
  if (place.caller != caller)
    place = {caller, keeps_frame_pointer(function_at(static_cast<const char*>(caller) - 1))};
  return place.has_frame ? seeding_function_at(frame[1]) : nullptr;
}

int64_t seconds_for(const SeedingFunction& function) {
  // Whichever of a program's threads comes first.
  if (function.has_constants)
    return static_cast<uint32_t>(
        derive(process().key, static_cast<uint64_t>(Kind::seeding_function)));
  // An interpreter seeds itself whether or not it draws, so this is no draw, and the interpreter
  // may still hand its name on to the program that it starts.
  const auto seed =
      static_cast<uint32_t>(stream_key(this_thread(), Kind::seeding_function, programs_before()));
  if (!function.mixes_own_address)
    return seed;
  // It mixes its address in by exclusive or, and so does this: the layout is of no account.
  return seed ^ static_cast<uint32_t>(reinterpret_cast<uintptr_t>(find_symbol(function.name)));
}

SeedingAnswer answer_to(const SeedingFunction& function) {
  const bool depends_on_layout = function.mixes_addresses && !sys::has_fixed_layout();
  return {options().pins() && !makes_secrets(),
          depends_on_layout ? Reason::rust_addresses : Reason::none};
}

} // namespace detshim
