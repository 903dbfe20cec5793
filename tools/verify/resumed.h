// A run that was killed and started again, against one that was left alone.
#pragma once

#include "verify/comparison.h"

namespace detshim {

/// Compares the status and the outputs of `whole` and `resumed`, and the metrics: what `killed` printed has
/// to be how the series of `whole` begins, what `resumed` printed how it ends, and no step may be missing
/// between. What else was printed is not compared: a resumed run prints something else.
Comparison compare_resumed(const Run& whole, const Run& killed, const Run& resumed,
                           const ComparisonRules& rules);

} // namespace detshim
