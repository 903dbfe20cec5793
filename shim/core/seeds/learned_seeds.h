// Seeds that changed from run to run when `detshim verify` compared runs: what no reading explains
// is known from there (docs/SEEDS.md, "By a comparison").
#pragma once

#include "core/seeds/passed_seed.h"

#include <cstdint>

namespace detshim {

/// What the comparison says of a value.
struct LearnedSeed {
  bool changes = false;
  bool is_constant = false;   ///< it was the same in all compared runs
  bool is_of_all = false;     ///< all processes of a run passed the same: one sent it to the others
  bool is_of_threads = false; ///< threads passed the same value; else equal ones are so by chance
  bool is_in_order = false;   ///< its place in the order of the seeds named it then
  bool is_first = false;      ///< of the first call site in the file
  uint64_t group = 0;         ///< names the call sites that pass each other's values
};

/// The file is looked for once: where DETSHIM_LEARNED_SEEDS says, else in the working directory.
/// Another user's is not believed.
LearnedSeed learned_seed(const PassedSeed& seed);

} // namespace detshim
