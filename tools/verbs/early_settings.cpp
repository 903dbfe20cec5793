#include "verbs/early_settings.h"

#include <algorithm>
#include <cstdlib>

#include <sched.h>
#include <sys/personality.h>

namespace detshim {
namespace {

void set_if_unset(const char* variable, const std::string& value) { ::setenv(variable, value.c_str(), 0); }

int processors() {
  cpu_set_t set;
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

/// True for PyTorch's launcher, by either name: where OMP_NUM_THREADS is unset it gives each of several
/// processes one thread, and all processors for each would be slower.
bool chooses_threads(const std::vector<std::string>& command) {
  return std::ranges::any_of(command, [](const std::string& word) {
    return word.ends_with("torchrun") || word.starts_with("torch.distributed.");
  });
}

} // namespace

void apply_early_settings(bool keep_layout, const std::vector<std::string>& command) {
  if (!chooses_threads(command)) set_if_unset("OMP_NUM_THREADS", std::to_string(processors()));
  set_if_unset("OMP_DYNAMIC", "FALSE");
  constexpr unsigned long ask = 0xffffffff;
  if (const int now = ::personality(ask); !keep_layout && now != -1)
    ::personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE);
}

} // namespace detshim
