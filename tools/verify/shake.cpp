#include "verify/shake.h"

#include "log_reader/printable.h"
#include "support/exit_status.h"
#include "support/wording.h"
#include "verify/busy_processors.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace detshim {
namespace {

void keep_random_layout(RunSettings& settings) { settings.keeps_random_layout = true; }

void halve_processors(RunSettings& settings) {
  settings.processors = std::max<std::size_t>(available_processors() / 2, 1);
}

/// glibc fills what malloc gives with the complement of this byte, and what is freed with the byte.
void fill_memory() {
  ::setenv("MALLOC_PERTURB_", "90", 1);
  ::setenv("DETSHIM_FILL", "nan", 1);
}

constexpr Knob table[] = {
    {"aslr", "another address-space layout", &keep_random_layout, nullptr, false, nullptr},
    {"fill", "new memory filled: malloc's with bytes, a GPU's with NaN", nullptr, &fill_memory, false,
     nullptr},
    {"load", "all processors busy with something else", nullptr, nullptr, true, nullptr},
    {"cores", "half the processors, and as many threads", &halve_processors, nullptr, false,
     [] { return available_processors() > 1; }},
};

} // namespace

std::span<const Knob> knobs() { return table; }

std::vector<const Knob*> choose_knobs(const std::string& list) {
  std::vector<const Knob*> chosen;
  if (list.empty()) {
    for (const Knob& knob : table) chosen.push_back(&knob);
    return chosen;
  }
  std::istringstream names(list);
  for (std::string name; std::getline(names, name, ',');) {
    const auto* const found =
        std::ranges::find_if(table, [&](const Knob& knob) { return name == knob.name; });
    if (found == std::end(table)) {
      std::vector<std::string> accepted;
      for (const Knob& knob : table) accepted.emplace_back(knob.name);
      throw UsageError("--shake '" + printable(list) + "' is not accepted: a list of " +
                       enumerated(accepted));
    }
    if (std::ranges::find(chosen, found) == chosen.end()) chosen.push_back(found);
  }
  return chosen;
}

} // namespace detshim
