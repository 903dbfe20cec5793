// What can be turned from outside, so that what is hidden shows: one table.
#pragma once

#include "verify/run_once.h"

#include <string>
#include <vector>

namespace detshim {

struct Perturbation {
  const char* name;
  const char* what;                    ///< "another address-space layout"
  void (*turn)(RunSettings& settings); ///< before the run; may be null
  void (*turn_in_child)();             ///< of the environment; may be null
  bool is_loaded;
  bool (*is_possible)(); ///< may be null: everywhere
};

/// By its name alone: a program that waits for a time would wait for ever.
inline constexpr const char* clock_perturbation = "clock";

/// The perturbations named in "aslr,load"; all but that one for an empty text. Throws UsageError for a name
/// that is none.
std::vector<const Perturbation*> choose_perturbations(const std::string& list);

} // namespace detshim
