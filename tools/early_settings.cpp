#include "early_settings.h"

#include <cstdlib>
#include <string>

#include <sched.h>
#include <sys/personality.h>

namespace detshim {
namespace {

void set_if_unset(const char* variable, const std::string& value) { ::setenv(variable, value.c_str(), 0); }

int processors() {
  cpu_set_t set;
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

} // namespace

void apply_early_settings(bool keep_layout) {
  set_if_unset("OMP_NUM_THREADS", std::to_string(processors()));
  set_if_unset("OMP_DYNAMIC", "FALSE");
  constexpr unsigned long ask = 0xffffffff;
  if (const int now = ::personality(ask); !keep_layout && now != -1)
    ::personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE);
}

} // namespace detshim
