// Seeds that changed from run to run when `detshim verify` compared runs: what no reading explains is known
// from there (docs/SEEDS.md, "By a comparison").
#pragma once

#include <cstdint>

namespace detshim {

/// What the comparison says of a value.
struct LearnedSeed {
  bool changes = false;
  bool is_of_all = false;     ///< all processes of a run passed the same: one sent it to the others
  bool is_of_threads = false; ///< threads passed the same value; else equal ones are so by chance
  bool is_first = false;      ///< of the first call site in the file
  uint64_t group = 0;         ///< names the call sites that pass each other's values
};

/// Of a value that is passed at `caller` (a return address). The file is looked for once: where
/// DETSHIM_LEARNED_SEEDS says, else in the working directory. Another user's is not believed.
LearnedSeed learned_seed(uint64_t value, const void* caller);

} // namespace detshim
