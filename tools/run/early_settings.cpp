#include "run/early_settings.h"

#include "common/run_agreements.h"
#include "common/run_variable.h"
#include "run/handover.h"
#include "run/processors.h"
#include "support/variable.h"

#include <algorithm>
#include <cstdlib>

#include <sys/personality.h>

namespace detshim {
namespace {

void set_if_unset(const char* variable, const std::string& value) {
  ::setenv(variable, value.c_str(), 0);
}

/// True for what starts several processes: all processors for each would be slower, and another
/// sum. PyTorch's launcher gives each one thread where the variable is unset, and mpirun binds each
/// to processors of its own.
bool starts_ranks(const std::vector<std::string>& command) {
  return is_launcher(command) || std::ranges::any_of(command, [](const std::string& word) {
           return word.ends_with("torchrun") || word.starts_with("torch.distributed.");
         });
}

/// glibc chooses its code before the library is there.
void apply_portable_settings() {
  const char* const hwcaps = portable_hwcaps_of(variable("DETSHIM_PORTABLE").c_str());
  if (hwcaps == nullptr)
    return;
  set_if_unset("OMP_NUM_THREADS", "1");
  const std::string tunables = variable("GLIBC_TUNABLES");
  if (has_hwcaps && tunables.find("glibc.cpu.hwcaps=") == std::string::npos)
    ::setenv("GLIBC_TUNABLES", (tunables + (tunables.empty() ? "" : ":") + hwcaps).c_str(), 1);
}

} // namespace

void apply_early_settings(bool keep_layout, const std::vector<std::string>& command) {
  apply_portable_settings();
  if (!starts_ranks(command) && std::getenv("OMP_NUM_THREADS") == nullptr) {
    const std::string number = std::to_string(usable_processors());
    ::setenv("OMP_NUM_THREADS", number.c_str(), 1);
    ::setenv(own_threads_name, number.c_str(), 1);
  }
  if (std::getenv(own_threads_name) != nullptr)
    ::setenv(own_processors_name, std::to_string(processors_to_run_on()).c_str(), 1);
  const std::string dynamic = early_dynamic;
  set_if_unset(early_dynamic_name, dynamic.substr(dynamic.find('=') + 1));
  keep_layout |= variable(layout_variable) == layout_names[static_cast<int>(Layout::leave)];
  constexpr unsigned long ask = 0xffffffff;
  if (const int now = ::personality(ask); !keep_layout && now != -1)
    ::personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE);
}

} // namespace detshim
