#include "hooks/php.h"

#include "core/modules.h"

#include <initializer_list>

namespace detshim {

bool seeds_php_lcg(const void* caller) {
  static thread_local constinit const void* other = nullptr; // the place that asked last, and does not
  if (caller == other) return false;
  Module module;
  if (find_module(caller, module))
    for (const char* name : {"php_combined_lcg", "php_random_combinedlcg_seed_default"})
      if (const void* start = module.symbol(name); start != nullptr && function_at(start).holds(caller)) return true;
  other = caller;
  return false;
}

} // namespace detshim
