#include "verify/perturbations.h"

#include "log_reader/printable.h"
#include "support/exit_status.h"
#include "support/lists.h"
#include "support/variable.h"
#include "support/wording.h"
#include "verify/busy_processors.h"

#include <algorithm>
#include <cstdlib>

namespace detshim {
namespace {

void keep_random_layout(RunSettings& settings) { settings.keeps_random_layout = true; }

void halve_processors(RunSettings& settings) {
  settings.processors = std::max<std::size_t>(available_processors() / 2, 1);
}

/// glibc fills what malloc gives with the complement of this byte, and what is freed with the byte. 0x7F
/// makes a number that no sum hides: 3e38 as a float, 1e306 as a double, NaN of 16 bits.
void fill_memory() {
  ::setenv("MALLOC_PERTURB_", "128", 1);
  ::setenv("DETSHIM_FILL", "nan", 1);
}

void reverse_folders() { ::setenv("DETSHIM_READDIR", "reversed", 1); }
void reverse_workers() { ::setenv("DETSHIM_WORKERS", "reversed", 1); }

/// Not where the user has chosen what becomes of autotuners: recorded choices are other ones anyway.
void invert_events() {
  if (variable("DETSHIM_AUTOTUNE", "first") == "first") ::setenv("DETSHIM_AUTOTUNE", "inverse", 1);
}

constexpr Perturbation table[] = {
    {"aslr", "another address-space layout", &keep_random_layout, nullptr, false, nullptr},
    {"fill", "new memory filled: malloc's with bytes, a GPU's with NaN", nullptr, &fill_memory, false,
     nullptr},
    {"load", "all processors busy with something else", nullptr, nullptr, true, nullptr},
    {"cores", "half the processors, and as many threads", &halve_processors, nullptr, false,
     [] { return available_processors() > 1; }},
    {"readdir", "folders read from the last name to the first", nullptr, &reverse_folders, false, nullptr},
    {"workers", "threads and children begin in another order", nullptr, &reverse_workers, false, nullptr},
    {"events", "autotuners by a GPU's events take their slowest", nullptr, &invert_events, false, nullptr},
};

} // namespace

std::vector<const Perturbation*> choose_perturbations(const std::string& list) {
  std::vector<const Perturbation*> chosen;
  if (list.empty()) {
    for (const Perturbation& perturbation : table) chosen.push_back(&perturbation);
    return chosen;
  }
  for (const std::string& name : split(list, ',')) {
    const auto* const found = std::ranges::find_if(
        table, [&](const Perturbation& perturbation) { return name == perturbation.name; });
    if (found == std::end(table)) {
      std::vector<std::string> accepted;
      for (const Perturbation& perturbation : table) accepted.emplace_back(perturbation.name);
      throw UsageError("--perturb " + in_quotes(list) + " is not accepted: a list of " +
                       enumerated(accepted));
    }
    add_once(chosen, found);
  }
  return chosen;
}

} // namespace detshim
