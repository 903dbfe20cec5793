#include "hooks/seeding_functions.h"

#include "common/sys.h"
#include "core/base/modules.h"
#include "core/identity/thread.h"
#include "core/policy/options.h"

namespace detshim {

struct SeedingFunction {
  const char* name;               ///< exported by its program
  bool mixes_own_address = false; ///< by exclusive or, with what it reads
  bool mixes_addresses = false;   ///< of its stack, in a hash
  const char* why = nullptr;      ///< what it reads is no seed alone, so it gets the real clock
};

namespace {

constexpr const char* why_php =
    "PHP seeds lcg_value(), and uniqid('', true), from the clock and its process id: take mt_rand or random_int";
constexpr const char* why_layout =
    "Lua seeds math.random and the order of its tables from addresses too: start it by detshim run";

constexpr SeedingFunction functions[] = {
    {.name = "seedrand", .mixes_own_address = true},   // bash: $RANDOM (lib/sh/random.c)
    {.name = "lua_newstate", .mixes_addresses = true}, // Lua from 5.2 on: the order of tables (lstate.c)
    {.name = "luaopen_math", .mixes_addresses = true}, // Lua from 5.4 on: math.random (lmathlib.c)
    {.name = "php_combined_lcg", .why = why_php},      // PHP to 8.3 (ext/standard/lcg.c)
    {.name = "php_random_combinedlcg_seed_default", .why = why_php}, // PHP 8.4
};

bool layout_is_fixed() {
  constexpr long ask = 0xffffffff;
  constexpr long no_randomize = 0x0040000; // ADDR_NO_RANDOMIZE, personality(2)
  return (sys::call(SYS_personality, ask) & no_randomize) != 0;
}

const SeedingFunction* look_up(const void* caller) {
  Module module;
  if (!find_module(caller, module)) return nullptr;
  for (const SeedingFunction& function : functions)
    if (const void* start = module.symbol(function.name);
        start != nullptr && function_at(start).holds(static_cast<const char*>(caller) - 1))
      return &function;
  return nullptr;
}

} // namespace

const SeedingFunction* seeding_function_at(const void* caller) {
  struct Place {
    const void* caller;
    const SeedingFunction* function;
  };
  static thread_local constinit Place places[4] = {};
  Place& place = places[reinterpret_cast<uintptr_t>(caller) / 4 % 4];
  if (place.caller != caller) place = {caller, look_up(caller)};
  return place.function;
}

int64_t seconds_for(const SeedingFunction& function) {
  // An interpreter seeds itself whether or not it draws, so this is no draw, and the interpreter may still hand its name
  // on to the program that it starts.
  const auto seed = static_cast<uint32_t>(stream_key(this_thread(), Kind::seeding_function, bearers_before()));
  if (!function.mixes_own_address) return seed;
  // It mixes its address in by exclusive or, and so does this: the layout is of no account.
  return seed ^ static_cast<uint32_t>(reinterpret_cast<uintptr_t>(find_symbol(function.name)));
}

bool gets_own_clock(const SeedingFunction& function) { return function.why == nullptr && options().forces(); }

const char* why_unfixed(const SeedingFunction& function) {
  if (function.why != nullptr) return function.why;
  return function.mixes_addresses && !layout_is_fixed() ? why_layout : nullptr;
}

} // namespace detshim
