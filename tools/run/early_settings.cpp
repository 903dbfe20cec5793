#include "run/early_settings.h"

#include "common/run_agreements.h"
#include "common/run_variable.h"
#include "run/handover.h"
#include "support/variable.h"

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

/// True for what starts several processes: all processors for each would be slower, and another sum.
/// PyTorch's launcher gives each one thread where the variable is unset, and mpirun binds each to processors
/// of its own.
bool starts_ranks(const std::vector<std::string>& command) {
  return is_launcher(command) || std::ranges::any_of(command, [](const std::string& word) {
           return word.ends_with("torchrun") || word.starts_with("torch.distributed.");
         });
}

/// glibc chooses its code before the library is there.
void apply_portable_settings() {
  const std::string level = variable("DETSHIM_PORTABLE");
  const bool is_avx2 = level == "avx2";
  if (!is_avx2 && level != "1") return;
  set_if_unset("OMP_NUM_THREADS", "1");
  const std::string tunables = variable("GLIBC_TUNABLES");
  if (has_hwcaps && tunables.find("glibc.cpu.hwcaps=") == std::string::npos)
    ::setenv("GLIBC_TUNABLES",
             (tunables + (tunables.empty() ? "" : ":") + (is_avx2 ? portable_hwcaps_avx2 : portable_hwcaps))
                 .c_str(),
             1);
}

} // namespace

void apply_early_settings(bool keep_layout, const std::vector<std::string>& command) {
  apply_portable_settings();
  if (!starts_ranks(command) && std::getenv("OMP_NUM_THREADS") == nullptr) {
    const std::string number = std::to_string(processors());
    ::setenv("OMP_NUM_THREADS", number.c_str(), 1);
    ::setenv(own_threads_name, number.c_str(), 1);
  }
  set_if_unset("OMP_DYNAMIC", "FALSE");
  constexpr unsigned long ask = 0xffffffff;
  if (const int now = ::personality(ask); !keep_layout && now != -1)
    ::personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE);
}

} // namespace detshim
